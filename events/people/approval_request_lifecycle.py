"""Approvals: an action beyond one person's authority becomes a request, and others approve it one by one.

The request keeps the whole action and the SHA-256 of its content. An approval names both, so that no unseen content is
approved. At the position of the last approval the action is judged again, with all of its people in their roles at that
time. A possible approver may decline, and the requester may withdraw. A request expires after a day, with the role of
the requester, and at a table when it closes.

Approving and declining need a fresh second factor. A request with a bare badge turns no key and names no roles. The
requester can turn that key later, by approving the request.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Literal, cast

import msgspec

from events import catalogue
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Conflict, Forbidden, NotApproved, OwnMatter, PitledgerError, Refused, Unknown
from events.fields import Hash, Id, Text
from events.people import authority
from events.text.translation_marker import translatable as _

MAX_OPEN = 1_000  # requests that wait in one stream
MAX_OF_ONE = 10  # of them, from one requester
STANDS_FOR = timedelta(hours=24)
CLAUSE = "house approval"
WORDS = {
    "approval.give": _("approve request"),
    "approval.decline": _("decline request"),
    "approval.withdraw": _("withdraw request"),
    "approval.requested": _("approval requested"),
    "approval.given": _("approval given"),
    "approval.declined": _("approval request declined"),
    "approval.withdrawn": _("approval request withdrawn"),
    "approval.lapsed": _("approval request expired"),
    "time": _("not approved in time"),
    "role": _("the requester lost the role"),
    "table closed": _("the table closed"),
    "cage closed": _("the cage closed"),
}


class TableFields(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The table of a request: the fields that every event of a table has."""

    pit: str | None = None
    table: str | None = None
    gaming_day: str | None = None
    shift: str | None = None
    ruleset: str | None = None
    round: int | None = None
    dealer: str | None = None
    inspector: str | None = None


class ApprovalRequested(TableFields, frozen=True, kw_only=True, omit_defaults=True):
    """A person asks for an action that others must approve. `request` is the action's key; it stands `until` then.

    `roles` are those in which the requester turned a key; none for a request without a fresh second factor.
    """

    TYPE: ClassVar[str] = "approval.requested.v1"
    request: str
    action: str
    input: dict[str, Any]
    content: str
    person: str
    roles: tuple[str, ...]
    until: str | None = None


class ApprovalGiven(TableFields, frozen=True, kw_only=True, omit_defaults=True):
    """One more person agrees, in the roles in force; `decided` where the decision follows in the same append."""

    TYPE: ClassVar[str] = "approval.given.v1"
    request: str
    content: str
    person: str
    roles: tuple[str, ...]
    decided: bool


class ApprovalDeclined(TableFields, frozen=True, kw_only=True, omit_defaults=True):
    """A possible approver declined: the request can no longer be approved."""

    TYPE: ClassVar[str] = "approval.declined.v1"
    request: str
    person: str
    roles: tuple[str, ...]
    reason: str


class ApprovalWithdrawn(TableFields, frozen=True, kw_only=True, omit_defaults=True):
    """The person withdrew the request."""

    TYPE: ClassVar[str] = "approval.withdrawn.v1"
    request: str
    person: str
    reason: str = ""


class ApprovalLapsed(TableFields, frozen=True, kw_only=True, omit_defaults=True):
    """A request lapsed: its time was over, the requester lost the role for it, or the table or the cage closed."""

    TYPE: ClassVar[str] = "approval.lapsed.v1"
    request: str
    why: Literal["time", "role", "table closed", "cage closed"]


