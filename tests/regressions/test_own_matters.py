"""No person decides a case of their own: every deciding action, for each way to be concerned, at a real desk.

The actions come from the declarations (`Rule.excluded`), so a new rule needs its case here. Every concerned person
holds every role that could decide. They try to request, approve and decline, with a badge and signed in.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import pytest

from events.alerts import alert_people_cache
from events.desk.command_and_answer_structs import Answer, Command
from events.envelope import Who
from events.people import authority
from events.progressives import due_lock_and_lapse_appending
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.houses.worked_day import WorkedDay, chips

HIT = f"BJ1-{DAY}-1-1"
ALERT = "ab" * 32
DECIDING = ("inspector", "pit boss", "cage", "accountant", "surveillance")
DOORS = {"badge": None, "signed in": 0}
OTHERS = {  # who have nothing to do with any of it, one a role
    "inspector": "olaf",
    "pit boss": "petra",
    "surveillance": "wanda",
    "cage": "carmen",
    "accountant": "arno",
}


class Matter(msgspec.Struct, frozen=True):
    """A decision: its stream, its action, and the people concerned, by their part in it."""

    rule: str
    target: Target
    data: Mapping[str, Any]
    people: Mapping[str, str]
    asks: str = ""  # who has nothing to do with it and may ask for it
    intent: str = "ask"

    @property
    def action(self) -> str:
        return self.rule.partition(",")[0]


def do(house: House, person: str, target: Target, factor_s: int | None, kind: str, /, **data: Any) -> Answer | Problem:
    action = house.action(kind, **data)
    [reply] = house.desk.do(Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=factor_s)))
    assert isinstance(reply, Answer | Problem)
    return reply


def grant(house: House, person: str, *roles: str) -> None:
    for role in roles:
        if role not in house.desk.streams.new_view().property_state("people").roles.get(person, ()):
            house.grant(person, role)


def make_everybody_able(house: House, people: Mapping[str, str]) -> None:
    """Grant all people every role that could decide, so that only the case itself excludes them."""
    for person in {*people.values()}:
        grant(house, person, *DECIDING)


# --- the matters ------------------------------------------------------------------------------------------------------


def of_a_hit(house: House) -> tuple[dict[str, str], int]:
    """Play a Minor on box 1 of BJ1, with another person for each part of the round. Return the people and the share."""
    people = {"dealt": "dan", "armed": "amy", "completed": "cody", "declared": "deb", "on duty": "dora"}
    house.open_table("BJ1")
    for person in people.values():
        grant(house, person, "dealer")
    act = house.action
    bets = [
        act("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="ann", box=1)
        for wager in ("main", "blazing7s")
    ]
    cards = [
        act("card.deal", to="box", box=1, card="7D"),
        act("card.deal", to="dealer", card="7D"),
        act("card.deal", to="box", box=1, card="7H"),
    ]
    house.ok("tables", "BJ1", "dora", act("round.open"), *bets, act("bets.close"))
    house.ok("tables", "BJ1", people["armed"], act("progressive.arm"))
    house.ok("tables", "BJ1", people["dealt"], *cards)
    house.ok("tables", "BJ1", people["declared"], act("hit.declare", box=1, level="minor"))
    house.ok("tables", "BJ1", people["completed"], act("deal.complete"))
    house.ok("tables", "BJ1", "dora", act("hand.stand", box=1), act("card.deal", to="dealer", card="TC"))
    house.ok("tables", "BJ1", "dora", act("round.end"))
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")
    lock = due_lock_and_lapse_appending.current(house.store, PROPERTY, "blazing").lock(HIT)
    assert lock is not None
    return people, lock.share


def hits(house: House) -> Iterator[Matter]:
    """Yield authorising and voiding a hit, and paying its stake by the house."""
    people, share = of_a_hit(house)
    at = Target("progressives", "blazing")
    yield Matter("hit.authorise", at, {"hit": HIT, "amount_minor": share}, people, "petra")
    yield Matter("hit.void", at, {"hit": HIT, "reason": "keyed wrongly"}, people, "petra")
    house.ok("progressives", "blazing", "petra", house.action("hit.authorise", hit=HIT, amount_minor=share))
    paying = {"hit": HIT, "gaming_day": DAY}
    yield Matter("jackpot.pay", at, paying, {**people, "authorised": "petra"}, "carmen")
    house.ok("progressives", "blazing", "carmen", house.action("jackpot.pay", **paying))
    pay = {"level": "minor", "player": "ann", "reason": "paid too little", "amount_minor": 100, "hit": HIT}
    yield Matter("house.pay", at, {**pay, "gaming_day": DAY}, people, "carmen")
    request = house.ok("progressives", "blazing", "carmen", house.action("house.pay", **pay, gaming_day=DAY))[-1].data
    give = house.action("approval.give", request=request.request, content=request.content)
    paid = house.ok("progressives", "blazing", "arno", give)[-1].data
    void = {"slip": paid.slip, "slip_year": paid.slip_year, "reason": "it came back"}
    yield Matter("house.void", at, void, people, "carmen")


def late_hits(house: House) -> Iterator[Matter]:
    """Yield decisions about a hit that two people declared late: they can neither authorise nor void it."""
    people, _ = of_a_hit(house)
    at = Target("progressives", "blazing")
    house.agreed("progressives", "blazing", ("petra", "wanda"), house.action("hit.void", hit=HIT, reason="wrong"))
    late = {"round": 1, "box": 1, "level": "minor"}
    yield Matter("hit.declare_late", Target("tables", "BJ1"), late, people, "petra")
    grant(house, "lena", "inspector")
    grant(house, "lars", "surveillance")
    hit = house.agreed("tables", "BJ1", ("lena", "lars"), house.action("hit.declare_late", **late))[-1].data
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")
    lock = due_lock_and_lapse_appending.current(house.store, PROPERTY, "blazing").lock(hit.hit)
    assert lock is not None
    both = {**people, "declared late": "lena", "agreed to the late declaration": "lars"}
    authorise = {"hit": hit.hit, "amount_minor": lock.share}
    yield Matter("hit.authorise, above the limit", at, authorise, both, "petra")
    yield Matter("hit.void", at, {"hit": hit.hit, "reason": "keyed wrongly"}, both, "petra")


def rounds(house: House) -> Iterator[Matter]:
    """Yield the decisions about a round of roulette that is played and then corrected.

    Another person does each part.
    """
    house.open_table("FR1")
    people = {"launched": "lou", "landed": "lee", "on duty": "dora"}
    for person in people.values():
        grant(house, person, "dealer")
    act = house.action
    bet = act("bet.place", bet="b", wager="red", amount_minor=500, player="ann", seat=1)
    house.ok("tables", "FR1", "dora", act("round.open"), bet)
    house.ok("tables", "FR1", people["launched"], act("ball.launch", wheel="cw", ball="ccw"))
    house.ok("tables", "FR1", "dora", act("bets.close"))
    at, reason = Target("tables", "FR1"), "a call was missed"
    yield Matter("round.void", at, {"round": 1, "reason": reason}, {"on duty": "dora"}, "petra")
    house.ok("tables", "FR1", people["landed"], act("ball.land", number=2))
    yield Matter("round.void", at, {"round": 1, "reason": reason}, without(people, "launched"), "petra")
    house.ok("tables", "FR1", "dora", act("round.end"))
    correct = {"bet": "b", "settled_in": 1, "amount_minor": 1_000, "reason": "by the camera"}
    yield Matter("settlement.correct", at, correct, without(people, "launched"), "petra")


def without(people: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: person for name, person in people.items() if name not in names}


def days_voided(house: House) -> Iterator[Matter]:
    """Yield the void of a gaming day that was opened by mistake. Its dealer cannot void it."""
    house.open_table("FR1")
    yield Matter("session.void", Target("tables", "FR1"), {"reason": "wrong day"}, {"on duty": "dora"}, "petra")


def discrepancies(house: House) -> Iterator[Matter]:
    """Differences of a tray, of a fill and of a box."""
    assert isinstance(house, WorkedDay)
    house.begin()
    house.lead("drop.put", drop_box="one")
    tray = house.lead("table.count", chips=chips(1_000_000), witness="sid")[-1]
    slip = house.slip("fill", 100_000)
    fill = house.lead("fill.receive", slip=slip, chips=chips(50_000))[-1]
    house.buy(120_000)
    house.lead("session.close", closer=chips(1_000_000 + 50_000))
    house.lead("drop.remove", drop_box="one", witness="sid")
    house.count("count.enter", "cora", "one", cash={"1000": 50})
    box = house.count("count.verify", "carl", "one", cash={"1000": 50})[-1]
    house.cage("cage.close", chips={}, cash_minor=0)
    at = Target("days", "", DAY)
    people = {
        "tray": (tray, {"counted": "ines", "witnessed": "sid", "on duty": "dora"}),
        "fill": (fill, {"received": "ines", "issued": "cage", "on duty": "dora"}),
        "box": (box, {"counted": "cora", "verified": "carl", "removed": "ines", "witnessed": "sid"}),
    }
    everybody: dict[str, str] = {}
    for discrepancy, concerned in people.values():
        everybody |= {f"{name} {person}": person for name, person in concerned.items()}
        yield Matter(
            "discrepancy.explain", at, {"discrepancy": discrepancy.id, "reason": "a chip fell"}, concerned, "arno"
        )
    override = {"item": "discrepancies_explained", "reason": "it is late"}
    yield Matter("day.override, of discrepancies", at, override, everybody, "arno")


def alerts(house: House) -> Iterator[Matter]:
    """Yield decisions about an alert that names these people in the read model."""
    named = {"named": "nora", "proved by": "pablo"}
    alert_people_cache.set_finder(house.store, lambda alert: frozenset(named.values()) if alert == ALERT else None)
    at = Target("alerts", ALERT)
    data = {
        "alert.assign": {"person": "wanda"},
        "alert.acknowledge": {},
        "alert.note": {"note": "seen"},
        "alert.clear": {"disposition": "no fault", "reason": "seen"},
        "alert.reopen": {"reason": "again"},
    }
    for rule, values in data.items():
        yield Matter(rule, at, values, named, "wanda")


def readings(house: House) -> Iterator[Matter]:
    """A sign that was read too high: its reader does not have the difference paid."""
    for number, (rule, read) in enumerate(
        (("variance.close, paid", 900_000), ("variance.close, paid above the limit", 10**10)), 1
    ):
        grant(house, "rita", "accountant")
        reading = house.action("meter.read", level="mega", read_minor=5_000_000 + read)
        house.ok("progressives", "blazing", "rita", reading)
        close = {"case": f"mega-{number}", "way": "paid", "reason": "x", "player": "ann", "gaming_day": DAY}
        yield Matter(rule, Target("progressives", "blazing"), close, {"read": "rita"}, "carmen")
        request = house.ok("progressives", "blazing", "carmen", house.action("variance.close", **close))[-1].data
        give = house.action("approval.give", request=request.request, content=request.content)
        house.ok("progressives", "blazing", "wanda", give)


def test_nobody_declines_what_is_asked_about_himself(house: WorkedDay) -> None:
    """A person of surveillance cannot answer requests for their own role with a key, or their own sign-in link."""
    people = Target("people")
    for kind, data in (
        ("role.grant", {"person": "wanda", "role": "accountant"}),
        ("person.admit", {"person": "wanda"}),
    ):
        request = _request(do(house, "adam", people, 0, kind, **data))
        assert request is not None
        for answer, fields in (
            ("approval.give", {"content": request["content"]}),
            ("approval.decline", {"reason": "no"}),
        ):
            own = do(house, "wanda", people, 0, answer, request=request["request"], **fields)
            assert isinstance(own, Problem)
            assert own.code == {"role.grant": "own-role", "person.admit": "own-link"}[kind]
            assert own.detail.startswith("No one ")
        declined = do(house, "sven", people, 0, "approval.decline", request=request["request"], reason="no")
        assert isinstance(declined, Answer), declined


MATTERS: tuple[Callable[[House], Iterator[Matter]], ...] = (
    *(hits, late_hits, rounds, days_voided, discrepancies, alerts, readings),
)
# Judged alike, by the same code: the limit and the closed day only add another key.
ALIKE = {"house.pay, above the limit", "house.void, above the limit", "discrepancy.explain, of a closed day"}
tried: set[str] = set()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[WorkedDay]:
    """A house on both databases, with people who are concerned in no case."""
    from events.runtime.clock import house_clock
    from events.store import open_store

    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else request.getfixturevalue("new_database")()
    house = WorkedDay(open_store(url, house_clock()))
    for role, person in OTHERS.items():
        grant(house, person, role)
    yield house
    house.close()


@pytest.mark.parametrize("matters", MATTERS, ids=lambda made: made.__name__)
def test_whoever_it_is_about_decides_nothing_of_it(
    house: WorkedDay, matters: Callable[[House], Iterator[Matter]], record_property: Callable[[str, object], None]
) -> None:
    cells = 0
    for matter in matters(house):
        tried.add(matter.rule)
        make_everybody_able(house, matter.people)
        cells += sum(_cells_of(house, matter, person) for person in {*matter.people.values()})
    record_property("cells", cells)
    print(f"{matters.__name__}: {cells} cells")
    assert cells


def _cells_of(house: House, matter: Matter, person: str) -> int:
    """Ask by badge and signed in, then approve and decline another person's request. Return the number of attempts."""
    cells = 0
    for factor in DOORS.values():
        must_refuse(do(house, person, matter.target, factor, matter.action, **matter.data), matter, person)
        cells += 1
    first_reply = do(
        house, matter.asks, matter.target, None, matter.action, **matter.data
    )  # by a badge: it stays a request
    request = _request(first_reply)
    if request is None:
        return cells
    answers = {"approval.give": {"content": request["content"]}, "approval.decline": {"reason": "no"}}
    for answer, fields in answers.items():
        for factor in DOORS.values():
            reply = do(house, person, matter.target, factor, answer, request=request["request"], **fields)
            assert isinstance(reply, Problem), (matter, person, answer, reply)
            assert reply.status in (403, 422), (matter, person, answer, reply)
            if factor is not None:
                must_refuse(reply, matter, person)
            cells += 1
    withdrawn = do(house, matter.asks, matter.target, 0, "approval.withdraw", request=request["request"])
    assert isinstance(withdrawn, Answer), withdrawn
    return cells


