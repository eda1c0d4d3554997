"""Settlement cases in, answers out: the translation between JSON and the functions that settle.

The `cases` of a game (`events/rules/game_declaration_and_registry.py`) give its kinds by ruleset: a function for each,
from its name and `given`. A case that a rule forbids or that cannot be read raises; `answer` returns that as an error.

`wrong` compares an answer with the expected result: field by field, with exact amounts. Lists are compared in order,
except sets and results by bet. An answer may have more fields than required.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from events.error_codes import coded
from events.errors import Invalid, PitledgerError, Unknown
from events.rules.game_declaration_and_registry import game_of, installed
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.text.repeated_json_name_refusal import require_unique_names

CaseInputs = Mapping[str, Any]
Answers = Callable[[str, CaseInputs], dict[str, Any]]  # from a ruleset's name and the given facts
Kinds = Mapping[str, Answers]
T = TypeVar("T")
_AS_SETS = frozenset({"reasons", "bad", "actions", "on_table"})
_BY_BET = frozenset({"resolutions", "results"})
# maps by name: one name more is one too many
_BY_NAME = frozenset({"bets", "envy", "paid", "stakes", "hits", "meters", "shown"})


@cached_until_forgotten
def kinds(ruleset: str) -> Mapping[str, Callable[[CaseInputs], dict[str, Any]]]:
    """Return the function for each kind of case of a ruleset, also of a casino's own. Raises Unknown or Invalid."""
    if (game := installed().get(game_of(ruleset))) is None:
        raise Unknown(coded("ruleset-unknown-prefix", ruleset=ruleset, games=list(installed())))
    return {kind: _by_ruleset(ruleset, answers) for kind, answers in game.cases(ruleset).items()}


def _by_ruleset(ruleset: str, answers: Answers) -> Callable[[CaseInputs], dict[str, Any]]:
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


def read(inputs: CaseInputs, shape: type[T]) -> T:
    """Return `inputs` as `shape` (a msgspec Struct); unknown fields are left alone. Raises Invalid naming the field."""
    try:
        return msgspec.convert(inputs, shape)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        raise Invalid(path.rstrip("`").lstrip(".") or "given", coded("case-field-wrong", why=message)) from error


def wrong(expected: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """Return the differences of a result in words; for an expected error any error will do."""
    if "error" in expected:
        return [] if "error" in result else ["expected to be refused, but it was answered"]
    if "error" in result:
        return [f"refused, but an answer was expected: {result['error']}"]
    return differences(expected, result)


def differences(expected: Any, actual: Any, path: str = "", field: str = "") -> list[str]:
    """Return the differences of `actual` from `expected`, each with its path."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        extra = sorted(actual.keys() - expected.keys()) if field in _BY_NAME else []
        fields = [line for key, value in expected.items() for line in _field(key, value, actual, path)]
        return fields + [f"{path}.{key}: not expected" for key in extra]
    if isinstance(expected, list) and isinstance(actual, list):
        return _list(expected, actual, path, field)
    same = type(expected) is type(actual) and expected == actual
    return [] if same else [f"{path}: expected {expected!r}, found {actual!r}"]


def _field(key: str, value: Any, actual: dict[str, Any], path: str) -> list[str]:
    return differences(value, actual[key], f"{path}.{key}", key) if key in actual else [f"{path}.{key}: missing"]


def _list(expected: list[Any], actual: list[Any], path: str, field: str) -> list[str]:
    if field in _AS_SETS:
        expected, actual = sorted(expected, key=str), sorted(actual, key=str)
    if field in _BY_BET:
        expected, actual = sorted(expected, key=_bet), sorted(actual, key=_bet)
    if len(expected) != len(actual):
        return [f"{path}: expected {len(expected)} entries, found {len(actual)}"]
    pairs = enumerate(zip(expected, actual, strict=True))
    return [line for number, (want, have) in pairs for line in differences(want, have, f"{path}[{number}]")]


def _bet(result: Any) -> str:
    return str(result.get("bet")) if isinstance(result, dict) else str(result)
