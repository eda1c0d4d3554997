"""Closed gaming days, with their reports, overridden items and restatements."""

from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting.event_types.day_close import DayAmended, DayClosed, DayOverridden, OfReport
from events.accounting.event_with_position import AccountingEvent

TYPES = (DayClosed, DayAmended, DayOverridden)


class ClosedDay(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A closed day: the report it was closed with, and its restatements in order."""

    closed: DayClosed
    amended: tuple[DayAmended, ...] = ()

    @property
    def last(self) -> OfReport:
        """Return the report in force."""
        return self.amended[-1] if self.amended else self.closed

    @property
    def named(self) -> frozenset[str]:
        """The events that came after the close and count for the day."""
        return frozenset(event for amendment in self.amended for event in amendment.events)


class Closings(msgspec.Struct, frozen=True, gc=False):
    """By gaming day: closed days and overridden items, each with its event."""

    days: dict[str, ClosedDay] = {}
    overridden: dict[str, dict[str, DayOverridden]] = {}

    def closed_day(self, gaming_day: str) -> ClosedDay | None:
        """A closed day; None while it is open."""
        return self.days.get(gaming_day)


def evolve(closings: Closings, fact: AccountingEvent) -> Closings:
    """The days after one more event."""
    data: Any = fact.data
    if isinstance(data, DayClosed):
        return replace(closings, days={**closings.days, data.gaming_day: ClosedDay(closed=data)})
    if isinstance(data, DayAmended) and (before := closings.closed_day(data.gaming_day)) is not None:
        amended = replace(before, amended=(*before.amended, data))
        return replace(closings, days={**closings.days, data.gaming_day: amended})
    if isinstance(data, DayOverridden):
        items = {**closings.overridden.get(data.gaming_day, {}), data.item: data}
        return replace(closings, overridden={**closings.overridden, data.gaming_day: items})
    return closings
