"""Actions that are due: the action, its stream, and the page with its form."""

from typing import Any, TypeAlias

import msgspec

from backoffice.wording.code_to_word_translation import code_words


class PageLink(msgspec.Struct, frozen=True):
    """Link to the page that resolves a failed check: its words, the page's name and places, a fragment or query."""

    words: str
    page: str
    places: dict[str, str | int] = {}
    beyond: str = ""


People: TypeAlias = list[tuple[str, str]]


class DueAction(msgspec.Struct, frozen=True):
    """Due action and its sender.

    `to` is the end of its address. The acting person fills in the fields in `blanks`, whose values are words in
    capitals.
    """

    label: str
    who: str
    to: str
    key: str
    type: str
    data: dict[str, Any]
    query: str = ""
    corrects: str = ""  # the event that it puts right
    blanks: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """Return the kind of the stream."""
        return self.to.partition("/")[0]

    @property
    def place(self) -> dict[str, str]:
        """The stream, as its page's address names it."""
        name, day = self.to.partition("/")[2], self.query.removeprefix("gaming_day=")
        return ({"name": name} if name else {}) | ({"gaming_day": day} if day else {})

    @property
    def known_fields(self) -> dict[str, Any]:
        """Return the known fields of the action: all but the blanks."""
        return {name: value for name, value in self.data.items() if name not in self.blanks}

    @property
    def body(self) -> str:
        """Return the action as sent."""
        return msgspec.json.encode({"type": self.type, "key": self.key, "data": self.data}).decode()


def pairs(people: str) -> People:
    """The people of a row, each name once with all roles."""
    roles: dict[str, list[str]] = {}
    for name, role in msgspec.json.decode(people, type=People):
        roles.setdefault(name, []).append(role)
    return [(name, code_words(of)) for name, of in roles.items()]
