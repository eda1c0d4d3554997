"""People and their roles, by opaque ids; names live in a directory that can be erased. Stream PROPERTY/people.

An administrator alone cannot create a person who turns keys. Surveillance is independent, and approves each of them and
every link that signs such a person in. Otherwise one person could act as both people of a decision.
"""

from collections.abc import Collection
from typing import ClassVar, get_args

import msgspec

from events import catalogue
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, OwnMatter, Refused
from events.fields import Name
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment, Requests
from events.roles import WATCH, AuthorityRule, Role
from events.store import EventReader

ROLES: frozenset[str] = frozenset(get_args(Role))
ADMINISTRATOR: Role = "administrator"
CLAUSE = "house people"
_TWO = AuthorityRule(ask=(ADMINISTRATOR,), keys=((ADMINISTRATOR,), WATCH), excluded=("asked", "self"), clause=CLAUSE)
TURNING_KEYS = "role.grant, of one that turns keys"
RULES: dict[str, AuthorityRule] = {
    "role.grant": AuthorityRule(ask=(ADMINISTRATOR,), signed=True, excluded=("self",), clause=CLAUSE),
    TURNING_KEYS: _TWO,
    "role.revoke": AuthorityRule(ask=(ADMINISTRATOR,), signed=True, clause=CLAUSE),
    "person.admit": _TWO,
}


class RoleGranted(EventData, frozen=True, kw_only=True):
    """The person has the role from this event on."""

    TYPE: ClassVar[str] = "role.granted.v1"
    person: str
    role: str


class RoleRevoked(EventData, frozen=True, kw_only=True):
    """From this event, the person no longer has the role."""

    TYPE: ClassVar[str] = "role.revoked.v1"
    person: str
    role: str


class PersonAdmitted(EventData, frozen=True, kw_only=True):
    """Two people agreed that the person, who turns keys, gets one link to sign in by."""

    TYPE: ClassVar[str] = "person.admitted.v1"
    person: str


