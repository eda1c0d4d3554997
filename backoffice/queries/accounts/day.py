"""The page of a gaming day: all that the accountant's morning needs, read at once."""

from collections.abc import Collection
from typing import Any

import msgspec

from backoffice.queries.accounts import blind
from backoffice.queries.accounts.boxes import BoxShown, boxes
from backoffice.queries.accounts.checks import Check, checks
from backoffice.queries.accounts.differences import Found, differences
from backoffice.queries.accounts.moments import Exceptional, HourShown, Late, Said, exceptions, hours, late, said
from backoffice.queries.accounts.report import Report, report
from backoffice.queries.accounts.shifts import Row, rows
from backoffice.queries.accounts.wins import Line, Wins, of_table, wins
from backoffice.queries.open_matters import times_of
from events.accounting.lines import TableFigures
from events.accounting.report.chips import too_many
from events.errors import Unknown
from projections.accounts.models import DayAccount


class SlipShown(msgspec.Struct, frozen=True, kw_only=True):
    """A slip of the day, or one that was open before; `transit_minor` is on its way."""

    kind: str
    number: int
    status: str
    table: str
    issued_minor: int
    received_minor: int | None
    transit_minor: int

    @property
    def is_as_issued(self) -> bool:
        """Return whether it is settled, and nothing is missing from it."""
        is_whole = self.received_minor in (None, self.issued_minor)
        return self.status != "open" and not self.transit_minor and is_whole


class InCage(msgspec.Struct, frozen=True):
    """What the cage should have held of a tender, and what was counted."""

    tender: str
    expected_minor: int | None
    counted_minor: int | None

    @property
    def difference_minor(self) -> int | None:
        """Counted less expected."""
        if self.expected_minor is None or self.counted_minor is None:
            return None
        return self.counted_minor - self.expected_minor


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """A gaming day for whoever closes it. `last_position` is the last event that its figures rest on (None: every
    event), `are_figures_sums` whether they rest on every event up to it."""

    day: str
    currency: str
    status: str
    restatement: int
    as_of: int
    last_position: int | None
    are_figures_sums: bool
    digest: str
    earlier: str | None
    later: str | None
    checks: tuple[Check, ...]
    wins: Wins | None
    found: tuple[Found, ...]
    boxes: tuple[BoxShown, ...]
    slips: tuple[SlipShown, ...]
    cage: tuple[InCage, ...]
    chips: dict[str, int | None]
    are_chips_sealed: bool  # those at the tables and with players, by what was bought in
    are_chips_too_many: bool  # more lie in the house than were issued; how many is what is with players
    hours: tuple[HourShown, ...]
    exceptions: tuple[Exceptional, ...]
    late: tuple[Late, ...]
    said: tuple[Said, ...]

    @property
    def failing(self) -> int:
        """How many items of the checklist stand in the way of the close."""
        return sum(one.state == "red" for one in self.checks)

    @property
    def blocking(self) -> tuple[Check, ...]:
        """The items that block the close."""
        return tuple(check for check in self.checks if check.state == "red")

    @property
    def passed(self) -> tuple[Check, ...]:
        """The items that do not."""
        return tuple(check for check in self.checks if check.state != "red")

    @property
    def unexplained(self) -> tuple[Found, ...]:
        """The discrepancies that nobody has explained yet."""
        return tuple(discrepancy for discrepancy in self.found if not discrepancy.is_explained)

    @property
    def boxes_to_see(self) -> tuple[BoxShown, ...]:
        """The boxes with a difference in a tender, and those that are not counted."""
        return tuple(box for box in self.boxes if not box.is_as_recorded)

    @property
    def boxes_alike(self) -> tuple[BoxShown, ...]:
        """The boxes that held what was recorded."""
        return tuple(box for box in self.boxes if box.is_as_recorded)

    @property
    def slips_to_see(self) -> tuple[SlipShown, ...]:
        """The slips that are open, and those that were received otherwise than issued."""
        return tuple(slip for slip in self.slips if not slip.is_as_issued)

    @property
    def slips_alike(self) -> tuple[SlipShown, ...]:
        """The other slips."""
        return tuple(slip for slip in self.slips if slip.is_as_issued)

    @property
    def cage_difference_minor(self) -> int | None:
        """Counted less expected over all tenders; None until the cage is counted."""
        apart = [tender.difference_minor for tender in self.cage]
        known = [difference for difference in apart if difference is not None]
        return sum(known) if known and len(known) == len(apart) else None

    @property
    def unnamed(self) -> tuple[Late, ...]:
        """What came after the close and counts for nothing yet."""
        return tuple(one for one in self.late if not one.named)