def must_refuse(reply: Answer | Problem, matter: Matter, person: str) -> None:
    assert isinstance(reply, Problem), (matter, person, reply)
    assert (reply.code or "").startswith("own-matter"), (matter, person, reply)
    assert "Another person must decide" in reply.detail, (matter, person, reply)


def _request(reply: Answer | Problem) -> dict[str, Any] | None:
    """Return the request that an action became, or None if one person decides alone."""
    if isinstance(reply, Problem):
        return None
    event = msgspec.json.decode(bytes(reply.events[-1].event))
    return event["data"] if event["type"] == "approval.requested.v1" else None


def test_nobody_is_assigned_an_alert_about_himself_and_what_is_not_raised_takes_no_action(house: WorkedDay) -> None:
    alert_people_cache.set_finder(house.store, lambda alert: frozenset({"nora"}) if alert == ALERT else None)
    grant(house, "nora", "surveillance")
    assigned = do(house, "wanda", Target("alerts", ALERT), None, "alert.assign", person="nora")
    assert isinstance(assigned, Problem)
    assert (assigned.field, "Assign another person" in assigned.detail) == ("data.person", True)
    for kind, data in (("alert.clear", {"disposition": "no fault", "reason": "x"}), ("alert.note", {"note": "x"})):
        unknown = do(house, "wanda", Target("alerts", "cd" * 32), None, kind, **data)
        assert isinstance(unknown, Problem)
        assert (unknown.status, "is not raised" in unknown.detail) == (404, True)


def test_every_rule_that_keeps_somebody_out_was_tried() -> None:
    """Those of people (`self`) are tried with the roles, in `tests/unit/test_authority.py`; those of cases, which do
    not exist for their subjects, in `tests/unit/cases/test_cases.py`."""
    keeping = {name for name, rule in authority.matrix().items() if {*rule.excluded} - {"asked", "self"}}
    keeping = {name for name in keeping if not name.startswith("case.")}
    assert keeping - ALIKE <= tried, "run the whole file"
