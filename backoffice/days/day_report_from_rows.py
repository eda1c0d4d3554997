"""The report of a gaming day from the rows: of an open day as it is now, of a closed one as last reported."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from django.db.models import Q

from backoffice.days import system_state_for_day_close
from backoffice.event_log import figures_hidden_before_counts
from events.accounting.report.closing_checklist import CheckedItem, DayObstacles, checklist
from events.accounting.report.property_ledger_fold import Ledger
from events.accounting.win_report_lines import TableFigures
from events.error_codes import coded
from events.errors import Unknown
from events.fields import is_day
from events.money.single_currency_rule import DEFAULT
from projections.accounts.cage_and_slip_rows import NOW
from projections.accounts.day_accounts_from_rows import DayRows, day_state, figures, ledger, now_of
from projections.accounts.models import (
    AccountsNow,
    BoxAccount,
    CageAccount,
    DayAccount,
    DayReport,
    FoundAccount,
    LateEvent,
    PaperAccount,
    SlipAccount,
    TableHour,
)
from projections.combined_query import read_together
from projections.floor.models import Irregularity
from projections.matters.models import Variance
from projections.progressives.models import Hit
from projections.tables.models import TableDay


class OtherRows(msgspec.Struct, kw_only=True):
    """Rows about a day outside its accounts."""

    boxes: list[BoxAccount]
    hours: list[TableHour]
    reports: list[DayReport]
    late: list[LateEvent]
    irregularities: list[Irregularity]
    hits: list[Hit]
    variances: list[Variance]


class DayFigures(msgspec.Struct, kw_only=True):
    """A gaming day: `figures` are the figures of the canonical report, `ledger` the present accounts."""

    day: str
    status: str  # open, closed, restated
    figures: dict[str, Any]
    tables: Sequence[TableFigures]
    ledger: Ledger
    rows: DayRows
    other_rows: OtherRows

    @property
    def currency(self) -> str:
        """Return the currency of the day."""
        return self.figures["currency"] or DEFAULT

    @property
    def last_position(self) -> int | None:
        """The last event that the figures rest on; None while the day is open: every event."""
        return self.figures["as_of"] or None

    @property
    def are_figures_sums(self) -> bool:
        """False where a restatement left out an event that came before it: its figures are no sum over a range."""
        return not any(not late.named and late.position <= self.figures["as_of"] for late in self.other_rows.late)

    @property
    def checks(self) -> list[CheckedItem]:
        """Return the checklist, with the current state of the house's programs."""
        hits = tuple(hit.hit for hit in self.other_rows.hits)
        cases = tuple(f"{variance.stream.rpartition('/')[2]} {variance.case}" for variance in self.other_rows.variances)
        return checklist(
            self.ledger,
            self.day,
            system_state_for_day_close.read_system_state(),
            DayObstacles(hits, cases, system_state_for_day_close.journal_broken(self.day)),
        )


def report(day: str) -> DayFigures:
    """Return the report of a day. Raises Unknown for a day without records. Three queries."""
    own_rows = day_rows(day) if is_day(day) else None
    if own_rows is None:
        raise Unknown(coded("day-without-events", day=day))
    other_rows = _other_rows(day)
    day_figures = msgspec.json.decode(other_rows.reports[-1].figures) if other_rows.reports else figures(own_rows, 0)
    return DayFigures(
        day=day,
        status=_status(own_rows, other_rows),
        figures=day_figures,
        tables=msgspec.convert(day_figures["tables"], list[TableFigures]),
        ledger=ledger(own_rows),
        rows=own_rows,
        other_rows=other_rows,
    )


def last_report(day: str, roles: Collection[str]) -> dict[str, Any]:
    """Return the canonical figures with status and digest, without those of the progressives and the journal.

    Raises Unknown for a day that is not closed, and while it contains figures hidden from these roles.
    """
    day_report = report(day)
    if day_report.status == "open":
        raise Unknown(coded("day-report-not-closed", day=day))
    counts = figures_hidden_before_counts.may_count(roles)
    if any(figures_hidden_before_counts.is_sealed(box, counts=counts) for box in day_report.other_rows.boxes):
        raise Unknown(coded("day-report-sealed", day=day))
    last = day_report.ledger.closings.days[day].last
    return {**day_report.figures, "layout": last.layout, "status": day_report.status, "digest": last.digest}


def day_rows(day: str, using: str = "default") -> DayRows | None:
    """Return the rows about a gaming day; None for an unknown day. Two queries."""
    days, nows = read_together(
        DayAccount.objects.using(using).filter(id=day), AccountsNow.objects.using(using).filter(id=NOW)
    )
    if not days:
        return None
    now = nows[0] if nows else None
    latest = [*now_of(now).latest.values()]
    slips_of_day = Q(gaming_day=day) | Q(settled_at=None) | Q(gaming_day__lt=day, settled_at__gte=days[0].first)
    tables, slips, discrepancies, cage, papers = read_together(
        TableDay.objects.using(using).filter(Q(gaming_day=day) | Q(id__in=latest)).order_by("table"),
        SlipAccount.objects.using(using).filter(slips_of_day, number__gt=0).order_by("kind", "year", "number"),
        FoundAccount.objects.using(using).filter(gaming_day=day).order_by("position"),
        CageAccount.objects.using(using).filter(id=day),
        PaperAccount.objects.using(using).filter(gaming_day=day),
    )
    return DayRows(
        day=days[0], now=now, tables=tables, slips=slips, discrepancies=discrepancies, cage=cage, papers=papers
    )


def _status(day_rows: DayRows, others: OtherRows) -> str:
    if day_state(day_rows.day).closing is None:
        return "open"
    return "restated" if others.reports and others.reports[-1].number else "closed"


def _other_rows(day: str) -> OtherRows:
    row_lists = read_together(
        BoxAccount.objects.filter(gaming_day=day).order_by("table", "put_at"),
        TableHour.objects.filter(gaming_day=day).order_by("hour", "table"),
        DayReport.objects.filter(gaming_day=day).order_by("number"),
        LateEvent.objects.filter(gaming_day=day).order_by("position"),
        Irregularity.objects.filter(gaming_day=day).order_by("position"),
        Hit.objects.filter(status="pending", gaming_day__lte=day).order_by("position"),
        Variance.objects.filter(closed_at=None).order_by("position"),
    )
    return OtherRows(**dict(zip(OtherRows.__struct_fields__, row_lists, strict=True)))
