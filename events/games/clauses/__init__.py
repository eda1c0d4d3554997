"""Explanation of a result: `explain(case, result)` names the clause of the rule book behind each part of it.

Each game explains its kinds with `explain` of its declaration: a function from (pages, given, result) to lines. A kind
without such a function is explained by the clauses that its book lists for it.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from events.games.clauses.book import Pages, pages, readings
from events.rules.game_declaration_and_registry import game_of, installed

Explain: TypeAlias = Callable[[Pages, Mapping[str, Any], Mapping[str, Any]], list[str]]


def explain(case: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """Lines that say which clauses lead to `result`, the answer to `case` (see `events.games.cases.answer`)."""
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
    """The kinds of a game that have more to say than the clauses of the kind."""
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


__all__ = ["Explain", "explain", "explainers", "refusal"]
