"""Events of a gaming day out of the log, also those of streams that have no day of their own."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from backoffice.queries.reports.of_day import Of
from events import catalogue
from events.envelope import AnyEnvelope
from projections.eventlog.models import EventLog


class Logged(NamedTuple):
    """An event, where it stands, and when it happened."""

    position: int
    time: datetime
    event: AnyEnvelope


def logged(of: Of, types: Collection[str], since_its_begin: bool = False) -> Iterator[Logged]:
    """Those of the day; what belongs to none stands on the day that had begun last when it was said. `since_its_begin`:
    all of these that were said since the day began, for what names its day itself. One query."""
    said = Q(position__gte=of.first)
    if not since_its_begin:
        later = Q() if of.until is None else Q(position__lt=of.until)
        said = Q(gaming_day=of.day) | (Q(gaming_day=None) & said & later)
    rows = EventLog.objects.filter(said, type__in=types).order_by("position")
    for position, time, type_, raw in rows.values_list("position", "time", "type", "raw"):
        yield Logged(position, time, catalogue.decode(type_, bytes(raw)))
