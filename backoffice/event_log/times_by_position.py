"""Times of events, by their positions."""

from collections.abc import Collection
from datetime import datetime

import msgspec

from projections.eventlog.models import EventLog


class EventTimes(msgspec.Struct, frozen=True):
    """Time of an event by its sender's clock, and of its recording by the house's."""

    time: datetime
    recorded: datetime

    @property
    def behind_s(self) -> float:
        """Return the seconds by which the sender's clock is behind, or the event late; below 0: ahead."""
        return (self.recorded - self.time).total_seconds()


def moments_of(positions: Collection[int]) -> dict[int, EventTimes]:
    """Return the times of these events and of their recording. One query."""
    rows = EventLog.objects.filter(position__in=set(positions)).values_list("position", "time", "recordedat")
    return {position: EventTimes(time, recorded) for position, time, recorded in rows}


def times_of(positions: Collection[int]) -> dict[int, datetime]:
    """Return the times of these events. One query."""
    return dict(EventLog.objects.filter(position__in=set(positions)).values_list("position", "time"))
