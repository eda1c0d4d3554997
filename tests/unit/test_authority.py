"""The matrix: every action has a rule, and every role is held against it, cell by cell, at a real desk."""

import itertools
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from events import catalogue
from events.cases.decider import CLOSE_TWO, DESTROY
from events.errors import Forbidden, NotApproved
from events.people import authority
from events.people.role_grant_decider import ROLES
from events.roles import DEPARTMENT, AuthorityRule, Role
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from tests.support.houses.small_house import PROPERTY, House, progressive

MATRIX = authority.matrix()
STREAMS = tuple(stream_kind_declaration.declared())
TWO_KEYS = sorted(name for name, rule in MATRIX.items() if len(rule.keys) > 1)
NEVER = ("dealer", "auditor", "system")  # turn no key of anything
# An auditor approves a rest in a day's accounts, which nothing explains, and cases about surveillance.
BY_THE_AUDITOR = frozenset({"day.override, a rest", CLOSE_TWO, DESTROY})


def test_every_action_has_a_rule_and_no_other_has() -> None:
    actions_of_rules = {name.partition(",")[0] for name in MATRIX} | set(authority.ANSWERS)
    assert actions_of_rules == set(catalogue.action_types())


@pytest.mark.parametrize("name", sorted(MATRIX))
def test_a_rule_can_be_satisfied_by_people_who_may_ask_and_agree(name: str) -> None:
    rule = MATRIX[name]
    assert set(rule.ask) <= ROLES
    assert set(rule.key_roles) <= ROLES
    assert not rule.keys or any(
        authority.suffices(rule, [(f"p{n}", role) for n, role in enumerate(roles)])
        for roles in itertools.product(*rule.keys)
    )


@pytest.mark.parametrize("name", TWO_KEYS)
def test_no_key_is_a_dealers_or_an_auditors(name: str) -> None:
    auditor = {"auditor"} if name in BY_THE_AUDITOR else set()
    assert set(MATRIX[name].key_roles) & set(NEVER) == auditor


@pytest.mark.parametrize("name", TWO_KEYS)
def test_nobody_turns_two_keys_whatever_his_roles(name: str) -> None:
    assert not authority.suffices(MATRIX[name], [("all", role) for role in sorted(ROLES)])


def _two(rule: AuthorityRule, role: str, other: str) -> bool:
    """Return whether the rule accepts two roles, calculated independently of the code."""
    first, second = rule.keys
    if rule.by_departments and DEPARTMENT.get(role) == DEPARTMENT.get(other):
        return False
    return (role in first and other in second) or (other in first and role in second)


@pytest.mark.parametrize("name", TWO_KEYS)
def test_two_people_of_every_two_roles(name: str) -> None:
    rule = MATRIX[name]
    for role, other in itertools.product(get_args(Role), repeat=2):
        people = [("ann", role), ("bob", other)]
        assert authority.suffices(rule, people) == _two(rule, role, other), (role, other)
        assert not authority.suffices(rule, people, {"bob"})
        if not _two(rule, role, other):
            with pytest.raises(NotApproved):
                authority.require(rule, people)


# --- at the desk ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """One person for every role, none with two; a table and a progressive are open."""
    house_ = House()
    for role in sorted(ROLES):
        house_.grant(f"a {role}", role)
    house_.open_progressive()
    house_.open_table("BJ1")
    yield house_
    house_.close()


def _stream_name(stream: str) -> str:
    return {"tables": "BJ1", "progressives": "blazing", "alerts": _HASH, "cases": "new"}.get(stream, "")


def _data(action: str) -> dict[str, Any]:
    """Return well-formed data of an action. Its table need not be in that state."""
    return _OF.get(action, {})


