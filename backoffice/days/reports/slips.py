"""Slip accountability: every number from the first to the last that was issued on the day, and earlier open ones.

The list has no gap and no repeated number.
"""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

import msgspec
from django.db.models import Q

from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from events import catalogue
from events.accounting.fill_and_credit_slip_states import Slip
from events.accounting.report.paid_progressive_slips_fold import PaidSlip
from events.controls.slip_issued_event import SlipIssued
from events.rules.chip_sums_by_denomination import worth
from projections.accounts.models import PaperAccount, SlipAccount
from projections.eventlog.models import EventLog

_slip: msgspec.json.Decoder[Slip] = msgspec.json.Decoder(Slip)
_paper: msgspec.json.Decoder[PaidSlip] = msgspec.json.Decoder(PaidSlip)


def slips(of: ReportSubject) -> Iterator[Row]:
    """Yield fills and credits by series, with a line for each missing number, then payments of progressives.

    Three queries, and one for each series.
    """
    cage_slips = _of_the_cage(of)
    today = [slip for slip in cage_slips if slip.gaming_day == of.day]
    gaps = [gap for series in {(slip.kind, slip.year) for slip in today} for gap in _gaps(*series, today)]
    carried = _runners_by_slip({slip.gaming_day for slip in cage_slips})
    yield from sorted(
        [*(_slip_row(slip, carried) for slip in cage_slips), *gaps], key=itemgetter("kind", "series", "number")
    )
    papers = PaperAccount.objects.filter(gaming_day=of.day).order_by("id")
    yield from (_paid_slip_row(_paper.decode(row.state)) for row in papers)


def _of_the_cage(of: ReportSubject) -> list[Slip]:
    was_open = Q(gaming_day__lt=of.day) & (Q(settled_at=None) | Q(settled_at__gte=of.first))
    rows = SlipAccount.objects.filter(Q(gaming_day=of.day) | was_open, number__gt=0)
    return [_slip.decode(row.state) for row in rows]


def _gaps(kind: str, year: str, today: list[Slip]) -> Iterator[Row]:
    numbers = [slip.number for slip in today if (slip.kind, slip.year) == (kind, year)]
    between = range(min(numbers), max(numbers) + 1)
    issued = SlipAccount.objects.filter(kind=kind, year=year, number__gte=between[0], number__lte=between[-1])
    missing = {*between} - {*issued.values_list("number", flat=True)}
    for number in missing:
        yield {
            "kind": kind,
            "series": year,
            "number": number,
            "gaming_day": "",
            "table": "",
            "status": "missing",
            "issued_minor": None,
            "received_minor": None,
            "transit_minor": None,
            "runner": "",
        }


def _runners_by_slip(days: set[str]) -> dict[tuple[str, str, int], str]:
    """Return the runner by slip, where one was named at the issue."""
    rows = EventLog.objects.filter(gaming_day__in=days, type=SlipIssued.TYPE).values_list("raw", flat=True)
    issued: list[Any] = [catalogue.decode(SlipIssued.TYPE, bytes(raw)).data for raw in rows]
    return {(issue.kind, issue.year, issue.slip): issue.runner or "" for issue in issued}


def _slip_row(slip: Slip, runners: Mapping[tuple[str, str, int], str]) -> Row:
    received = None if slip.received is None or slip.void else worth(slip.received)
    return {
        "kind": slip.kind,
        "series": slip.year,
        "number": slip.number,
        "gaming_day": slip.gaming_day,
        "table": slip.table,
        "status": slip.status,
        "issued_minor": worth(slip.chips),
        "received_minor": received,
        "transit_minor": slip.transit,
        "runner": runners.get((slip.kind, slip.year, slip.number), ""),
    }


def _paid_slip_row(paper: PaidSlip) -> Row:
    return {
        "kind": paper.kind,
        "series": f"{paper.progressive} {paper.year}",
        "number": paper.number,
        "gaming_day": paper.gaming_day,
        "table": paper.table or "",
        "status": "void" if paper.is_void else "received",
        "issued_minor": paper.amount,
        "received_minor": None if paper.is_void else paper.amount,
        "transit_minor": 0,
        "runner": "",
    }
