"""The page of a gaming day: all content for the accountant's close, read at once."""

from collections.abc import Collection
from typing import Any

import msgspec

from backoffice.days.close_checklist_items_in_words import Check, checks
from backoffice.days.day_report_from_rows import DayFigures, report
from backoffice.days.discrepancies_in_words import DiscrepancyShown, differences
from backoffice.days.drop_box_count_comparison import BoxShown, boxes
from backoffice.days.figure_rows_by_shift import FigureRow, rows
from backoffice.days.hour_exception_and_late_event_content import (
    DayException,
    HourShown,
    LateEventShown,
    ReportShown,
    exceptions,
    hours,
    late_events_shown,
    shown_reports,
)
from backoffice.days.table_and_recorded_win_lines import DayWins, WinLine, of_table, wins
from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.times_by_position import times_of
from events.accounting.report.chip_value_by_place import too_many
from events.accounting.win_report_lines import TableFigures
from events.error_codes import coded
from events.errors import Unknown
from projections.accounts.discrepancy_and_box_count_rows import OF_TRAYS
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


class CageTender(msgspec.Struct, frozen=True):
    """Expected and counted amount of a tender in the cage."""

    tender: str
    expected_minor: int | None
    counted_minor: int | None

    @property
    def difference_minor(self) -> int | None:
        """Counted less expected."""
        if self.expected_minor is None or self.counted_minor is None:
            return None
        return self.counted_minor - self.expected_minor


class DayPage(msgspec.Struct, frozen=True, kw_only=True):
    """A gaming day for a person who closes it. `last_position` is the last event in its figures (None: every event).

    `are_figures_sums`: its figures have every event up to that position.
    """

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
    wins: DayWins | None
    discrepancies: tuple[DiscrepancyShown, ...]
    boxes: tuple[BoxShown, ...]
    slips: tuple[SlipShown, ...]
    cage: tuple[CageTender, ...]
    chips: dict[str, int | None]
    are_chips_sealed: bool  # chips at the tables and with players, by recorded buy-ins
    # the house has more chips than were issued; the surplus is the amount below zero with players
    are_chips_too_many: bool
    hours: tuple[HourShown, ...]
    exceptions: tuple[DayException, ...]
    late: tuple[LateEventShown, ...]
    reports: tuple[ReportShown, ...]

    @property
    def failing(self) -> int:
        """Return the number of checks that block the close."""
        return sum(check.state == "red" for check in self.checks)

    @property
    def blocking(self) -> tuple[Check, ...]:
        """The items that block the close."""
        return tuple(check for check in self.checks if check.state == "red")

    @property
    def passed(self) -> tuple[Check, ...]:
        """Return the items that do not block it."""
        return tuple(check for check in self.checks if check.state != "red")

    @property
    def exception_count(self) -> int:
        """Return the number of exceptional events; a line of several counts as several."""
        return sum(exceptional.number or 1 for exceptional in self.exceptions)

    @property
    def unexplained(self) -> tuple[DiscrepancyShown, ...]:
        """The discrepancies that no one has explained yet."""
        return tuple(discrepancy for discrepancy in self.discrepancies if not discrepancy.is_explained)

    @property
    def unexplained_minor(self) -> int | None:
        """Return the part of the difference without a cause, as the floor shows it; None until every table is compared.

        Differences of a table's tray and boxes have a cause once accounting has explained all of them.
        """
        lines = [line for line, _ in self.wins.tables if line.recorded] if self.wins else []
        if not lines or any(line.rest_minor is None for line in lines):
            return None
        differences = [row for row in self.discrepancies if row.kind in (*OF_TRAYS, "box")]
        explained = {row.table for row in differences} - {row.table for row in differences if not row.is_explained}
        counts = (
            (line.drop_part_minor or 0) + (line.inventory_minor or 0) for line in lines if line.name not in explained
        )
        return sum(line.rest_minor or 0 for line in lines) + sum(counts)

    @property
    def boxes_to_see(self) -> tuple[BoxShown, ...]:
        """The boxes with a difference in a tender, and those that are not counted."""
        return tuple(box for box in self.boxes if not box.is_as_recorded)

    @property
    def boxes_alike(self) -> tuple[BoxShown, ...]:
        """Return the boxes whose content equals the recorded amounts."""
        return tuple(box for box in self.boxes if box.is_as_recorded)

    @property
    def slips_to_see(self) -> tuple[SlipShown, ...]:
        """The slips that are open, and those that were received differently from issued."""
        return tuple(slip for slip in self.slips if not slip.is_as_issued)

    @property
    def slips_alike(self) -> tuple[SlipShown, ...]:
        """Return the slips that were received as issued."""
        return tuple(slip for slip in self.slips if slip.is_as_issued)

    @property
    def cage_difference_minor(self) -> int | None:
        """Counted less expected over all tenders; None until the cage is counted."""
        differences = [tender.difference_minor for tender in self.cage]
        known_differences = [difference for difference in differences if difference is not None]
        return sum(known_differences) if known_differences and len(known_differences) == len(differences) else None

    @property
    def unnamed(self) -> tuple[LateEventShown, ...]:
        """Return the events after the close that no restatement includes yet."""
        return tuple(event for event in self.late if not event.named)


