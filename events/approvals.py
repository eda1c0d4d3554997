"""Approvals: what one person may not decide alone is asked for, and others agree to it, each for himself.

The request keeps the action whole and the SHA-256 of its content; whoever approves names both, so that nobody
approves what he did not see. The action is judged again, with all of them, at the position of the last approval.
"""

import hashlib
from typing import Any, ClassVar

import msgspec

from events.envelope import Action, ActionData, EventData
from events.errors import Conflict, NotApproved, Refused, Unknown
from events.fields import Hash, Id

MAX_OPEN = 1_000  # requests that wait in one stream


class AtTable(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Where it is asked, when that is a table: the fields that every event of a table has."""

    pit: str | None = None
    table: str | None = None
    gaming_day: str | None = None
    shift: str | None = None
    ruleset: str | None = None
    round: int | None = None
    dealer: str | None = None
    inspector: str | None = None


class ApprovalRequested(AtTable, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody asks for something that others must agree to. `request` is the action's key."""

    TYPE: ClassVar[str] = "approval.requested.v1"
    request: str
    action: str
    input: dict[str, Any]
    content: str
    person: str
    roles: tuple[str, ...]


class ApprovalGiven(AtTable, frozen=True, kw_only=True, omit_defaults=True):
    """One more person agrees, in the roles in force; `decided` where the decision follows in the same append."""

    TYPE: ClassVar[str] = "approval.given.v1"
    request: str
    content: str
    person: str
    roles: tuple[str, ...]
    decided: bool


class GiveApproval(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Agree to a request, naming the hash of the content that was shown."""

    TYPE: ClassVar[str] = "approval.give"
    request: Id
    content: Hash


class Request(msgspec.Struct, frozen=True):
    """A request that waits: who asked and who agreed so far, as (person, role), one for each role in force."""

    asked: ApprovalRequested
    people: tuple[tuple[str, str], ...]
    done: bool = False


Requests = dict[str, Request]


def content_of(action: str, data: dict[str, Any]) -> str:
    """SHA-256 of what is asked, as the approver names it."""
    return hashlib.sha256(msgspec.json.encode([action, data], order="deterministic")).hexdigest()


def requested(action: Action, person: str, roles: frozenset[str], **where: Any) -> ApprovalRequested:
    """The event of a request; `where` is the table's (`AtTable`)."""
    given = msgspec.json.decode(action.data)
    return ApprovalRequested(
        request=action.key,
        action=action.type,
        input=given,
        content=content_of(action.type, given),
        person=person,
        roles=tuple(sorted(roles)),
        **where,
    )


def find(requests: Requests, data: GiveApproval, person: str) -> Request:
    """The request that this person may agree to. Raises Unknown, Conflict for another content, or Refused."""
    request = requests.get(data.request)
    if request is None:
        raise Unknown(f"no request {data.request!r:.60} waits for approval here")
    if request.asked.content != data.content:
        raise Conflict("the request has another content than was approved: look again")
    if request.done:
        raise Refused("house approval", "this request was decided already")
    if any(name == person for name, _ in request.people):
        raise Refused("house approval", f"{person} has spoken already: somebody else must approve")
    return request


def given(data: GiveApproval, person: str, roles: frozenset[str], *, decided: bool, **where: Any) -> ApprovalGiven:
    """The event of an approval."""
    return ApprovalGiven(
        request=data.request,
        content=data.content,
        person=person,
        roles=tuple(sorted(roles)),
        decided=decided,
        **where,
    )


def action_of(request: Request) -> Action:
    """The action that was asked for."""
    return Action(
        type=request.asked.action,
        key=request.asked.request,
        data=msgspec.Raw(msgspec.json.encode(request.asked.input)),
    )


def evolve(requests: Requests, event: EventData) -> Requests:
    """The requests after the event. One that is decided is kept, so that it cannot be decided again."""
    if isinstance(event, ApprovalRequested):
        people = tuple((event.person, role) for role in event.roles)
        return {**requests, event.request: Request(event, people)}
    if isinstance(event, ApprovalGiven) and (found := requests.get(event.request)) is not None:
        people = (*found.people, *((event.person, role) for role in event.roles))
        return {**requests, event.request: msgspec.structs.replace(found, people=people, done=event.decided)}
    return requests


__all__ = ["ApprovalGiven", "ApprovalRequested", "GiveApproval", "NotApproved", "Request", "Requests"]
