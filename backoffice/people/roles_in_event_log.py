"""The roles of a person in the event log: as current as the read models, like the figures of a form."""

import msgspec

from events.people.role_grant_decider import RoleGranted, RoleRevoked
from projections.eventlog.models import EventLog


class _LoggedRole(msgspec.Struct):
    person: str
    role: str


class _RoleEvent(msgspec.Struct):
    data: _LoggedRole


_decoder = msgspec.json.Decoder(_RoleEvent)


def logged_roles(property_: str, person: str) -> tuple[str, ...]:
    """Return the roles of a person."""
    granted: set[str] = set()
    kinds = {RoleGranted.TYPE, RoleRevoked.TYPE}
    rows = EventLog.objects.filter(stream=f"{property_}/people", type__in=kinds).order_by("version")
    for kind, raw in rows.values_list("type", "raw"):
        data = _decoder.decode(bytes(raw)).data
        if data.person == person:
            (granted.add if kind == RoleGranted.TYPE else granted.discard)(data.role)
    return tuple(sorted(granted))