class GiveApproval(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Approve a request as shown. `content` is the digest of the shown content."""

    TYPE: ClassVar[str] = "approval.give"
    request: Id
    content: Hash


class DeclineApproval(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Decline a request. It cannot be approved afterwards."""

    TYPE: ClassVar[str] = "approval.decline"
    request: Id
    reason: Text


class WithdrawApproval(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Withdraw your own request."""

    TYPE: ClassVar[str] = "approval.withdraw"
    request: Id
    reason: Text | None = None


class Request(msgspec.Struct, frozen=True):
    """A waiting request: the keys turned so far, as (person, role), one for each role in force then."""

    event: ApprovalRequested = msgspec.field(name="asked")
    people: tuple[tuple[str, str], ...]
    done: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return the people who have turned a key, each once; the requester first if asking counted as one."""
        return tuple(dict.fromkeys(name for name, _ in self.people))


class Moment(msgspec.Struct, frozen=True):
    """The moment of a decision: the store's time, the roles of all people, and the age limit of a second factor."""

    time: str
    roles: Mapping[str, frozenset[str]]
    fresh_s: int = authority.FRESH_S

    def people(self, *names: str) -> tuple[tuple[str, str], ...]:
        """Return these people as (person, role), one for each role in force."""
        return tuple((name, role) for name in names for role in sorted(self.roles.get(name, ())))


Requests = dict[str, Request]
Waiting = Mapping[str, Request]
Pairs = tuple[tuple[str, str], ...]  # (person, role), one for each role in force
# Return the events of people and their last approver; raise NotApproved while an approver is missing.
Judge = Callable[[Action, ActionData, Pairs], Sequence[EventData]]
Reading = Callable[[Action], ActionData]  # the data of a request
Answering = GiveApproval | DeclineApproval | WithdrawApproval
ANSWERING = (GiveApproval, DeclineApproval, WithdrawApproval)
_ANSWERING: frozenset[type[ActionData]] = frozenset(ANSWERING)  # every action is looked up in it


def content_of(action: str, data: dict[str, Any]) -> str:
    """Return the SHA-256 of the requested content, as the approver names it."""
    return hashlib.sha256(msgspec.json.encode([action, data], order="deterministic")).hexdigest()


# --- deciding, alone or not -------------------------------------------------------------------------------------------


def all_approvers(before: Pairs, actor: Who) -> Pairs:
    """Return all people who have approved, with this one."""
    return (*before, *((actor.person, role) for role in sorted(actor.roles)))


def decide(
    kind: str,
    requests: Waiting,
    action: Action,
    data: ActionData,
    actor: Who,
    moment: Moment,
    judge: Judge,
    *,
    most: int = MAX_OPEN,
    fields: Callable[[], dict[str, Any]] = dict,
    decode_action: Reading = catalogue.decode_action,
) -> list[EventData]:
    """Return the events of an action in a stream of this kind, the request that it becomes, or the result of an answer.

    `decode_action` gives the data of a request whose input is encrypted.
    `fields` gives the fields of every event of the stream. Raises Forbidden, SecondFactor, Refused, NotApproved
    without another possible approver, Unknown, Conflict.
    """
    authority.role_for(kind, data.TYPE, actor.roles)
    if type(data) in _ANSWERING:
        authority.require_factor(data.TYPE, actor, moment.fresh_s)
        return answer(requests, cast("Answering", data), actor, moment, judge, decode_action, **fields())
    try:
        events = [*judge(action, data, ())]
    except NotApproved as error:
        return ask(requests, action, actor, moment, error, most, **fields())
    if not authority.is_signed(data.TYPE, actor, moment.fresh_s):  # lawful, but not by a badge alone
        unsigned = authority.unsigned(data.TYPE, actor, moment.fresh_s)
        return ask(requests, action, actor, moment, unsigned, most, **fields())
    return events


# --- asking -----------------------------------------------------------------------------------------------------------


def ask(
    requests: Waiting,
    action: Action,
    actor: Who,
    moment: Moment,
    error: PitledgerError,
    most: int = MAX_OPEN,
    **fields: Any,
) -> list[EventData]:
    """Make a request of an action that is lawful but not by this person alone, and record expired ones.

    Raises `error` without a possible approver, Refused where too many requests wait already.
    """
    is_done = action.intent == "fact" and not (authority.may_wait(action.type) and isinstance(error, NotApproved))
    if is_done or not authority.agreeing(action.type):
        raise error
    lapses = lapsed(requests, moment, **fields)
    _check_room(requests, {lapse.request for lapse in lapses}, actor.person, most)
    return [*lapses, _requested(action, actor, moment, **fields)]


def _check_room(requests: Waiting, lapsed_requests: set[str], person: str, most: int) -> None:
    open_requests = [request for key, request in requests.items() if not request.done and key not in lapsed_requests]
    own_count = sum(request.event.person == person for request in open_requests)
    if own_count >= MAX_OF_ONE:
        raise Refused(CLAUSE, coded("own-requests-wait", count=own_count, person=person))
    if len(open_requests) >= most:
        raise Refused(CLAUSE, coded("too-many-requests-wait", count=most))


def _requested(action: Action, actor: Who, moment: Moment, **fields: Any) -> ApprovalRequested:
    """Return the event of a request; `fields` are those of its table (`TableFields`)."""
    content = msgspec.json.decode(action.data)
    until = datetime.fromisoformat(moment.time).astimezone(UTC) + STANDS_FOR
    return ApprovalRequested(
        request=action.key,
        action=action.type,
        input=content,
        content=content_of(action.type, content),
        person=actor.person,
        roles=tuple(sorted(actor.roles)) if authority.turns_by_asking(action.type, actor, moment.fresh_s) else (),
        until=until.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        **fields,
    )


# --- standing ---------------------------------------------------------------------------------------------------------


def why_lapsed(request: Request, moment: Moment) -> Literal["time", "role"] | None:
    """Return the reason why a request has expired at this moment; None while it is valid."""
    requested = request.event
    if requested.until is not None and requested.until <= moment.time:
        return "time"
    in_force = moment.roles.get(requested.person, frozenset())
    return "role" if in_force.isdisjoint(authority.roles_that_ask(requested.action)) else None


def lapsed(requests: Waiting, moment: Moment, **fields: Any) -> list[ApprovalLapsed]:
    """Return the expired requests whose expiry is not recorded yet."""
    reasons = [(key, why_lapsed(request, moment)) for key, request in requests.items() if not request.done]
    return [ApprovalLapsed(request=key, why=reason, **fields) for key, reason in reasons if reason is not None]


# --- answering --------------------------------------------------------------------------------------------------------


def answer(
    requests: Waiting,
    data: Answering,
    actor: Who,
    moment: Moment,
    judge: Judge,
    decode_action: Reading = catalogue.decode_action,
    **fields: Any,
) -> list[EventData]:
    """Return the result of an approval, a refusal or a withdrawal, and record other lapsed requests.

    Raises Unknown, Conflict, Forbidden or Refused.
    """
    request = _waiting_request(requests, data.request)
    if isinstance(data, WithdrawApproval):
        events = [_withdrawn(request, data, actor, **fields)]
    else:
        _check_standing(request, moment)
        _check_other(request, actor)
        if isinstance(data, DeclineApproval):
            if actor.person == request.event.person:
                raise OwnMatter(CLAUSE, coded("own-request", person=actor.person))
            _check_apart(request, moment, judge, decode_action)
            events = [_declined(request, data, actor, **fields)]
        else:
            events = _add_approval(request, data, actor, moment, judge, decode_action, **fields)
    return [*(lapse for lapse in lapsed(requests, moment, **fields) if lapse.request != data.request), *events]


def _waiting_request(requests: Waiting, key: str) -> Request:
    request = requests.get(key)
    if request is None:
        raise Unknown(coded("request-unknown", request=key))
    if request.done:
        raise Refused(CLAUSE, coded("request-decided"))
    return request


def _check_standing(request: Request, moment: Moment) -> None:
    requested, reason = request.event, why_lapsed(request, moment)
    if reason == "time":
        raise Refused(CLAUSE, coded("request-lapsed", until=requested.until))
    if reason == "role":
        raise Refused(CLAUSE, coded("request-lapsed-with-role", person=requested.person))


def _check_other(request: Request, actor: Who) -> None:
    if actor.person in request.names:
        raise Refused(CLAUSE, coded("approved-already", person=actor.person))
    authority.require_answer(request.event.action, actor.roles)


def _check_apart(request: Request, moment: Moment, judge: Judge, read: Reading) -> None:
    """Raise OwnMatter for a person whom the request concerns; any other obstacle does not prevent declining."""
    action = action_of(request)
    try:
        judge(action, read(action), moment.people(*request.names))
    except OwnMatter:
        raise
    except PitledgerError:
        pass


def _withdrawn(request: Request, data: WithdrawApproval, actor: Who, **fields: Any) -> EventData:
    if actor.person != request.event.person:
        raise Refused(CLAUSE, coded("request-of-another", person=request.event.person))
    return ApprovalWithdrawn(request=data.request, person=actor.person, reason=data.reason or "", **fields)


def _declined(request: Request, data: DeclineApproval, actor: Who, **fields: Any) -> EventData:
    roles = tuple(sorted(actor.roles))
    return ApprovalDeclined(request=data.request, person=actor.person, roles=roles, reason=data.reason, **fields)


def _add_approval(
    request: Request,
    data: GiveApproval,
    actor: Who,
    moment: Moment,
    judge: Judge,
    decode_action: Reading,
    **fields: Any,
) -> list[EventData]:
    """Add an approval, and judge the request again with the present roles of all its people.

    The judge raises Forbidden if the requester has not turned a key yet, after a request with a bare badge.
    """
    if request.event.content != data.content:
        raise Conflict(coded("request-changed"))
    action = action_of(request)
    decided: Sequence[EventData] = ()
    with suppress(NotApproved, Forbidden):
        decided = judge(action, decode_action(action), moment.people(*request.names))
    approval = ApprovalGiven(
        request=data.request,
        content=data.content,
        person=actor.person,
        roles=tuple(sorted(actor.roles)),
        decided=bool(decided),
        **fields,
    )
    return [approval, *decided]


def action_of(request: Request) -> Action:
    """Return the requested action, or the reported one that waits for others to confirm it."""
    return Action(
        intent="fact" if authority.may_wait(request.event.action) else "ask",
        type=request.event.action,
        key=request.event.request,
        data=msgspec.Raw(msgspec.json.encode(request.event.input)),
    )


# --- evolution by events ----------------------------------------------------------------------------------------------

EVENTS = (ApprovalRequested, ApprovalGiven, ApprovalDeclined, ApprovalWithdrawn, ApprovalLapsed)


def evolve(requests: Requests, event: EventData) -> Requests:
    """Return the requests after the event. A decided request is kept, so that it cannot be decided again."""
    if isinstance(event, ApprovalRequested):
        people = tuple((event.person, role) for role in event.roles)
        return {**requests, event.request: Request(event, people)}
    if isinstance(event, ApprovalGiven) and (request := requests.get(event.request)) is not None:
        people = (*request.people, *((event.person, role) for role in event.roles))
        return {**requests, event.request: msgspec.structs.replace(request, people=people, done=event.decided)}
    if isinstance(event, ApprovalDeclined | ApprovalWithdrawn | ApprovalLapsed):
        return {key: request for key, request in requests.items() if key != event.request}
    return requests
