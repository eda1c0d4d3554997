"""Present state of a table in the event log: posted and personal limits, people at its posts."""

from collections.abc import Mapping
from typing import Any

import msgspec

from events.tables.event_types.session import LimitsPosted, PersonalLimitSet, StaffAssigned, StaffLeft
from projections.eventlog.models import EventLog

Values = Mapping[str, Any]


class _EventData(msgspec.Struct):
    data: dict[str, Any]


_decoder = msgspec.json.Decoder(_EventData)


def limits(stream: str) -> Values:
    """Return the posted limits; none before the first."""
    return _last_event_data(stream, {LimitsPosted.TYPE})


def personal_limit(stream: str, player: str, seat: int, wager: str | None) -> Values:
    """The player's own at that seat, of one kind of bet or of no certain one."""
    return _last_event_data(stream, {PersonalLimitSet.TYPE}, player=player, seat=seat, wager=wager)


def holder(stream: str, post: str) -> str:
    """Return the person at the post; "" for no one."""
    last = _last_event_data(stream, {StaffAssigned.TYPE, StaffLeft.TYPE}, post=post)
    return "" if last.get("type") == StaffLeft.TYPE else str(last.get("person", ""))


def _last_event_data(stream: str, types: set[str], **wanted: Any) -> Values:
    """Return the data of the last event of these types with these values."""
    rows = EventLog.objects.filter(stream=stream, type__in=types).order_by("-position")
    for kind, raw in rows.values_list("type", "raw").iterator(100):
        data = _decoder.decode(bytes(raw)).data
        if all(data.get(name) == value for name, value in wanted.items()):
            return {**data, "type": kind}
    return {}
