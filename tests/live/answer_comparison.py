"""A live answer beside `settle`'s: exact amounts rounded as the house rounds them (ADR 14), field by field."""

from fractions import Fraction
from typing import Any

from events.games.cases import wrong

AMOUNTS = frozenset(
    {"profit", "returned", "in_prison", "commission", "net", "cash_value", "release_value", "handed_back", "to_player"}
)
UNSAID = "the table does not say"  # in a live answer: there is nothing to compare


def differences(expected: dict[str, Any], live: dict[str, Any], unit: int) -> list[str]:
    """Return the differences between `settle`'s answer and the table's, which is in minor units.

    The house rounds a fraction of a minor unit down.
    """
    if "error" in expected or "error" in live:
        return wrong(expected, live)
    rounded, exactly = _rounded({name: value for name, value in expected.items() if name != "why"}, unit)
    if not exactly:  # a sum of rounded amounts is not the rounded sum; each of them is compared
        rounded.pop("net", None)
    return wrong(_comparable_answer(rounded, live), live)


def _rounded(answer: Any, unit: int, field: str = "") -> tuple[Any, bool]:
    """The answer in minor units, rounded down, and whether that changed nothing."""
    if isinstance(answer, dict):
        parts = {name: _rounded(value, unit, name) for name, value in answer.items()}
        return {name: value for name, (value, _) in parts.items()}, all(exact for _, exact in parts.values())
    if isinstance(answer, list):
        items = [_rounded(value, unit, field) for value in answer]
        return [value for value, _ in items], all(exact for _, exact in items)
    if field in AMOUNTS and not isinstance(answer, bool) and answer is not None:
        exact = Fraction(answer) * unit
        return exact.__floor__(), exact.denominator == 1
    return answer, True


def _comparable_answer(expected: Any, live: Any) -> Any:
    """Return the expected answer without the fields that no table reports."""
    if isinstance(expected, dict) and isinstance(live, dict):
        return {
            name: _comparable_answer(value, live.get(name))
            for name, value in expected.items()
            if live.get(name) != UNSAID
        }
    if isinstance(expected, list) and isinstance(live, list) and len(expected) == len(live):
        return [_comparable_answer(want, have) for want, have in zip(expected, live, strict=True)]
    return expected
