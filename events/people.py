"""People and their roles, by opaque ids; names live in a directory that can be erased. Stream PROPERTY/people."""

from typing import ClassVar, get_args

import msgspec

from events import authority, catalogue
from events.approvals import Moment
from events.envelope import Action, ActionData, EventData, Who
from events.errors import Invalid, Refused
from events.fields import Name
from events.roles import Role, Rule
from events.store import Reader

ROLES: frozenset[str] = frozenset(get_args(Role))
ADMINISTRATOR: Role = "administrator"
CLAUSE = "house people"
RULES: dict[str, Rule] = {
    "role.grant": Rule(ask=("administrator",), excluded=("self",), clause=CLAUSE),
    "role.revoke": Rule(ask=("administrator",), clause=CLAUSE),
}


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


def decide(
    people: People, action: Action, data: ActionData, who: Who, moment: Moment, _beside: None = None
) -> list[EventData]:
    """Only an administrator grants and revokes, and never to himself; the first grant of all is the installer's.

    So there is always an administrator: the first grant makes one, and the last one stays.
    """
    if not isinstance(data, GrantRole | RevokeRole):
        raise Refused(CLAUSE, f"{action.type} is nothing that concerns people")
    if people.roles:
        authority.role_for("people", data.TYPE, who.roles)
    if data.role not in ROLES:
        raise Invalid("data.role", f"there is no role {data.role!r:.40}; there are: {', '.join(sorted(ROLES))}")
    if isinstance(data, GrantRole):
        _check_grant(people, data, who)
        return [RoleGranted(person=data.person, role=data.role)]
    _check_revocation(people, data)
    return [RoleRevoked(person=data.person, role=data.role)]


def _check_grant(people: People, data: GrantRole, who: Who) -> None:
    if not people.roles and data.role != ADMINISTRATOR:
        raise Refused(CLAUSE, f"the first of a house is its {ADMINISTRATOR}: whoever grants the other roles")
    if data.role in people.roles.get(data.person, frozenset()):
        raise Refused(CLAUSE, f"{data.person} is in the role {data.role} already")
    if people.roles and data.person == who.person:
        raise Refused(CLAUSE, "nobody grants a role to himself: another administrator does")


def _check_revocation(people: People, data: RevokeRole) -> None:
    if data.role not in people.roles.get(data.person, frozenset()):
        raise Refused(CLAUSE, f"{data.person} is not in the role {data.role}")
    others = [name for name, roles in people.roles.items() if ADMINISTRATOR in roles and name != data.person]
    if data.role == ADMINISTRATOR and not others:
        raise Refused(CLAUSE, f"{data.person} is the last {ADMINISTRATOR}: make another one first")


def evolve(people: People, event: EventData, actor: str = "") -> People:
    """The roles after the event, whoever it was (`actor`)."""
    if isinstance(event, RoleGranted):
        now = people.roles.get(event.person, frozenset()) | {event.role}
    elif isinstance(event, RoleRevoked):
        now = people.roles.get(event.person, frozenset()) - {event.role}
    else:
        return people
    return People({**people.roles, event.person: now})


def read(reader: Reader, property_: str) -> People:
    """The roles in force by all that the store holds."""
    people = People()
    for stored in reader.stream(f"{property_}/people"):
        people = evolve(people, catalogue.decode(stored.type, stored.raw).data)
    return people
