"""What there is to go to: tables of the floor, progressives, and the last days, hits and slips."""

from backoffice.queries.floor import days as played
from events.slips import SlipIssued
from projections.eventlog.models import EventLog
from projections.floor.models import InstalledTable
from projections.progressives.models import Hit, Progressive

AT_MOST = 30


def tables() -> list[InstalledTable]:
    """Those that stand on the floor, by pit."""
    return list(InstalledTable.objects.order_by("pit", "table"))


def progressives() -> list[str]:
    """Their names."""
    return list(Progressive.objects.order_by("progressive").values_list("progressive", flat=True))


def days(limit: int) -> tuple[str, ...]:
    """The last that were played, newest first."""
    return played(limit=limit).days


def hits() -> list[tuple[str, str]]:
    """The last, newest first, each with its progressive."""
    found = Hit.objects.order_by("-position").values_list("stream", "hit")[:AT_MOST]
    return [(stream.rpartition("/")[2], hit) for stream, hit in found]


def slips() -> list[str]:
    """What the last ones are called, newest first."""
    found = EventLog.objects.filter(type=SlipIssued.TYPE).order_by("-position")
    return [one for one in found.values_list("correlation", flat=True)[:AT_MOST] if one]