_BET = {"bet": "b", "wager": "main", "amount_minor": 1_000, "player": "p", "box": 1}
_BOX = {"box": 1}
_HASH = "0" * 64
_OF: dict[str, dict[str, Any]] = {
    "approval.give": {"request": "none", "content": _HASH},
    "approval.decline": {"request": "none", "reason": "x"},
    "approval.withdraw": {"request": "none"},
    "ball.land": {"number": 1},
    "ball.launch": {"wheel": "cw", "ball": "ccw"},
    "bet.correct": {"bet": "b", "reason": "x"},
    "bet.instruct": {"bet": "b"},
    "bet.place": _BET,
    "bet.press": {"bet": "b"},
    "bet.restake": {"bet": "b", "amount_minor": 1_000},
    "bet.withdraw": {"bet": "b"},
    "heads.count": {"heads": 5},
    "result.note": {"result": "17"},
    "colour.set": {"seat": 1, "player": "p", "colour": 1, "value_minor": 100},
    "colour.return": {"player": "p"},
    "buyin.make": {"seat": 1, "player": "p", "amount_minor": 100},
    "card.deal": {"to": "dealer", "card": "7D"},
    "chips.exchange": {"chips_out": {"500": 1}, "chips_in": {"100": 5}},
    "combination.place": {"bet": "c", "name": "horn", "unit_minor": 500, "player": "p", "seat": 1},
    "cage.cash_in": {"chips": {"100": 1}},
    "cage.cash_out": {"chips": {"100": 1}},
    "cage.close": {"chips": {}, "cash_minor": 0},
    "cage.count": {"chips": {}, "cash_minor": 0},
    "cage.open": {"gaming_day": "2026-11-20", "chips": {}, "cash_minor": 0},
    "count.enter": {"table": "BJ1", "drop_box": "b", "cash": {}},
    "count.settle": {"table": "BJ1", "drop_box": "b", "cash": {}},
    "count.verify": {"table": "BJ1", "drop_box": "b", "cash": {}},
    "credit.receive": {"slip": 1, "chips": {"100": 1}},
    "credit.request": {"chips": {"100": 1}},
    "day.amend": {"events": ["none@1"], "reason": "x"},
    "day.override": {"item": "no_rest", "reason": "x"},
    "discrepancy.explain": {"discrepancy": "none@1", "reason": "x"},
    "fill.request": {"chips": {"100": 1}},
    "marker.carry": {"marker": "m", "player": "p", "amount_minor": 1},
    "marker.redeem": {"marker": "m", "player": "p", "amount_minor": 1},
    "slip.issue": {"request": "none"},
    "slip.void": {"kind": "fill", "slip": 1, "reason": "x"},
    "chips.issue": {"chips": {"100": 1}, "way": "brought in", "reason": "x"},
    "setting.change": {"setting": "zone", "value": "Europe/Athens"},
    "credit.send": {"slip": 9, "chips": {"100": 1}},
    "dice.choose": {"places": [0, 1]},
    "dice.put": {"dice": [{"serial": "1", "colour": "red"}] * 5},
    "dice.roll": {"dice": [1, 2]},
    "dice.take_away": {"reason": "x"},
    "drop.count": {"drop_box": "b", "amount_minor": 1},
    "drop.put": {"drop_box": "b"},
    "drop.remove": {"drop_box": "b"},
    "fill.receive": {"slip": 8, "chips": {"100": 1}},
    "hand.double": _BOX,
    "hand.give": {"side": "player"},
    "hand.split": _BOX,
    "hand.stand": _BOX,
    "hit.declare": {"box": 1, "level": "mega"},
    "hit.declare_late": {"round": 1, "box": 1, "level": "mega"},
    "insurance.take": {"box": 1, "amount_minor": 1},
    "limit.mark": {"player": "p", "seat": 1, "minimum_minor": 1, "maximum_minor": 2},
    "limits.post": {"minimum_minor": 500, "maxima_minor": {}},
    "payment.make": {"bet": "b", "amount_minor": 1},
    "payment.report": {"bet": "b", "amount_minor": 1, "won_in": 1, "reason": "x"},
    "right.decline": {"box": 1, "player": "p"},
    "round.void": {"round": 1, "reason": "x"},
    "settlement.correct": {"bet": "b", "settled_in": 1, "amount_minor": 1, "reason": "x"},
    "session.close": {"closer": {}},
    "session.roll": {"gaming_day": "2026-11-21", "closer": {}},
    "session.void": {"reason": "x"},
    "session.open": {"gaming_day": "2026-11-20", "opener": {"100": 1}},
    "shoe.burn": {"card": "7D"},
    "shoe.load": {"shoe": "s", "packs": 6},
    "shoe.rule": {"ruling": "go_on"},
    "shoe.count": {"shoe": "s1", "packs": 6, "missing": {"7D": 1}},
    "spin.call_off": {"reason": "x"},
    "shift.count": {"chips": {"100": 1}, "next_shift": "night", "witness": "x"},
    "table.count": {"chips": {"100": 1}, "witness": "x"},
    "shooter.appoint": {"seat": 1, "player": "p"},
    "shooter.decline": {"seat": 1, "player": "p"},
    "staff.assign": {"post": "assistant", "person": "x"},
    "staff.leave": {"post": "assistant"},
    "progressive.open": progressive(),
    "house.pay": {
        "level": "minor",
        "player": "p",
        "amount_minor": 1,
        "reason": "x",
        "gaming_day": "2026-11-20",
        "hit": "none",
    },
    "house.void": {"slip_year": "2026", "slip": 1, "reason": "x"},
    "fund.deposit": {"level": "mega", "amount_minor": 1, "document": "x"},
    "fund.withdraw": {"level": "mega", "amount_minor": 1, "document": "x"},
    "hit.authorise": {"hit": "none", "amount_minor": 1},
    "hit.void": {"hit": "none", "reason": "x"},
    "increment.test": {"level": "mega", "stake_minor": 500, "before_minor": 1, "after_minor": 2},
    "jackpot.pay": {"hit": "none", "gaming_day": "2026-11-20"},
    "meter.adjust": {"level": "mega", "amount_minor": 1, "reason": "malfunction"},
    "case.open": {"title": "x", "category": "theft", "severity": "low"},
    "case.add": {"note": "x"},
    "case.note": {"note": "x"},
    "case.bookmark": {"camera": "C1", "from": "2026-11-20T20:00:00Z", "to": "2026-11-20T20:05:00Z"},
    "case.attach": {"attachment": _HASH, "name": "x"},
    "case.task": {"task": "1", "what": "x"},
    "case.link": {"other": "0" * 16},
    "case.grant": {"person": "x", "level": "read"},
    "case.close": {"disposition": "mistake", "reason": "x"},
    "case.reopen": {"reason": "x"},
    "case.hand_over": {"export": "0" * 32, "to": "x", "reason": "x"},
    "case.destroy_key": {"reason": "retention over"},
    "alert.assign": {"person": "sven"},
    "alert.acknowledge": {},
    "alert.note": {"note": "x"},
    "alert.clear": {"disposition": "mistake", "reason": "x"},
    "alert.reopen": {"reason": "x"},
    "meter.read": {"level": "mega", "read_minor": 1},
    "notice.acknowledge": {"change": 1},
    "parameters.change": {"level": "mega", "cap_minor": 9_000_000},
    "variance.close": {"case": "none", "way": "added", "reason": "x"},
    "draw.commit": {
        "draw": "night",
        "since": "2026-11-20T23:30:00Z",
        "until": "2026-11-21T01:30:00Z",
        "tables": [{"table": "BJ1"}],
        "number": 1,
        "draw_at": "2026-11-20T23:15:00Z",
    },
    "draw.reveal": {"draw": "night"},
    "inspection.record": {"draw": "none", "entry": 1, "way": "live", "looked_at": "cards", "finding": "in order"},
    "device.pair": {"device": "t", "table": "BJ1", "use": "screen", "key": _HASH},
    "device.revoke": {"device": "none"},
    "device.accept_entry": {"device": "none", "entry": 1, "digest": _HASH},
    "device.reject_entry": {"device": "none", "entry": 1, "digest": _HASH, "reason": "x"},
    "device.reconnect": {
        "device": "none",
        "since": "2026-11-20T20:00:00Z",
        "until": "2026-11-20T20:05:00Z",
        "entries": 1,
    },
    "role.grant": {"person": "new", "role": "dealer"},
    "person.admit": {"person": "paul"},
    "role.revoke": {"person": "nobody", "role": "dealer"},
    "table.install": {"pit": "A", "table": "N1", "game": "roulette", "ruleset": "roulette-french"},
}


