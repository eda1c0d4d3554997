"""Who may still agree to a request: by the rules that the deciders judge by."""

from collections.abc import Callable
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from events.progressives import facts as f
from events.progressives.approvals import has_lead, has_lead_and_watch, has_two_departments
from events.roles import DEPARTMENT

SOMEBODY, ANOTHER = "\0", "\1"  # no person has such a name
Enough = Callable[[f.People], bool]


class Hit(msgspec.Struct, frozen=True):
    """What counts of the hit that is asked about."""

    dealer: str
    is_over_limit: bool


class Agreeing(msgspec.Struct, frozen=True):
    """Roles of which one more person suffices (`is_last`), or brings the request on; and who may not."""

    roles: tuple[str, ...]
    departments: tuple[str, ...]
    is_last: bool
    but: tuple[tuple[str, str], ...]  # (person, why)


def agreeing(action: str, data: dict[str, Any], people: list[tuple[str, str]], hit: Hit | None) -> Agreeing:
    """Who may agree to this, after these people have spoken."""
    enough, spoken = _enough(action, data, hit), tuple(f.Person(*one) for one in people)
    last = tuple(role for role in DEPARTMENT if enough((*spoken, f.Person(SOMEBODY, role))))
    found = last or tuple(role for role in DEPARTMENT if _brings_on(enough, spoken, role))
    but = {name: _("has spoken") for name, _role in people}
    if hit is not None and hit.dealer:
        but[hit.dealer] = _("the round's dealer")
    departments = tuple(dict.fromkeys(DEPARTMENT[role] for role in found))
    return Agreeing(found, departments, bool(last), tuple(but.items()))


def _brings_on(enough: Enough, spoken: f.People, role: str) -> bool:
    more = (*spoken, f.Person(SOMEBODY, role))
    return any(enough((*more, f.Person(ANOTHER, other))) for other in DEPARTMENT) and not any(
        enough((*spoken, f.Person(ANOTHER, other))) for other in DEPARTMENT
    )


def _enough(action: str, data: dict[str, Any], hit: Hit | None) -> Enough:
    dealer, over = (hit.dealer, hit.is_over_limit) if hit else ("", False)
    if action == "hit.authorise":
        return lambda by: has_lead(by, dealer) and (not over or has_lead_and_watch(by, dealer))
    if action == "hit.void":
        return lambda by: has_lead_and_watch(by, dealer)
    if action == "fund.deposit":
        return lambda by: has_two_departments(by) and _has(by, "cage", "accounting")
    if action in ("house.pay", "house.void") or (action == "variance.close" and data.get("way") == "paid"):
        return lambda by: has_two_departments(by) and _has(by, "cage")
    if action == "variance.close" and data.get("way") == "misread":
        return lambda by: has_two_departments(by) and _has(by, "accounting")
    return has_two_departments


def _has(by: f.People, *departments: str) -> bool:
    return any(DEPARTMENT.get(person.role) in departments for person in by)