def day(name: str, roles: Collection[str] = ()) -> DayPage:
    """Return a gaming day as a person in these roles may see it. Raises Unknown."""
    day_report = report(name)
    counts = figures_hidden_before_counts.may_count(roles)
    earlier, later = _neighbours(name)
    reports = shown_reports(day_report.other_rows.reports)
    overridden = day_report.ledger.closings.overridden.get(name, {})
    places = _places(day_report, roles)
    return DayPage(
        day=name,
        currency=day_report.currency,
        status=day_report.status,
        restatement=day_report.figures["restatement"],
        as_of=day_report.figures["as_of"],
        last_position=day_report.last_position,
        are_figures_sums=day_report.are_figures_sums,
        digest=reports[-1].digest if reports else "",
        earlier=earlier,
        later=later,
        checks=checks(day_report) if day_report.status == "open" else (),
        wins=wins(day_report.tables, figures_hidden_before_counts.sealed(day_report.other_rows.boxes, roles)),
        discrepancies=differences(
            day_report.rows.discrepancies, times_of({row.since for row in day_report.rows.discrepancies if row.since})
        ),
        boxes=boxes(day_report.other_rows.boxes, _days(day_report), counts=counts),
        slips=_slips(day_report),
        cage=tuple(
            CageTender(tender.removesuffix("_minor"), **both) for tender, both in day_report.figures["cage"].items()
        ),
        chips={name.removesuffix("_minor"): value for name, value in places.items()},
        are_chips_sealed=places is not day_report.figures["chips"],
        are_chips_too_many=too_many(day_report.ledger, day_report.figures["chips"]) > 0,
        hours=_hours(day_report, counts=counts),
        exceptions=exceptions(day_report.other_rows.irregularities, overridden.values(), name, day_report.currency),
        late=late_events_shown(day_report.other_rows.late),
        reports=reports,
    )


def _hours(day_report: DayFigures, *, counts: bool) -> tuple[HourShown, ...]:
    """Return the hours of the day; without buy-ins while a box of the day is sealed or will be."""
    tables_of_day = (table for table in day_report.ledger.tables.values() if table.gaming_day == day_report.day)
    runs = counts and any(not table.is_closed for table in tables_of_day)
    hour_rows = hours(day_report.other_rows.hours)
    if not runs and not any(
        figures_hidden_before_counts.is_sealed(box, counts=counts) for box in day_report.other_rows.boxes
    ):
        return hour_rows
    return tuple(msgspec.structs.replace(hour, bought_minor=None) for hour in hour_rows)


def _places(day_report: DayFigures, roles: Collection[str]) -> dict[str, int | None]:
    """Return the places of chips, without tables and players while a box is hidden.

    Expected trays reveal the boxes of any day. A closed day shows all places.
    """
    places: dict[str, int | None] = day_report.figures["chips"]
    if day_report.status != "open" or not figures_hidden_before_counts.hides_any_box(roles):
        return places
    return {**places, "tables_minor": None, "players_minor": None}


class TableOfDay(msgspec.Struct, frozen=True, kw_only=True):
    """A table's gaming day by shift: every figure in its row. The other fields are as in `DayPage`."""

    day: str
    currency: str
    status: str
    last_position: int | None
    are_figures_sums: bool
    table: TableFigures
    line: WinLine
    shifts: tuple[WinLine, ...]

    @property
    def rows(self) -> tuple[FigureRow, ...]:
        """Every figure, a cell a shift and one for the day."""
        return rows(self.shifts, self.line)


def table_of_day(name: str, table: str, roles: Collection[str] = ()) -> TableOfDay:
    """Return one table's figures of a day. Raises Unknown."""
    day_report = report(name)
    table_figures = next((figures for figures in day_report.tables if figures.table == table), None)
    if table_figures is None:
        raise Unknown(coded("table-not-opened-on-day", table=table, day=name))
    line, shifts = of_table(table_figures, figures_hidden_before_counts.sealed(day_report.other_rows.boxes, roles))
    return TableOfDay(
        day=name,
        currency=day_report.currency,
        status=day_report.status,
        last_position=day_report.last_position,
        are_figures_sums=day_report.are_figures_sums,
        table=table_figures,
        line=line,
        shifts=shifts,
    )


def latest_open_day() -> str | None:
    """Return the latest open gaming day, or the latest of all if every day is closed."""
    rows = DayAccount.objects.order_by("is_closed", "-id").values_list("id", flat=True)
    return rows.first()


def _neighbours(name: str) -> tuple[str | None, str | None]:
    days = DayAccount.objects.values_list("id", flat=True)
    return days.filter(id__lt=name).order_by("-id").first(), days.filter(id__gt=name).order_by("id").first()


def _days(day_report: DayFigures) -> list[Any]:
    return [table for table in day_report.ledger.tables.values() if table.gaming_day == day_report.day]


def _slips(day_report: DayFigures) -> tuple[SlipShown, ...]:
    transit = {(slip.kind, slip.number): slip.transit for slip in day_report.ledger.slips.slips.values()}
    return tuple(
        SlipShown(**slip, transit_minor=transit.get((slip["kind"], slip["number"]), 0))
        for slip in day_report.figures["slips"]
    )