def _cells() -> Iterator[tuple[str, str]]:
    """Every action at every stream that takes it."""
    for kind in stream_kind_declaration.declared().values():
        yield from ((kind.name, name) for name in kind.rules if "," not in name)
    for stream, name in itertools.product(STREAMS, authority.ANSWERS):
        if authority.may(stream, name):
            yield stream, name


@pytest.mark.parametrize(("stream", "name"), sorted(_cells()))
def test_every_role_is_let_in_or_turned_away_and_then_nothing_happens(house: House, stream: str, name: str) -> None:
    """A rule of the game may still refuse a person with the role, but never with a 403."""
    data = _data(name)
    for role in get_args(Role):
        person, before = f"a {role}", house.store.position()
        if "role." in name:
            data = {**data, "person": f"{name} by {role}"}
        reply = house.send(stream, _stream_name(stream), person, house.action(name, **data))[0]
        status = reply.status if isinstance(reply, Problem) else 200
        assert status != 400, reply
        if role in authority.may(stream, name):
            assert status != 403, (role, reply)
        else:
            assert (status, house.store.position()) == (403, before), (role, reply)


def test_who_is_in_no_role_does_nothing_at_all(house: House) -> None:
    before = house.store.position()
    for stream, name in _cells():
        reply = house.send(stream, _stream_name(stream), "nobody", house.action(name, **_data(name)))[0]
        assert isinstance(reply, Problem)
        assert reply.status == 403, (name, reply)
    assert house.store.position() == before


