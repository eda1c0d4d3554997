"""Shared parts of every game's cases: a case's amounts in the table's money, and the stored results of each bet."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from events.rules.screen_declarations import place_name
from tests.support.tables.robot_dealer import RefusedTap

SIGNS = {"bet.settled.v1": 1, "settlement.voided.v1": -1}
UNIT = 100  # minor units
Case = Mapping[str, Any]
Events = Callable[[], Sequence[Any]]  # the table's events as they are stored now
Differences = list[str]
SEATS = 7  # of a table where each bet of a case has a seat of its own


class NotPlayable(Exception):
    """A table cannot reach the beginning of the case, or the case is about another limit than the table's."""


def minor(amount: Any) -> Fraction:
    """An amount of a case, in minor units."""
    return Fraction(amount) * UNIT


def whole(amount: Any) -> int:
    """A stake of a case in minor units. Raises RefusedTap for one that no keypad can enter."""
    value = minor(amount)
    if value.denominator != 1 or value <= 0:
        raise RefusedTap(f"{amount} is no stake")
    return int(value)


def profits_of(events: Sequence[Any], key: Callable[[Any], Any]) -> dict[Any, int]:
    """Profit of all that was settled and not voided, by a key of the settlement."""
    sums: dict[Any, int] = {}
    for event in events:
        if (sign := SIGNS.get(event.type)) is not None:
            sums[key(event.data)] = sums.get(key(event.data), 0) + sign * event.data.profit_minor
    return sums


def compared(profits: Mapping[Any, int], expected: Mapping[Any, Any]) -> Differences:
    """A bet whose exact profit no coin pays is rounded by the house: it may differ by less than a minor unit."""
    return [
        f"{name}: {profits.get(name)} and not {minor(amount)}"
        for name, amount in expected.items()
        if name not in profits or abs(profits[name] - minor(amount)) >= 1
    ]


def place_of(bet: Case) -> str:
    """The name of the place of a case's bet."""
    return place_name(bet["type"], tuple(bet.get("numbers", ())), bet.get("which"), bet.get("number"))
