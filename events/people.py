"""People and their roles, by opaque ids; names live in a directory that can be erased. Stream PROPERTY/people."""

from typing import ClassVar, get_args

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.errors import Forbidden, Invalid, Refused
from events.fields import Name
from events.roles import Role

ROLES: frozenset[str] = frozenset(get_args(Role))


class RoleGranted(EventData, frozen=True, kw_only=True):
    """From here on the person is in the role."""

    TYPE: ClassVar[str] = "role.granted.v1"
    person: str
    role: str


class RoleRevoked(EventData, frozen=True, kw_only=True):
    """From here on the person is in the role no more."""

    TYPE: ClassVar[str] = "role.revoked.v1"
    person: str
    role: str


class GrantRole(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give a person a role."""

    TYPE: ClassVar[str] = "role.grant"
    person: Name
    role: Name


class RevokeRole(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take a role from a person."""

    TYPE: ClassVar[str] = "role.revoke"
    person: Name
    role: Name


class People(msgspec.Struct, frozen=True):
    """The roles in force, by person."""

    roles: dict[str, frozenset[str]] = {}


def decide(people: People, action: Action, data: ActionData, who: Who) -> list[EventData]:
    """Only an administrator grants and revokes; the first grant of all is the installer's."""
    if not isinstance(data, GrantRole | RevokeRole):
        raise Refused("house people", f"{action.type} is nothing that concerns people")
    if people.roles and "administrator" not in who.roles:
        raise Forbidden("only an administrator grants and revokes roles")
    if data.role not in ROLES:
        raise Invalid("data.role", f"there is no role {data.role!r:.40}; there are: {', '.join(sorted(ROLES))}")
    held = data.role in people.roles.get(data.person, frozenset())
    if isinstance(data, GrantRole):
        if held:
            raise Refused("house people", f"{data.person} is in the role {data.role} already")
        return [RoleGranted(person=data.person, role=data.role)]
    if not held:
        raise Refused("house people", f"{data.person} is not in the role {data.role}")
    return [RoleRevoked(person=data.person, role=data.role)]


def evolve(people: People, event: EventData) -> People:
    """The roles after the event."""
    if isinstance(event, RoleGranted):
        now = people.roles.get(event.person, frozenset()) | {event.role}
    elif isinstance(event, RoleRevoked):
        now = people.roles.get(event.person, frozenset()) - {event.role}
    else:
        return people
    return People({**people.roles, event.person: now})
