"""Exact amounts: integers, or fractions written "n/d" in lowest terms. No float comes near money."""

import re
from fractions import Fraction
from typing import TypeAlias

from events.error_codes import coded
from events.errors import Invalid

Amount: TypeAlias = int | Fraction

_FRACTION = re.compile(r"-?\d{1,40}(/\d{1,40})?")


def parse(value: object, field: str = "amount") -> Amount:
    """Read an integer or an "n/d" string; a whole fraction becomes an int. Raises Invalid for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Invalid(field, coded("integer-or-fraction-needed"))
    if isinstance(value, int):
        return value
    if not _FRACTION.fullmatch(value) or (value.partition("/")[2].strip("0") == "" and "/" in value):
        raise Invalid(field, coded("not-integer-or-fraction", value=value[:40]))
    return simple(Fraction(value))


def simple(value: Amount) -> Amount:
    """The same amount, as an int where it is whole."""
    return value if type(value) is int or value.denominator != 1 else value.numerator


def render(value: Amount) -> int | str:
    """Return the JSON form: an int, or "n/d" in lowest terms."""
    value = simple(value)
    return value if isinstance(value, int) else f"{value.numerator}/{value.denominator}"
