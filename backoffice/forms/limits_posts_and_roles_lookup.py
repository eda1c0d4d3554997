"""Present state from the log: limits at a table, people at its posts, the roles of a person."""

from collections.abc import Mapping
from typing import Any

import msgspec

from events.people.role_grant_decider import RoleGranted, RoleRevoked
from events.tables.event_types.session import LimitsPosted, PersonalLimitSet, StaffAssigned, StaffLeft
from projections.eventlog.models import EventLog

Values = Mapping[str, Any]


class _EventData(msgspec.Struct):
    data: dict[str, Any]


_decoder = msgspec.json.Decoder(_EventData)


def limits(stream: str) -> Values:
    """Return the posted limits; none before the first."""
    return _last(stream, {LimitsPosted.TYPE})


def personal_limit(stream: str, player: str, seat: int, wager: str | None) -> Values:
    """The player's own at that seat, of one kind of bet or of no certain one."""
    return _last(stream, {PersonalLimitSet.TYPE}, player=player, seat=seat, wager=wager)


def holder(stream: str, post: str) -> str:
    """Return the person at the post; "" for no one."""
    last = _last(stream, {StaffAssigned.TYPE, StaffLeft.TYPE}, post=post)
    return "" if last.get("type") == StaffLeft.TYPE else str(last.get("person", ""))


def roles(property_: str, person: str) -> tuple[str, ...]:
    """Return the roles of a person."""
    granted: set[str] = set()
    kinds = {RoleGranted.TYPE, RoleRevoked.TYPE}
    rows = EventLog.objects.filter(stream=f"{property_}/people", type__in=kinds).order_by("version")
    for kind, raw in rows.values_list("type", "raw"):
        data = _decoder.decode(bytes(raw)).data
        if data["person"] == person:
            (granted.add if kind == RoleGranted.TYPE else granted.discard)(data["role"])
    return tuple(sorted(granted))


def _last(stream: str, types: set[str], **wanted: Any) -> Values:
    """Return the data of the last event of these types with these values."""
    rows = EventLog.objects.filter(stream=stream, type__in=types).order_by("-position")
    for kind, raw in rows.values_list("type", "raw").iterator(100):
        data = _decoder.decode(bytes(raw)).data
        if all(data.get(name) == value for name, value in wanted.items()):
            return {**data, "type": kind}
    return {}
