"""The cage by gaming day, for the report: its expected content at its close, and its count.

A day's expected figures begin with its opening count (in reports of the layouts 1 and 2: with the close of the last
day). Interim counts change nothing: their differences are discrepancies. The cage's work after its close belongs to
its next day, and is in the cage when that is opened.
"""

import msgspec
from msgspec.structs import replace

from events.accounting.cage_inventory import Cage, Holding, holding
from events.accounting.cage_inventory import evolve as moved
from events.accounting.event_types.cage import CageClosed, CageCount, CageOpened
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.report_rules_version_numbers import CAGE_FROM_OPENING, LAST

Tenders = tuple[int, int, int]  # chips, cash and markers, in minor units


class CageDay(msgspec.Struct, frozen=True, gc=False):
    """A day of the cage; `counted` once it is closed.

    `expected` is by movements alone since the close of the last day, `opened` the opening count less the expected.
    """

    expected: Holding
    counted: Holding | None = None
    opened: Tenders = (0, 0, 0)

    def expected_tenders(self, layout: int = LAST) -> Tenders:
        """The expected figures by the rules of a layout."""
        if layout < CAGE_FROM_OPENING:
            return self.expected.tenders
        chips, cash, marker = (due + beyond for due, beyond in zip(self.expected.tenders, self.opened, strict=True))
        return chips, cash, marker


class Cages(msgspec.Struct, frozen=True, gc=False):
    """Finished days, and the expected content of the cage by movements alone since the last of them."""

    over: dict[str, CageDay] = {}
    now: Cage = Cage()

    def cage_day(self, gaming_day: str) -> CageDay | None:
        """A day of it, None before it was opened."""
        if self.now.is_open and self.now.gaming_day == gaming_day:
            return CageDay(self.now.expected, None, self.now.opened)
        return self.over.get(gaming_day)


def evolve(cages: Cages, fact: AccountingEvent, slips: Slips) -> Cages:
    """The days after one more event; `slips` as they were before it."""
    if isinstance(fact.data, CageCount):
        return _count_cage(cages, fact.data)
    return replace(cages, now=moved(cages.now, fact, slips))


def _count_cage(cages: Cages, count: CageCount) -> Cages:
    now, actual = cages.now, holding(count)
    if not now.is_known:
        now = replace(now, expected=actual)
    if isinstance(count, CageOpened):
        opened = count_less_expected(now.expected, actual)
        return replace(cages, now=replace(now, gaming_day=count.gaming_day, is_open=True, opened=opened))
    if not isinstance(count, CageClosed):
        return cages
    over = {**cages.over, count.gaming_day: CageDay(now.expected, actual, now.opened)}
    return Cages(over, replace(now, expected=actual, is_open=False, opened=(0, 0, 0)))


def count_less_expected(expected: Holding, counted: Holding) -> Tenders:
    """Return the count less the expected figures, by tender; below zero where something is missing."""
    chips, cash, marker = (amount - due for amount, due in zip(counted.tenders, expected.tenders, strict=True))
    return chips, cash, marker
