"""Explanation of a result: `explain(case, result)` names the clause of the rule book behind each part of it.

Each game explains its kinds with `explain` of its declaration: a function from (pages, given, result) to lines. A kind
without such a function is explained by the clauses that its book lists for it.

The clauses of the rule books are data, by ruleset (`books/*.json` in the package of each game). Each clause has the
paragraph of the source and one line of text. Each kind of case and each bet names its clauses.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

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
    """The clauses of one ruleset; `say` returns a clause in words."""

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


Explain: TypeAlias = Callable[[Pages, Mapping[str, Any], Mapping[str, Any]], list[str]]


def explain(case: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """Yield lines with the clauses behind `result`, the answer to `case` (see `events.games.cases.answer`)."""
    inputs, ruleset = case.get("given"), case.get("ruleset")
    if not isinstance(ruleset, str) or not isinstance(inputs, dict):
        return ["the line cannot be read: no rule was applied"]
    ruleset_pages = pages(ruleset)
    if "error" in result:
        return [refusal(ruleset_pages, str(result["error"]))]
    kind = str(inputs.get("kind"))
    explainer = explainers(game_of(ruleset)).get(kind)
    return _once(ruleset_pages, ruleset_pages.of_kind(kind) + (explainer or _why)(ruleset_pages, inputs, result))


def explainers(game: str) -> Mapping[str, Explain]:
    """Return the explanations of a game by kind of case, for kinds that need more than a list of clauses."""
    game_ = installed().get(game)
    return game_.explain if game_ else {}


def refusal(ruleset_pages: Pages, text: str) -> str:
    """Return a refusal ("message [ruleset clause]") with its clause in words; an unreadable case has no clause."""
    message, _, cited = text.rstrip("]").rpartition(" [")
    ruleset, _, clause = cited.partition(" ")
    if not message or not clause:
        return f"refused: {text} (the case cannot be read so; no rule was applied)"
    if ruleset == "house":
        return f"refused: {message.rstrip('.')}: a rule of the house's procedure ({clause})"
    cited_pages = ruleset_pages if ruleset == ruleset_pages.ruleset else pages(ruleset)
    return f"refused: {message.rstrip('.')}: {cited_pages.say(clause)}"


def _why(ruleset_pages: Pages, inputs: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    return [refusal(ruleset_pages, str(result["why"]))] if "why" in result else []


def _once(ruleset_pages: Pages, lines: list[str]) -> list[str]:
    """Return the lines with each clause in full once; a repetition only names it."""
    texts = [*(f" {text}" for _, text in ruleset_pages.book.clauses.values())]
    texts += [f": {text}" for text in readings(ruleset_pages.ruleset).values()]
    quoted: set[str] = set()
    entries = []
    for line in lines:
        for text in texts:
            if text in line:
                line = line.replace(text, "") if text in quoted else line
                quoted.add(text)
        entries.append(line)
    return entries