@pytest.mark.parametrize("name", ["parameters.change", "meter.adjust", "fund.deposit"])
def test_every_pair_of_roles_at_the_desk_of_a_progressive(house: House, name: str) -> None:
    """A request by one person and an approval by another take effect exactly if the rule allows that pair of roles."""
    rule, effects = MATRIX[name], {"parameters.change": 0, "meter.adjust": 0, "fund.deposit": 0}
    for requester in rule.ask:
        for approver in get_args(Role):
            cap = {"cap_minor": 9_000_000 + house.store.position()}
            asking = house.action(name, **{**_data(name), **(cap if name == "parameters.change" else {})})
            [request] = house.ok("progressives", "blazing", f"a {requester}", asking)
            assert request.type == "approval.requested.v1"
            give = house.action("approval.give", request=request.data.request, content=request.data.content)
            reply = house.send("progressives", "blazing", f"a {approver}", give)[0]
            is_done = not isinstance(reply, Problem) and len(reply.events) > 1
            assert is_done == (requester != approver and _two(rule, requester, approver)), (requester, approver, reply)
            effects[name] += is_done
            if not is_done:
                house.ok(
                    "progressives",
                    "blazing",
                    f"a {requester}",
                    house.action("approval.withdraw", request=request.data.request),
                )
    assert effects[name] > 0
    assert house.desk.store.head(f"{PROPERTY}/progressives/blazing").version > 0


def test_a_role_is_stamped_that_allows_it() -> None:
    assert authority.role_for("tables", "round.open", {"inspector", "cage"}) == "inspector"
    assert authority.role_for("progressives", "jackpot.pay", {"pit boss", "cage"}) == "cage"
    with pytest.raises(Forbidden, match=r"round\.open is for: dealer, inspector, pit boss"):
        authority.role_for("tables", "round.open", {"cage"})