class GrantRole(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Grant a role to a person."""

    TYPE: ClassVar[str] = "role.grant"
    person: Name
    role: Name


class RevokeRole(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Revoke a role of a person."""

    TYPE: ClassVar[str] = "role.revoke"
    person: Name
    role: Name


class AdmitPerson(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Request a sign-in link for a person who can approve: after a loss, or if one person alone let them in."""

    TYPE: ClassVar[str] = "person.admit"
    person: Name


class Admission(msgspec.Struct, frozen=True):
    """The last approval about a person: `request` of this action; one link can be made of it `until` then."""

    action: str
    request: str
    until: str


class People(msgspec.Struct, frozen=True):
    """The roles in force, by person; requests that wait for a second person; and the people who may be let in."""

    roles: dict[str, frozenset[str]] = {}
    requests: Requests = {}
    admitted: dict[str, Admission] = {}

    @property
    def is_watched(self) -> bool:
        """Return whether there is a possible approver: in surveillance, and no administrator. Once true, it stays
        true.
        """
        return any(_watches(roles) for roles in self.roles.values())

    def turns_keys(self, person: str) -> bool:
        """Return whether the person is in a role that turns keys."""
        return not authority.key_roles().isdisjoint(self.roles.get(person, ()))


def decide(
    people: People, action: Action, data: ActionData, actor: Who, moment: Moment, _context: None = None
) -> list[EventData]:
    """Decide a grant or revocation, by an administrator and never for the own roles; the first grant is the
    installer's.

    So there is always an administrator: the first grant makes one, and the last one stays; and so does the last of
    surveillance.
    """
    if not people.roles:
        return _judged(people, data, actor, ())
    if not isinstance(data, approval_request_lifecycle.ANSWERING):
        authority.role_for("people", data.TYPE, actor.roles)
        authority.require_factor(data.TYPE, actor, moment.fresh_s)

    def judge(action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> list[EventData]:
        return _judged(people, data, actor, approval_request_lifecycle.all_approvers(before, actor))

    return approval_request_lifecycle.decide("people", people.requests, action, data, actor, moment, judge)


def _judged(people: People, data: ActionData, actor: Who, spoken: approval_request_lifecycle.Pairs) -> list[EventData]:
    if isinstance(data, GrantRole):
        _check_grant(people, data, actor)
        if people.is_watched and data.role in authority.key_roles():
            _require_two(people, data.person, spoken)
        return [RoleGranted(person=data.person, role=data.role)]
    if isinstance(data, RevokeRole):
        _check_revocation(people, data)
        return [RoleRevoked(person=data.person, role=data.role)]
    if isinstance(data, AdmitPerson):
        _check_admission(people, data, actor)
        _require_two(people, data.person, spoken)
        return [PersonAdmitted(person=data.person)]
    raise Refused(CLAUSE, coded("not-an-action-of-people", action=data.TYPE))


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise Invalid("data.role", coded("role-unknown", role=role, roles=sorted(ROLES)))


def _check_grant(people: People, data: GrantRole, actor: Who) -> None:
    _check_role(data.role)
    if not people.roles and data.role != ADMINISTRATOR:
        raise Refused(CLAUSE, coded("first-is-administrator", role=ADMINISTRATOR), field="data.role")
    if data.role in people.roles.get(data.person, frozenset()):
        raise Refused(CLAUSE, coded("role-granted-already", person=data.person, role=data.role), field="data.role")
    if people.roles and data.person == actor.person:
        raise OwnMatter(CLAUSE, coded("own-role"), field="data.person")


def _check_revocation(people: People, data: RevokeRole) -> None:
    _check_role(data.role)
    held = people.roles.get(data.person, frozenset())
    if data.role not in held:
        raise Refused(CLAUSE, coded("role-not-granted", person=data.person, role=data.role), field="data.role")
    others = [roles for name, roles in people.roles.items() if name != data.person]
    if data.role == ADMINISTRATOR and not any(ADMINISTRATOR in roles for roles in others):
        raise Refused(CLAUSE, coded("last-administrator", person=data.person, role=ADMINISTRATOR), field="data.role")
    if _watches(held) and not _watches(held - {data.role}) and not any(map(_watches, others)):
        raise Refused(CLAUSE, coded("last-of-surveillance", person=data.person, role=WATCH[0]), field="data.role")


def _check_admission(people: People, data: AdmitPerson, actor: Who) -> None:
    if not people.is_watched or not people.turns_keys(data.person):
        raise Refused(CLAUSE, coded("link-needs-no-approval", person=data.person), field="data.person")
    if data.person == actor.person:
        raise OwnMatter(
            CLAUSE,
            coded("own-link"),
            field="data.person",
        )


def _require_two(people: People, about: str, spoken: approval_request_lifecycle.Pairs) -> None:
    """Raise NotApproved while surveillance has not agreed."""
    watching = {name for name, roles in people.roles.items() if _watches(roles)}
    authority.require(
        _TWO, [approver for approver in spoken if approver[1] not in WATCH or approver[0] in watching], {about}
    )


def _watches(roles: Collection[str]) -> bool:
    """Return whether a person of these roles is in surveillance; an administrator never counts as the second person."""
    return WATCH[0] in roles and ADMINISTRATOR not in roles


def evolve(people: People, event: EventData, actor: str = "") -> People:
    """Return the roles after the event of any actor."""
    if isinstance(event, RoleGranted):
        return _in_roles(people, event.person, people.roles.get(event.person, frozenset()) | {event.role})
    if isinstance(event, RoleRevoked):
        return _in_roles(people, event.person, people.roles.get(event.person, frozenset()) - {event.role})
    if isinstance(event, approval_request_lifecycle.EVENTS):
        agreed = _admitted(people, event) if isinstance(event, approval_request_lifecycle.ApprovalGiven) else {}
        requests = approval_request_lifecycle.evolve(people.requests, event)
        return msgspec.structs.replace(people, requests=requests, admitted={**people.admitted, **agreed})
    return people


def _in_roles(people: People, person: str, now: frozenset[str]) -> People:
    return msgspec.structs.replace(people, roles={**people.roles, person: now})


def _admitted(people: People, approval: approval_request_lifecycle.ApprovalGiven) -> dict[str, Admission]:
    """Return the admission of a person approved by two.

    A person with a new role that turns keys may be signed in for the first time, too.
    """
    request = people.requests.get(approval.request)
    if not approval.decided or request is None:
        return {}
    requested = request.event
    return {str(requested.input["person"]): Admission(requested.action, requested.request, requested.until or "")}


def read(history: EventReader, property_: str) -> People:
    """The roles in force by all that the store holds."""
    people = People()
    for stored in history.stream(f"{property_}/people"):
        people = evolve(people, catalogue.decode(stored.type, stored.raw).data)
    return people