def day(name: str, roles: Collection[str] = ()) -> Day:
    """A gaming day as somebody in these roles may see it. Raises Unknown."""
    found = report(name)
    counts = blind.may_count(roles)
    earlier, later = _neighbours(name)
    reports = said(found.beside.reports)
    overridden = found.ledger.closings.overridden.get(name, {})
    places = _places(found, roles)
    return Day(
        day=name,
        currency=found.currency,
        status=found.status,
        restatement=found.said["restatement"],
        as_of=found.said["as_of"],
        last_position=found.last_position,
        are_figures_sums=found.are_figures_sums,
        digest=reports[-1].digest if reports else "",
        earlier=earlier,
        later=later,
        checks=checks(found) if found.status == "open" else (),
        wins=wins(found.tables, blind.sealed(found.beside.boxes, roles)),
        found=differences(found.rows.found, times_of({row.since for row in found.rows.found if row.since})),
        boxes=boxes(found.beside.boxes, _days(found), counts=counts),
        slips=_slips(found),
        cage=tuple(InCage(tender.removesuffix("_minor"), **both) for tender, both in found.said["cage"].items()),
        chips={name.removesuffix("_minor"): value for name, value in places.items()},
        are_chips_sealed=places is not found.said["chips"],
        are_chips_too_many=too_many(found.ledger, found.said["chips"]) > 0,
        hours=_hours(found, counts=counts),
        exceptions=exceptions(found.beside.irregularities, overridden.values(), name, found.currency),
        late=late(found.beside.late),
        said=reports,
    )


def _hours(found: Report, *, counts: bool) -> tuple[HourShown, ...]:
    """Without what was bought in, as long as a box of the day is sealed, or one that runs will be."""
    mine = (one for one in found.ledger.tables.values() if one.gaming_day == found.day)
    runs = counts and any(not one.is_closed for one in mine)
    shown = hours(found.beside.hours)
    if not runs and not any(blind.is_sealed(box, counts=counts) for box in found.beside.boxes):
        return shown
    return tuple(msgspec.structs.replace(one, bought_minor=None) for one in shown)


def _places(found: Report, roles: Collection[str]) -> dict[str, int | None]:
    """Where chips are. What trays should hold tells what boxes do, in whatever day's: of a closed day it is said."""
    places: dict[str, int | None] = found.said["chips"]
    if found.status != "open" or not blind.anywhere(roles):
        return places
    return {**places, "tables_minor": None, "players_minor": None}


class TableOfDay(msgspec.Struct, frozen=True, kw_only=True):
    """A table's gaming day by shift: every figure in its row. The rest is as in `Day`."""

    day: str
    currency: str
    status: str
    last_position: int | None
    are_figures_sums: bool
    table: TableFigures
    line: Line
    shifts: tuple[Line, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every figure, a cell a shift and one for the day."""
        return rows(self.shifts, self.line)


def table_of_day(name: str, table: str, roles: Collection[str] = ()) -> TableOfDay:
    """Raises Unknown."""
    found = report(name)
    mine = next((one for one in found.tables if one.table == table), None)
    if mine is None:
        raise Unknown(f"the table {table!r:.40} was not opened on the gaming day {name}")
    line, shifts = of_table(mine, blind.sealed(found.beside.boxes, roles))
    return TableOfDay(
        day=name,
        currency=found.currency,
        status=found.status,
        last_position=found.last_position,
        are_figures_sums=found.are_figures_sums,
        table=mine,
        line=line,
        shifts=shifts,
    )


def latest() -> str | None:
    """The last gaming day that is not closed; where all are, the last one."""
    rows = DayAccount.objects.order_by("is_closed", "-id").values_list("id", flat=True)
    return rows.first()


def _neighbours(name: str) -> tuple[str | None, str | None]:
    days = DayAccount.objects.values_list("id", flat=True)
    return days.filter(id__lt=name).order_by("-id").first(), days.filter(id__gt=name).order_by("id").first()


def _days(found: Report) -> list[Any]:
    return [one for one in found.ledger.tables.values() if one.gaming_day == found.day]


def _slips(found: Report) -> tuple[SlipShown, ...]:
    transit = {(one.kind, one.number): one.transit for one in found.ledger.slips.slips.values()}
    return tuple(
        SlipShown(**one, transit_minor=transit.get((one["kind"], one["number"]), 0)) for one in found.said["slips"]
    )
