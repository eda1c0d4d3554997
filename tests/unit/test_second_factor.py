"""An approver has shown a second factor recently. A badge alone may request, and approves nothing."""

import itertools
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events import catalogue
from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, AnyEnvelope, EventData, Who
from events.errors import SecondFactor
from events.people import approval_request_lifecycle, authority
from events.people.authority import FRESH_S
from events.people.role_grant_decider import RoleGranted
from events.settings.setting_declarations import Settings
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import PROPERTY, House, events_of

BLAZING = Target("progressives", "blazing")
CAP = {"level": "mega", "cap_minor": 9_000_000}
NOT_FRESH = [None, FRESH_S + 1]


@pytest.fixture
def house() -> Iterator[House]:
    house_ = House()
    yield house_
    house_.close()


def reply_to(house: House, person: str, factor_s: int | None, action: Action, target: Target = BLAZING) -> Reply:
    return house.desk.do(Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=factor_s)))[0]


def done(
    house: House, person: str, factor_s: int | None, action: Action, target: Target = BLAZING
) -> list[AnyEnvelope]:
    reply = reply_to(house, person, factor_s, action, target)
    assert not isinstance(reply, Problem), reply
    return events_of([reply])


def refused(house: House, person: str, factor_s: int | None, action: Action, target: Target = BLAZING) -> Problem:
    before = house.store.position()
    reply = reply_to(house, person, factor_s, action, target)
    assert isinstance(reply, Problem), reply
    assert house.store.position() == before, "a refusal leaves no event"
    assert (reply.status, reply.title) == (403, "Second factor"), reply
    return reply


def give(house: House, request: AnyEnvelope) -> Action:
    return house.action("approval.give", request=request.data.request, content=request.data.content)


def test_a_house_that_says_nothing_else_has_the_bound_of_the_settings() -> None:
    assert Settings().fresh_s == FRESH_S


@pytest.mark.parametrize("factor_s", NOT_FRESH)
def test_nobody_agrees_or_declines_without_a_fresh_factor(house: House, factor_s: int | None) -> None:
    [request] = done(house, "mark", 0, house.action("parameters.change", **CAP))
    refused(house, "anna", factor_s, give(house, request))
    decline = house.action("approval.decline", request=request.data.request, reason="no")
    problem = refused(house, "anna", factor_s, decline)
    assert ("Sign in" if factor_s is None else f"{FRESH_S} s; yours is {factor_s} s old") in problem.detail
    assert [event.type for event in done(house, "anna", FRESH_S, give(house, request))] == [
        "approval.given.v1",
        "parameters.changed.v1",
    ]


@pytest.mark.parametrize("factor_s", NOT_FRESH)
def test_who_asks_without_one_turns_no_key_and_may_turn_his_own_later(house: House, factor_s: int | None) -> None:
    [request] = done(house, "mark", factor_s, house.action("parameters.change", **CAP))
    assert request.data.roles == ()
    [other] = done(house, "anna", 0, give(house, request))
    assert not other.data.decided, "one key is turned, and the rule wants two"
    own = done(house, "mark", 0, give(house, request))
    assert [event.type for event in own] == ["approval.given.v1", "parameters.changed.v1"]
    assert {name for name, _ in own[1].data.approvals} == {"mark", "anna"}


def test_others_may_turn_both_keys_of_what_a_bare_badge_has_asked(house: House) -> None:
    [request] = done(house, "mark", None, house.action("parameters.change", **CAP))
    done(house, "anna", 0, give(house, request))
    events = done(house, "sven", 0, give(house, request))
    assert {name for name, _ in events[1].data.approvals} == {"sven", "anna"}


def test_a_department_that_has_asked_by_badge_only_is_still_waited_for(house: House) -> None:
    deposit = house.action("fund.deposit", level="mega", amount_minor=1_000, document="d-1")
    [request] = done(house, "cage", None, deposit)
    for person in ("paul", "sven"):
        [approval] = done(house, person, 0, give(house, request))
        assert not approval.data.decided, "neither the cage nor accounting has agreed"
    assert done(house, "cage", 0, give(house, request))[1].type == "fund.deposited.v1"


def test_who_has_asked_by_badge_may_withdraw_by_it(house: House) -> None:
    [request] = done(house, "mark", None, house.action("parameters.change", **CAP))
    [gone] = done(house, "mark", None, house.action("approval.withdraw", request=request.data.request))
    assert gone.type == "approval.withdrawn.v1"


