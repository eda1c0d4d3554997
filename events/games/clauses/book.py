"""The clauses of the rule books as data, by ruleset (`books/*.json` in the package of each game).

Each clause has the paragraph of the source and one line of text. Each kind of case and each bet names its clauses.
"""

from functools import cache
from pathlib import Path

import msgspec

from events.errors import Unknown
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import game_of, installed


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`clauses`: clause -> (source paragraph, one line); `kinds` and `bets` name clauses. `off`: bets that are off, and
    when.
    """

    rulebook: str
    clauses: dict[str, tuple[str, str]]
    kinds: dict[str, tuple[str, ...]]
    bets: dict[str, str] = {}
    off: str = ""


class _Readings(msgspec.Struct, frozen=True):
    readings: dict[str, str] = {}


class Pages(msgspec.Struct, frozen=True):
    """A book opened for one ruleset: `say` puts a clause into words."""

    ruleset: str
    book: Book

    def say(self, clause: str, *, source: str = "", reading: str = "") -> str:
        """ "craps-gr B.1 [000 §10a(1)] WIN: ...; GRC-10: how the open question is read". A clause that is not in the
        book (a casino's own) is named all the same."""
        listed, text = self.book.clauses.get(clause, ("", ""))
        cited = f"{self.ruleset} {clause.partition(' ')[0]} [{source or listed}]" if source or listed else clause
        parts = [f"{cited} {text}".strip()]
        if reading:
            parts.append(f"{reading}: {readings(self.ruleset).get(reading, 'an open question')}")
        return "; read by ".join(parts)

    def of_kind(self, kind: str) -> list[str]:
        """The clauses that answer a kind of case."""
        return [self.say(clause) for clause in self.book.kinds.get(kind, ())]

    def of_bet(self, bet: str, reading: str = "") -> str:
        """The clause that settles a bet."""
        return self.say(self.book.bets[bet], reading=reading) if bet in self.book.bets else f"no clause for {bet}"


def pages(ruleset: str) -> Pages:
    """Return the book of a ruleset, of its game for a variant or a house's own ruleset, or an empty book."""
    ruleset = ruleset.partition("@")[0]
    if game := installed().get(game_of(ruleset)):
        for name in (ruleset, game.name):
            if (path := game.folder / "books" / f"{name}.json").is_file():
                return Pages(ruleset, _book(path))
    return Pages(ruleset, Book(ruleset, {}, {}))


@cache
def _book(path: Path) -> Book:
    return msgspec.json.decode(path.read_bytes(), type=Book)


@cache
def readings(ruleset: str) -> dict[str, str]:
    """Return the readings of a ruleset's open questions, by their codes."""
    try:
        texts: _Readings = loading_and_pinning_rulesets.load(ruleset, _Readings)
    except Unknown:
        return {}
    return texts.readings
