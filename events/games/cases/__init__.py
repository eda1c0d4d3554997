"""Settlement cases in, answers out: the translation between JSON and the functions that settle.

The `cases` of a game (`events/rules/game_declaration_and_registry.py`) give its kinds by ruleset: a function for each,
from its name and `given`. A case that a rule forbids or that cannot be read raises; `answer` returns that as an error.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.error_codes import coded
from events.errors import Invalid, PitledgerError, Unknown
from events.rules.game_declaration_and_registry import game_of, installed
from events.runtime.declaration_cache import remembered
from events.text.unique_json_names import require_unique_names

Given = Mapping[str, Any]
Answers = Callable[[str, Given], dict[str, Any]]  # from a ruleset's name and the given facts
Kinds = Mapping[str, Answers]


@remembered
def kinds(ruleset: str) -> Mapping[str, Callable[[Given], dict[str, Any]]]:
    """Return the function for each kind of case of a ruleset, also of a casino's own. Raises Unknown or Invalid."""
    if (game := installed().get(game_of(ruleset))) is None:
        raise Unknown(coded("ruleset-unknown-prefix", ruleset=ruleset, games=list(installed())))
    return {kind: _by_ruleset(ruleset, answers) for kind, answers in game.cases(ruleset).items()}


def _by_ruleset(ruleset: str, answers: Answers) -> Callable[[Given], dict[str, Any]]:
    return lambda inputs: answers(ruleset, inputs)


def answer_line(line: bytes | str) -> dict[str, Any]:
    """Answer one JSON line with `{"id", "result"}`. A bad line gets an error for itself."""
    try:
        case = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return {"id": None, "result": {"error": f"not a JSON object: {error}"}}
    if not isinstance(case, dict):
        return {"id": None, "result": {"error": "not a JSON object"}}
    try:
        require_unique_names(line, "case")
    except Invalid as error:
        return {"id": case.get("id"), "result": {"error": str(error)}}
    return {"id": case.get("id"), "result": answer(case)}


def answer(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of one case, or `{"error": message}` for a case that must be refused."""
    try:
        inputs = case.get("given")
        if not isinstance(inputs, dict):
            raise Invalid("given", coded("object-needed"))
        ruleset, kind = case.get("ruleset"), inputs.get("kind")
        if not isinstance(ruleset, str):
            raise Invalid("ruleset", coded("ruleset-needed"))
        if not isinstance(kind, str) or kind not in (case_kinds := kinds(ruleset)):
            raise Invalid("kind", coded("case-kind-unknown", case=str(kind), ruleset=ruleset))
        return case_kinds[kind](inputs)
    except PitledgerError as error:
        return {"error": str(error)}
