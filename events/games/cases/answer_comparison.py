"""Compare an answer with the expected result, by the rules of the case format.

The comparison is field by field, with exact amounts. Lists are compared in order, except sets and results by bet. An
answer may have more fields than required.
"""

from collections.abc import Mapping
from typing import Any

AS_SETS = frozenset({"reasons", "bad", "actions", "on_table"})
BY_BET = frozenset({"resolutions", "results"})
# maps by name: one name more is one too many
BY_NAME = frozenset({"bets", "envy", "paid", "stakes", "hits", "meters", "shown"})


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
        extra = sorted(actual.keys() - expected.keys()) if field in BY_NAME else []
        fields = [line for key, value in expected.items() for line in _field(key, value, actual, path)]
        return fields + [f"{path}.{key}: not expected" for key in extra]
    if isinstance(expected, list) and isinstance(actual, list):
        return _list(expected, actual, path, field)
    same = type(expected) is type(actual) and expected == actual
    return [] if same else [f"{path}: expected {expected!r}, found {actual!r}"]


def _field(key: str, value: Any, actual: dict[str, Any], path: str) -> list[str]:
    return differences(value, actual[key], f"{path}.{key}", key) if key in actual else [f"{path}.{key}: missing"]


def _list(expected: list[Any], actual: list[Any], path: str, field: str) -> list[str]:
    if field in AS_SETS:
        expected, actual = sorted(expected, key=str), sorted(actual, key=str)
    if field in BY_BET:
        expected, actual = sorted(expected, key=_bet), sorted(actual, key=_bet)
    if len(expected) != len(actual):
        return [f"{path}: expected {len(expected)} entries, found {len(actual)}"]
    pairs = enumerate(zip(expected, actual, strict=True))
    return [line for number, (want, have) in pairs for line in differences(want, have, f"{path}[{number}]")]


def _bet(result: Any) -> str:
    return str(result.get("bet")) if isinstance(result, dict) else str(result)