@pytest.mark.parametrize("intent", ["ask", "fact"])
@pytest.mark.parametrize("factor_s", NOT_FRESH)
def test_what_nobody_else_could_agree_to_is_refused_however_it_is_told(intent: Any, factor_s: int | None) -> None:
    data = {"hit": "h", "gaming_day": "2026-11-20", "tender": "cash"}
    action = Action(type="jackpot.pay", key="k", intent=intent, data=msgspec.Raw(msgspec.json.encode(data)))
    cashier = Who(person="cage", roles=frozenset({"cage"}), factor_s=factor_s)
    moment = approval_request_lifecycle.Moment("2026-11-20T12:00:00.000Z", {})
    paid: list[EventData] = [RoleGranted(person="it", role="happened")]

    def decided(who: Who) -> list[EventData]:
        data = catalogue.decode_action(action)
        return approval_request_lifecycle.decide("progressives", {}, action, data, who, moment, lambda *_: paid)

    with pytest.raises(SecondFactor):
        decided(cashier)
    assert decided(msgspec.structs.replace(cashier, factor_s=0)) == paid


@pytest.mark.parametrize("factor_s", NOT_FRESH)
def test_roles_are_granted_and_revoked_with_one(house: House, factor_s: int | None) -> None:
    people = Target("people")
    for role in ("dealer", "cage"):
        refused(house, "adam", factor_s, house.action("role.grant", person="new", role=role), people)
    house.grant("new", "cage")
    refused(house, "adam", factor_s, house.action("role.revoke", person="new", role="cage"), people)


def test_dealers_and_who_reports_what_has_happened_need_none(house: House) -> None:
    house.open_table("FR1")
    done(house, "dora", None, house.action("round.open"), Target("tables", "FR1"))
    read = house.action("meter.read", level="mega", read_minor=5_000_000)
    assert done(house, "cora", None, read)[0].data.approvals == (("cora", "count"),)
    assert not any(authority.needs_factor(name) for name in ("payment.make", "buyin.make", "bet.correct", "drop.count"))


def test_a_question_is_answered_as_the_action_would_be(house: House) -> None:
    [request] = done(house, "mark", 0, house.action("parameters.change", **CAP))
    question = msgspec.structs.replace(give(house, request), intent="check")
    refused(house, "anna", None, question)


def test_the_house_says_how_long_a_factor_is_fresh(house: House) -> None:
    house.desk.close()
    house.desk = Desk(house.store, PROPERTY, fresh_s=30)
    [request] = done(house, "mark", 30, house.action("parameters.change", **CAP))
    assert request.data.roles
    refused(house, "anna", 31, give(house, request))


def test_another_key_is_demanded_of_every_rule_that_has_keys() -> None:
    for name, rule in authority.matrix().items():
        # What came late to a closed day is asked for by anybody; whoever agrees shows a factor (approval.give).
        assert authority.needs_factor(name.partition(",")[0]) or not rule.keys or rule.late, name
    assert authority.needs_factor("approval.give")
    money = (
        "jackpot.pay",
        "house.pay",
        "house.void",
        "meter.adjust",
        "fund.deposit",
        "variance.close",
        "hit.authorise",
    )
    assert all(authority.needs_factor(name) for name in money)


PEOPLE = st.sampled_from(["mark", "anna", "sven", "paul", "cora"])
AGES = st.sampled_from([None, 0, FRESH_S, FRESH_S + 1])
SPOKEN = st.tuples(PEOPLE, AGES)
_caps = itertools.count(9_000_000)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=SPOKEN, others=st.lists(SPOKEN, min_size=1, max_size=6))
def test_no_approval_is_accepted_whose_factor_was_not_fresh_when_it_was_asked(
    house: House, first: tuple[str, int | None], others: list[tuple[str, int | None]]
) -> None:
    """Every person named in a decision has sent one of its actions with a fresh factor."""
    [request] = done(house, *first, house.action("parameters.change", level="mega", cap_minor=next(_caps)))
    turned = {first[0]} if _is_fresh(first[1]) else set()
    assert bool(request.data.roles) == _is_fresh(first[1])
    for person, age in others:
        reply = reply_to(house, person, age, give(house, request))
        if isinstance(reply, Problem):
            continue
        assert _is_fresh(age), "an agreement is of whoever has shown a second factor"
        turned.add(person)
        _, *decided = events_of([reply])
        assert all({name for name, _ in event.data.approvals} <= turned for event in decided)
        if decided:
            return
    done(house, first[0], None, house.action("approval.withdraw", request=request.data.request))


def _is_fresh(age: int | None) -> bool:
    return age is not None and age <= FRESH_S
