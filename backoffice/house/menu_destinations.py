"""Destinations of the menu: tables of the floor, progressives, and the last days, hits and slips."""

from backoffice.tables.floor import days as played
from events.controls.slip_numbers import SlipIssued
from projections.eventlog.models import EventLog
from projections.floor.models import InstalledTable
from projections.progressives.models import Hit, Progressive

AT_MOST = 30


def tables() -> list[InstalledTable]:
    """Return the tables on the floor, by pit."""
    return list(InstalledTable.objects.order_by("pit", "table"))


def progressives() -> list[str]:
    """Their names."""
    return list(Progressive.objects.order_by("progressive").values_list("progressive", flat=True))


def days(limit: int) -> tuple[str, ...]:
    """The last that were played, newest first."""
    return played(limit=limit).days


def hits() -> list[tuple[str, str]]:
    """Return the last hits, newest first, each with its progressive."""
    newest = Hit.objects.order_by("-position").values_list("stream", "hit")[:AT_MOST]
    return [(stream.rpartition("/")[2], hit) for stream, hit in newest]


def slips() -> list[str]:
    """Return the names of the last slips, newest first."""
    issued = EventLog.objects.filter(type=SlipIssued.TYPE).order_by("-position")
    return [name for name in issued.values_list("correlation", flat=True)[:AT_MOST] if name]
