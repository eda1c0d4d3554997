"""Readers, and the rule of each page and endpoint that admits them.

A rule names roles. The auditor is in every one of them: auditors read everything that is not hidden, and change
nothing. A hidden figure (an open blind count) is hidden from every role.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, get_args

import msgspec
from django.utils.translation import gettext as _

from backoffice.wording.code_to_word_translation import code_words
from events.roles import Role, Roles

AUDITOR: Role = "auditor"
Places = Mapping[str, Any]
View = TypeVar("View", bound=Callable[..., Any])


class Reader(msgspec.Struct, frozen=True):
    """The reader of a request: a person with the roles in force in this property, or a terminal or a display by its
    key."""

    person: str = ""
    roles: frozenset[str] = frozenset()
    device: str = ""
    display: str = ""
    is_wall: bool = False  # the display shows alerts on a wall
    name: str = ""  # the name of the person, where it is known

    @property
    def called(self) -> str:
        """Return the reader's name, or the id without a name."""
        return self.name or self.person

    @property
    def roles_in_words(self) -> str:
        """Return the roles for the header of a page."""
        return code_words(sorted(self.roles))

    @property
    def is_nobody(self) -> bool:
        """Return whether the reader is unknown."""
        return not (self.person or self.device or self.display)


NOBODY = Reader()
_current: ContextVar[Reader] = ContextVar("reader", default=NOBODY)


@contextmanager
def answering(reader: Reader) -> Iterator[None]:
    """Answer this reader, for as long as it lasts: a search by case asks who reads."""
    token = _current.set(reader)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Reader:
    """Return the reader who is answered now; the empty reader outside of a request."""
    return _current.get()


class ReadRule(msgspec.Struct, frozen=True):
    """The rule that admits readers: holders of one of the roles.

    `public`: all. `known`: all who are signed in or have a badge, in any role or without one, and terminals.
    `displays`: also a screen on the casino floor. `walls`: also a screen that shows alerts on a wall. `sealed` decides
    by the path's parts whether it is closed to all at present.
    """

    roles: Roles = ()
    public: bool = False
    known: bool = False
    displays: bool = False
    walls: bool = False
    sealed: Callable[[Places], bool] | None = None

    def admits(self, reader: Reader, places: Places | None = None) -> bool:
        """Return whether this reader may read it now."""
        if self.sealed is not None and self.sealed(places or {}):
            return False
        if self.public:
            return True
        if self.known and (reader.person or reader.device):
            return True
        if reader.display:
            return self.walls if reader.is_wall else self.displays
        return bool(reader.roles.intersection(self.roles))

    @property
    def words(self) -> str:
        """Return the admitted readers in words."""
        texts = [_("anyone with a badge, a login or a terminal key")] if self.known else [code_words(self.roles)]
        screens = ((self.displays, _("a display on the floor")), (self.walls, _("Wall display")))
        return ", ".join([*texts, *(text for admits, text in screens if admits)])


def roles(
    *names: Role,
    displays: bool = False,
    walls: bool = False,
    sealed: Callable[[Places], bool] | None = None,
) -> ReadRule:
    """The rule for these roles and the auditor."""
    if unknown := set(names) - set(get_args(Role)):
        raise ValueError(f"there is no role {', '.join(sorted(unknown))}")
    return ReadRule(tuple(dict.fromkeys((*names, AUDITOR))), displays=displays, walls=walls, sealed=sealed)


KNOWN = ReadRule(known=True)
PUBLIC = ReadRule(public=True)


def with_read_rule(view: View, rule: ReadRule, lists: Collection[str] = ()) -> View:
    """Return the view with its reading rule, without which `backoffice/urls.py` starts no house.

    `lists`: parameters that an address may repeat.
    """
    view.open_to, view.lists = rule, lists  # type: ignore[attr-defined]  # a function takes each attribute
    return view


def public(view: View) -> View:
    """Mark a view without a page as public, or as one that authenticates its own readers."""
    return with_read_rule(view, PUBLIC)
