"""The cage by gaming day, for the report: what it should have held at its close, and what was counted then.

A day begins with what the last one was closed with; what the cage does after its close belongs to its next day. Counts
in between and at the opening change nothing of what a day expects: they are discrepancies of their own.
"""

import msgspec
from msgspec.structs import replace

from events.accounting.cage import Cage, Holding, holding
from events.accounting.cage import evolve as moved
from events.accounting.happened import Happened
from events.accounting.slips import Slips
from events.accounting.types.cage import CageClosed, CageCount, CageOpened


class CageDay(msgspec.Struct, frozen=True, gc=False):
    """A day of the cage; `counted` once it is closed."""

    expected: Holding
    counted: Holding | None = None


class Cages(msgspec.Struct, frozen=True, gc=False):
    """The days that are over, and what the cage should hold by movements alone since the last of them."""

    over: dict[str, CageDay] = {}
    now: Cage = Cage()

    def of(self, gaming_day: str) -> CageDay | None:
        """A day of it, None before it was opened."""
        if self.now.is_open and self.now.gaming_day == gaming_day:
            return CageDay(self.now.expected)
        return self.over.get(gaming_day)


def evolve(cages: Cages, fact: Happened, slips: Slips) -> Cages:
    """The days after one more event; `slips` as they were before it."""
    if isinstance(fact.data, CageCount):
        return _counted(cages, fact.data)
    return replace(cages, now=moved(cages.now, fact, slips))


def _counted(cages: Cages, said: CageCount) -> Cages:
    now, found = cages.now, holding(said)
    if not now.is_known:
        now = replace(now, expected=found)
    if isinstance(said, CageOpened):
        return replace(cages, now=replace(now, gaming_day=said.gaming_day, is_open=True))
    if not isinstance(said, CageClosed):
        return cages
    over = {**cages.over, said.gaming_day: CageDay(now.expected, found)}
    return Cages(over, replace(now, expected=found, is_open=False))
