"""Requests that wait for approval, and the people who may still approve one.

A row does not offer a requested action again. The deciders' own rules (`events/people/authority.py`) choose the
possible approvers.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from events.people import authority
from events.people.authority import People
from events.roles import DEPARTMENT, AuthorityRule
from events.runtime import clock
from projections.matters.models import ApprovalRequest


class OpenRequest(msgspec.Struct, frozen=True):
    """A request of an action that no one has decided; `position` is its event's, `fields` are the action's data."""

    stream: str
    person: str
    position: int
    fields: dict[str, Any]

    def is_for(self, places: Iterable[str], fields: Mapping[str, object]) -> bool:
        """Return whether its stream has these names, such as a gaming day, and its data these values."""
        names = self.stream.split("/")
        return all(place in names for place in places) and all(
            str(self.fields.get(name)) == str(value) for name, value in fields.items()
        )


def open_requests(action: str) -> list[OpenRequest]:
    """Return the requests of this action that wait, oldest first."""
    rows = ApprovalRequest.objects.filter(action=action, decided_at=None).order_by("position")
    return [
        OpenRequest(row.stream, row.person, row.position, msgspec.json.decode(row.input))
        for row in rows
        if not row.until or datetime.fromisoformat(row.until) > clock.moment()
    ]


SOMEBODY, ANOTHER = "\0", "\1"  # no person has such a name


class RequestedHit(msgspec.Struct, frozen=True):
    """Facts of the requested hit that the rules depend on."""

    dealer: str
    is_over_limit: bool


class Approvers(msgspec.Struct, frozen=True):
    """Roles of which one more person suffices (`is_last`), or brings the request on; and who may not."""

    roles: tuple[str, ...]
    departments: tuple[str, ...]
    is_last: bool
    barred_people: tuple[tuple[str, str], ...]  # (person, why)


def agreeing(action: str, data: dict[str, Any], people: list[tuple[str, str]], hit: RequestedHit | None) -> Approvers:
    """Return the roles that may approve, after these people have answered."""
    rule, dealer = _rule(action, data, hit), hit.dealer if hit else ""
    spoken = [approval for approval in people if approval[0] != dealer]
    last = tuple(role for role in rule.key_roles if authority.suffices(rule, [*spoken, (SOMEBODY, role)]))
    roles = last or tuple(role for role in rule.key_roles if _brings_on(rule, spoken, role))
    barred_people = {name: _("has already approved") for name, _role in people}
    if "self" in rule.excluded and "person" in data:
        barred_people[data["person"]] = _("the request concerns this person")
    if dealer:
        barred_people[dealer] = _("the round's dealer")
    departments = tuple(dict.fromkeys(DEPARTMENT[role] for role in roles if role in DEPARTMENT))
    return Approvers(roles, departments, bool(last), tuple(barred_people.items()))


def _brings_on(rule: AuthorityRule, spoken: People, role: str) -> bool:
    spoken_next = [*spoken, (SOMEBODY, role)]
    return any(authority.suffices(rule, [*spoken_next, (ANOTHER, other)]) for other in rule.key_roles) and not any(
        authority.suffices(rule, [*spoken, (ANOTHER, other)]) for other in rule.key_roles
    )


def _rule(action: str, data: dict[str, Any], hit: RequestedHit | None) -> AuthorityRule:
    case = f", {data.get('way')}" if action == "variance.close" else ""
    rules = authority.matrix()
    usual = rules.get(action + case, rules[action])
    if not usual.keys:  # requested, and not done: the case with keys
        usual = next((rule for rule in authority.rules_of(action) if rule.keys), usual)
    if hit is not None and hit.is_over_limit:
        return rules.get(f"{action}{case or ','} above the limit", usual)
    return usual
