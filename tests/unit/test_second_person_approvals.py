"""Requests and their ends: approval, refusal, withdrawal, time, and the requester's role. Without any stream."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from events.envelope import Action, ActionData, EventData, Who
from events.errors import Forbidden, NotApproved, Refused, Unknown
from events.people import approval_request_lifecycle
from events.people.approval_request_lifecycle import (
    MAX_OF_ONE,
    Answering,
    ApprovalGiven,
    ApprovalLapsed,
    ApprovalRequested,
    DeclineApproval,
    GiveApproval,
    Moment,
    Requests,
    WithdrawApproval,
)
from events.people.role_grant_decider import RoleGranted

ROLES = {
    "mark": frozenset({"progressive manager"}),
    "anna": frozenset({"accountant"}),
    "sven": frozenset({"surveillance"}),
    "dora": frozenset({"dealer"}),
}
ERROR = NotApproved("house progressive", "somebody else must approve")
HAPPENED = RoleGranted(person="it", role="happened")
NOON, EVENING, NEXT_NOON = "2026-11-20T12:00:00.000Z", "2026-11-20T20:00:00.000Z", "2026-11-21T12:00:00.000Z"


def moment(time: str = EVENING, **changed: str) -> Moment:
    return Moment(time, {**ROLES, **{name: frozenset({role}) for name, role in changed.items()}})


def who(person: str) -> Who:
    return Who(person=person, roles=ROLES[person], factor_s=0)


def asking(requests: Requests, person: str = "mark", key: str = "k1", at: Moment | None = None) -> list[EventData]:
    data = msgspec.Raw(msgspec.json.encode({"level": "mega", "cap_minor": 9_000_000}))
    action = Action(type="parameters.change", key=key, data=data)
    return approval_request_lifecycle.ask(requests, action, who(person), at or moment(NOON), ERROR)


def after(events: Sequence[EventData], requests: Requests | None = None) -> Requests:
    open_requests = requests or {}
    for event in events:
        open_requests = approval_request_lifecycle.evolve(open_requests, event)
    return open_requests


def open_request(person: str = "mark") -> Requests:
    return after(asking({}, person))


def give(requests: Requests, key: str = "k1") -> GiveApproval:
    return GiveApproval(request=key, content=requests[key].event.content)


def answer(
    requests: Requests, data: Answering, person: str, at: Moment | None = None, need: int = 1
) -> list[EventData]:
    """Answer a request. `need` is the number of people who must have answered before."""

    def judge(_action: Action, _data: ActionData, before: tuple[tuple[str, str], ...]) -> list[EventData]:
        if len({name for name, _ in before}) < need:
            raise ERROR
        return [HAPPENED]

    return approval_request_lifecycle.answer(requests, data, who(person), at or moment(), judge)


def test_a_request_says_until_when_it_stands() -> None:
    [event] = asking({})
    assert isinstance(event, ApprovalRequested)
    assert event.until == NEXT_NOON


def test_with_the_agreement_that_suffices_it_happens() -> None:
    requests = open_request()
    approval, happened = answer(requests, give(requests), "anna")
    assert (isinstance(approval, ApprovalGiven), happened) == (True, HAPPENED)
    with pytest.raises(Refused, match="decided already"):
        answer(after([approval], requests), give(requests), "sven")


@pytest.mark.parametrize(("time", "stands"), [("2026-11-21T11:59:59.999Z", True), (NEXT_NOON, False)])
def test_it_lapses_after_a_day(time: str, stands: bool) -> None:
    requests = open_request()
    if stands:
        assert answer(requests, give(requests), "anna", moment(time))[-1] is HAPPENED
        return
    with pytest.raises(Refused, match="The request has lapsed: its time ended at"):
        answer(requests, give(requests), "anna", moment(time))
    assert approval_request_lifecycle.lapsed(requests, moment(time)) == [ApprovalLapsed(request="k1", why="time")]


def test_a_request_from_before_there_was_a_bound_stands() -> None:
    [event] = asking({})
    old = after([msgspec.structs.replace(event, until=None)])
    assert answer(old, give(old), "anna", moment("2030-01-01T00:00:00.000Z"))[-1] is HAPPENED


def test_it_falls_with_the_role_of_who_asked_whatever_he_is_now() -> None:
    requests = open_request()
    for role in ("dealer", "administrator"):
        with pytest.raises(Refused, match="The request has lapsed: mark lost the role that may ask for this"):
            answer(requests, give(requests), "anna", moment(mark=role))
    assert answer(requests, give(requests), "anna", moment(mark="inspector"))[-1] is HAPPENED


def test_who_agreed_and_is_in_no_role_any_more_does_not_count() -> None:
    requests = open_request()
    requests = after(answer(requests, give(requests), "anna", need=2), requests)
    assert answer(requests, give(requests), "sven", need=2)[-1] is HAPPENED
    gone = Moment(EVENING, {name: roles for name, roles in ROLES.items() if name != "anna"})
    [approval] = answer(requests, give(requests), "sven", gone, need=2)
    assert isinstance(approval, ApprovalGiven)
    assert not approval.decided


def test_what_has_lapsed_is_said_with_the_next_request_or_answer() -> None:
    requests = open_request()
    late = moment("2026-11-22T12:00:00.000Z")
    lapsed, event = asking(requests, "anna", "k2", late)
    assert lapsed == ApprovalLapsed(request="k1", why="time")
    both = after([event], requests)
    events = answer(both, WithdrawApproval(request="k2"), "anna", late)
    assert [type(event).__name__ for event in events] == ["ApprovalLapsed", "ApprovalWithdrawn"]
    assert after(events, both) == {}


def test_a_quota_a_person() -> None:
    requests: Requests = {}
    for number in range(MAX_OF_ONE):
        requests = after(asking(requests, "mark", f"m{number}"), requests)
    with pytest.raises(Refused, match="Withdraw one first"):
        asking(requests, "mark", "one-more")
    requests = after(asking(requests, "anna", "a1"), requests)
    later = asking(requests, "mark", "one-more", moment("2026-11-23T00:00:00.000Z"))
    assert len(later) == MAX_OF_ONE + 2, "what has lapsed does not count, and is said to have"


@pytest.mark.parametrize(
    ("data", "person", "error"),
    [
        (DeclineApproval(request="k1", reason="no"), "mark", Refused),
        (DeclineApproval(request="k1", reason="no"), "dora", Forbidden),
        (DeclineApproval(request="k2", reason="no"), "anna", Unknown),
        (WithdrawApproval(request="k1"), "anna", Refused),
        (WithdrawApproval(request="k2"), "mark", Unknown),
    ],
)
def test_not_everybody_ends_a_request(data: Any, person: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        answer(open_request(), data, person)


@pytest.mark.parametrize(
    ("data", "person"), [(DeclineApproval(request="k1", reason="no"), "sven"), (WithdrawApproval(request="k1"), "mark")]
)
def test_what_is_declined_or_withdrawn_is_gone(data: Any, person: str) -> None:
    requests = open_request()
    assert after(answer(requests, data, person), requests) == {}


def test_what_nobody_could_agree_to_is_not_asked_for() -> None:
    for action in (Action(type="jackpot.pay", key="k"), Action(type="round.void", key="k", intent="fact")):
        with pytest.raises(NotApproved):
            approval_request_lifecycle.ask({}, action, who("mark"), moment(), ERROR)
