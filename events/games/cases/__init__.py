"""Settlement cases in, answers out: the translation between JSON and the functions that settle.

Each module beside this one holds the kinds of its rulesets as `KINDS`, a mapping of (ruleset, kind) to
a function from `given` to the answer. What a rule forbids or cannot be read raises; `answer` says so.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from events.errors import Invalid, PitledgerError

Given = Mapping[str, Any]
Kind = Callable[[Given], dict[str, Any]]

_MODULES = ("craps", "roulette", "baccarat", "blackjack", "blazing7s", "timeline")


@cache
def kinds() -> dict[tuple[str, str], Kind]:
    """Every (ruleset, kind) that can be answered."""
    found: dict[tuple[str, str], Kind] = {}
    for name in _MODULES:
        found.update(import_module(f"{__name__}.{name}").KINDS)
    return found


def answer_line(line: bytes | str) -> dict[str, Any]:
    """One JSON line in, `{"id", "result"}` out, whatever the line holds: a bad line gets an error for itself."""
    try:
        case = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return {"id": None, "result": {"error": f"not a JSON object: {error}"}}
    if not isinstance(case, dict):
        return {"id": None, "result": {"error": "not a JSON object"}}
    return {"id": case.get("id"), "result": answer(case)}


def answer(case: Mapping[str, Any]) -> dict[str, Any]:
    """The result of one case, or `{"error": why}` for what must be refused."""
    try:
        given = case.get("given")
        if not isinstance(given, dict):
            raise Invalid("given", "an object is needed")
        ruleset, kind = case.get("ruleset"), given.get("kind")
        if not isinstance(ruleset, str) or not isinstance(kind, str) or (ruleset, kind) not in kinds():
            raise Invalid("kind", f"there is no kind {kind!r:.40} for the ruleset {ruleset!r:.40}")
        return kinds()[ruleset, kind](given)
    except PitledgerError as error:
        return {"error": str(error)}
