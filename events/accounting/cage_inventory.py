"""Expected content of the cage: chips by denomination, cash and markers, from its last count on.

Work after the cage's close belongs to its next day. Before the first opening nothing is known of the cage: the first
count opens its books.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import amounts_moved_at_cage
from events.accounting.amounts_moved_at_cage import CageAmount, CageContext, cage_amounts
from events.accounting.event_types.cage import CageClosed, CageCount, CageCounted, CageOpened
from events.accounting.event_types.soft_count import CountSettled, Figures
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.progressives.event_types import HousePaid
from events.rules.chip_sums_by_denomination import taken_away, total_pieces, worth
from events.tables.event_types.session import SessionOpened, SessionVoided


class Holding(msgspec.Struct, frozen=True, gc=False):
    """Content of the cage. `loose`: chips of unknown denominations, from jackpots that were paid in chips."""

    chips: dict[int, int] = {}
    cash: int = 0
    marker: int = 0
    loose: int = 0

    @property
    def chips_minor(self) -> int:
        """All chips, in minor units."""
        return worth(self.chips) + self.loose

    @property
    def total(self) -> int:
        """All of it, in minor units."""
        return self.chips_minor + self.cash + self.marker

    @property
    def tenders(self) -> tuple[int, int, int]:
        """Chips, cash and markers."""
        return self.chips_minor, self.cash, self.marker


class Cage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The cage: its gaming day, its expected content, and its last count.

    `begin` is the last day's closing count. `tables` have had their first float, each with the stream of that day and
    its opener. `paid` are house payments by slip, for later voids. `opened` is the opening count of the day less the
    expected chips, cash and markers; only the report's fold keeps it. `has_moved`: chips have moved since the last
    close.
    """

    gaming_day: str = ""
    is_open: bool = False
    expected: Holding = Holding()
    begin: Holding | None = None
    counted: Holding | None = None
    tables: dict[str, str] = {}
    floats: dict[str, dict[int, int]] = {}
    paid: dict[str, str] = {}
    opened: tuple[int, int, int] = (0, 0, 0)
    has_moved: bool = False

    @property
    def is_known(self) -> bool:
        """Return whether the cage was ever opened."""
        return bool(self.gaming_day)


Evolver = Callable[[Cage, AccountingEvent, Any], Cage]


def holding(count: CageCount) -> Holding:
    """Return the holding that a count found."""
    return Holding(count.chips, count.cash_minor, count.marker_minor)


def evolve(cage: Cage, fact: AccountingEvent, slips: Slips) -> Cage:
    """The cage after one more event; `slips` as they were before it."""
    if isinstance(fact.data, CageCount):
        return _count_cage(cage, fact.data)
    for movement in cage_amounts(fact.data, CageContext(slips, cage.paid)):
        cage = _move_cage_amount(cage, movement)
    evolver = _EVOLVERS.get(type(fact.data))
    return cage if evolver is None else evolver(cage, fact, fact.data)


# --- counts -----------------------------------------------------------------------------------------------------------


def _count_cage(cage: Cage, data: CageCount) -> Cage:
    actual = holding(data)
    cage = replace(cage, expected=actual, counted=actual)
    if isinstance(data, CageOpened):
        return replace(
            cage,
            gaming_day=data.gaming_day,
            is_open=True,
            begin=cage.begin if cage.begin is not None else actual,
        )
    if isinstance(data, CageClosed):
        return replace(cage, is_open=False, begin=actual, has_moved=False)
    return cage


# --- movements --------------------------------------------------------------------------------------------------------


def _move_cage_amount(cage: Cage, movement: CageAmount) -> Cage:
    if not cage.is_known:
        return cage
    by, loose = movement.moved, 0
    if movement.chips is None:
        loose = by("chips")
    else:
        cage = _chips(cage, movement.chips, -1 if by("chips") < 0 else 1)
    at = cage.expected
    expected = Holding(at.chips, at.cash + by("cash"), at.marker + by("markers"), at.loose + loose)
    return replace(cage, expected=expected, has_moved=cage.has_moved or loose != 0)


def _chips(cage: Cage, chips: Mapping[int, int], sign: int) -> Cage:
    if not cage.is_known:
        return cage
    change = total_pieces if sign > 0 else taken_away
    expected = replace(cage.expected, chips=change(cage.expected.chips, chips))
    return replace(cage, expected=expected, has_moved=cage.has_moved or any(chips.values()))


def _paid_by_house(cage: Cage, _fact: AccountingEvent, data: HousePaid) -> Cage:
    """Keep the tender: a later void gives it back in it."""
    return replace(cage, paid={**cage.paid, f"{data.slip_year}-{data.slip}": data.tender})


def _box_settled(cage: Cage, _fact: AccountingEvent, data: CountSettled) -> Cage:
    """Add the counted content to the cage; for a recount, the difference from the earlier count."""
    before = data.before or Figures()
    cage = _chips(_chips(cage, before.chips, -1), data.counted.chips, 1)
    if not cage.is_known:
        return cage
    at = cage.expected
    cash, marker = data.cash_minor - worth(before.cash), data.counted.marker_minor - before.marker_minor
    return replace(cage, expected=Holding(at.chips, at.cash + cash, at.marker + marker, at.loose))


def _table_opened(cage: Cage, fact: AccountingEvent, data: SessionOpened) -> Cage:
    """Take the first float of a new table from the cage. Later floats are the closers of the day before."""
    if data.table in cage.tables:
        return cage
    tables, floats = {**cage.tables, data.table: fact.stream}, {**cage.floats, data.table: data.opener}
    return _chips(replace(cage, tables=tables, floats=floats), data.opener, -1)


def _table_voided(cage: Cage, fact: AccountingEvent, data: SessionVoided) -> Cage:
    """A first day that was opened by mistake was none: its tray is back in the cage, also in one that opened since."""
    if cage.tables.get(data.table) != fact.stream:
        return cage
    opener = cage.floats.get(data.table, {})
    left = replace(cage, tables=_without_name(cage.tables, data.table), floats=_without_name(cage.floats, data.table))
    return _chips(left, opener, 1)


def _without_name(by_name: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in by_name.items() if key != name}


_EVOLVERS: Mapping[type[Any], Evolver] = {
    HousePaid: _paid_by_house,
    CountSettled: _box_settled,
    SessionOpened: _table_opened,
    SessionVoided: _table_voided,
}
TYPES: tuple[type[Any], ...] = (
    *amounts_moved_at_cage.TYPES,
    *(CountSettled, SessionOpened, SessionVoided, CageOpened, CageCounted, CageClosed),
)
