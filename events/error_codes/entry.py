"""Entries of the catalogue of errors: code, problem, remedy, and the kinds of the parameters."""

from typing import Literal, get_args

from msgspec import Struct

Kind = Literal["id", "money", "count", "day", "time", "card", "word", "text", "list", "codes", "names", "error"]
KINDS: tuple[str, ...] = get_args(Kind)
# By kind, for readers of the reference.
MEANINGS: dict[str, str] = {
    "id": "the id of a person, player, table, bet, hit, slip or event",
    "money": "an amount: an object of `amount_minor` and `currency`; without `currency` it is the property's",
    "count": "a whole number: of things, of a round, box or slip",
    "day": "a gaming day, as 2026-11-20",
    "time": "a moment in UTC, as 2026-11-20T20:15:00.000Z",
    "card": "a card, as KH",
    "word": "a term that the house declares: a bet, role, phase, action or setting",
    "text": "a text from outside, cut after 120 characters",
    "list": "several ids, words or texts",
    "codes": "several words of a file, a command or the API, which are never translated",
    "names": "the first of several names: an object of `names`, each with its `number` or `amount_minor`, and `count`",
    "error": "another error: an object of `code` and `params`, or of `text`",
}


def _(sentence: str) -> str:
    """Mark a sentence for extraction by gettext. It is translated at the edge, not here."""
    return sentence


class Entry(Struct, frozen=True):
    """An error of the catalogue. Both sentences have placeholders like `%(box)s`; `todo` may be empty."""

    code: str
    sentence: str
    todo: str
    kinds: dict[str, Kind]


def entry(code: str, sentence: str, todo: str = "", **kinds: Kind) -> Entry:
    """Return an entry of the catalogue."""
    return Entry(code, sentence, todo, kinds)
