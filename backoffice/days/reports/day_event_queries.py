"""Events of a gaming day out of the log, also those of streams that have no day of their own."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject
from events import catalogue
from events.envelope import AnyEnvelope
from projections.eventlog.models import EventLog


class LoggedFact(NamedTuple):
    """An event, its position and its time."""

    position: int
    time: datetime
    event: AnyEnvelope


def logged(of: ReportSubject, types: Collection[str], since_its_begin: bool = False) -> Iterator[LoggedFact]:
    """Yield the day's events of these types; those of no day count to the day that had begun last. One query.

    `since_its_begin` yields all since the day began, for types that name their day in a field of their own.
    """
    condition = Q(position__gte=of.first)
    if not since_its_begin:
        later = Q() if of.until is None else Q(position__lt=of.until)
        condition = Q(gaming_day=of.day) | (Q(gaming_day=None) & condition & later)
    rows = EventLog.objects.filter(condition, type__in=types).order_by("position")
    for position, time, type_, raw in rows.values_list("position", "time", "type", "raw"):
        yield LoggedFact(position, time, catalogue.decode(type_, bytes(raw)))
