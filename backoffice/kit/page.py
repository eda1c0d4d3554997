"""What a page is. Said once; `site.py` makes of it whatever shows or serves it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise

if TYPE_CHECKING:
    from backoffice.kit.visit import Visit

Words: TypeAlias = "str | Promise"  # translated when they are shown
Rule: TypeAlias = Callable[[HttpRequest], bool]
Schema: TypeAlias = dict[str, Any]


def everybody(request: HttpRequest) -> bool:
    """Whoever reaches the pages: they listen on loopback only."""
    return True


class Parameters(Protocol):
    """A query string, as Django reads it."""

    def get(self, name: str, /) -> str | None: ...
    def getlist(self, name: str, /) -> list[str]: ...


class Asked(msgspec.Struct, frozen=True):
    """What is asked for: the places in the path, the query string, and whether people will look at the answer
    (`drawn`: with charts) or a program."""

    places: Mapping[str, Any]
    parameters: Parameters
    drawn: bool = True

    def text(self, name: str, at_most: int = 120) -> str:
        """What the query string says under a name; "" where it says nothing."""
        return (self.parameters.get(name) or "")[:at_most]


class File(msgspec.Struct, frozen=True):
    """An answer to be kept: its bytes, their media type, the name under which it is saved."""

    content: bytes
    kind: str
    name: str


class Sheet(msgspec.Struct, frozen=True):
    """A page as a sheet of a spreadsheet: what it is, what it is of, beside which facts it was made, and its lines."""

    title: Words
    of: tuple[str, str]
    columns: Sequence[str]
    lines: Iterable[Sequence[object]]
    facts: tuple[object, ...] = ()


class Menu(msgspec.Struct, frozen=True):
    """A page's entry in the menu; `g` and its key go there, and the keyboard's help says so in `help`."""

    words: Words
    key: str
    help: Words


class Follows(msgspec.Struct, frozen=True):
    """What of a page changes by itself: asked for every few seconds, answered 204 where nothing is new."""

    template: str
    path: str = ""  # where not at PATH/live


class Read(msgspec.Struct, frozen=True):
    """Figures for programs, below /api/v1/: the type of the answer and the query string that it takes."""

    name: str
    path: str
    answer: type[msgspec.Struct]
    meaning: str
    query: Callable[[Asked], Any] | None = None  # None: the page's own
    view: Callable[[HttpRequest], HttpResponseBase] | None = None  # answers by itself
    parameters: Mapping[str, Schema] = {}
    readers: Rule | None = None  # None: the page's own


class Format(msgspec.Struct, frozen=True):
    """Another form of a page, at PATH/suffix: a PDF, the JSON that was hashed."""

    suffix: str
    write: Callable[[Asked], File]


class Address(msgspec.Struct, frozen=True):
    """An address beside a page, with a view of its own: a part that comes later, a redirection, an export."""

    name: str
    path: str
    view: Callable[["Visit"], HttpResponseBase]


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page. Either `query` finds what it shows (under the name `shown_as` in the template; `beside` adds to that),
    or `view` answers by itself. Nothing found is `Unknown`: 404 on the page, a problem in the interface.

    `readers` says who may read it in every form. It has no default: a page for which nobody thought of that does not
    exist, and the house does not start.
    """

    name: str
    path: str
    title: Words
    readers: Rule
    template: str = ""
    query: Callable[[Asked], Any] | None = None
    shown_as: str = "shown"
    beside: Callable[["Visit", Any], dict[str, Any]] | None = None
    view: Callable[["Visit"], HttpResponseBase] | None = None
    menu: Menu | None = None
    under: str = ""  # the page in whose part of the house it stands; its own where it is in the menu
    follows: Follows | None = None
    listens: bool = False  # to the live process
    read: Read | None = None
    sheet: Callable[[Asked, Any], Sheet] | None = None
    formats: tuple[Format, ...] = ()
    also: tuple[Address, ...] = ()

    @property
    def place(self) -> str:
        """The page whose entry in the menu is marked while this one is open."""
        return self.name if self.menu else self.under
