"""The meter: contributions of stakes, display, value after a lock. Pure; `settle` and the house run the same functions.

A live meter is kept in whole parts of a minor unit (`scale` of them), a settlement case's in exact fractions of one.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar

Part = TypeVar("Part", int, Fraction)


def contributed_units(rate: Part, stakes: Iterable[int]) -> Part:
    """Return the contribution of a round's stakes: all of them feed, before a card is dealt (BLZ-13)."""
    return rate * sum(stakes)


def displayed_minor(meter: int | Fraction, scale: int = 1) -> int:
    """Return the display: floored to the minor unit, and never below 0."""
    return max(meter // scale, 0)


def meter_after_shares(meter: Part, seed: Part, amount_minor: int, scale: int = 1) -> Part:
    """Return the meter after the shares are taken: a remainder that cannot be shared stays above the seed (004
    L55-61)."""
    return meter + seed - amount_minor * scale
