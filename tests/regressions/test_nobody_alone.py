"""Actions that one person could do alone, or stop for all, before the matrix of `events/people/authority.py`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk.command_and_answer_structs import Answer, Command
from events.desk.desk import Desk
from events.envelope import AnyEnvelope, Who
from events.people.approval_request_lifecycle import MAX_OF_ONE
from events.progressives import due_lock_and_lapse_appending
from events.store import open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, House, types_of

NAME = "blazing"
HIT = f"BJ1-{DAY}-1-1"
FLOAT = {"100": 1_000, "500": 1_000, "2500": 1_000}  # as `open_table` opens it
STORES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=STORES)
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house with its progressive open, on both databases."""
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else request.getfixturevalue("postgres_url")
    house_ = House(open_store(url))
    house_.open_progressive()
    yield house_
    house_.close()


def ask(house: House, person: str, kind: str, /, **data: Any) -> AnyEnvelope:
    """Send an action that another person must approve, and return its request."""
    request = house.ok("progressives", NAME, person, house.action(kind, **data))[-1]
    assert request.type == "approval.requested.v1"
    return request


def agree(
    house: House, person: str, envelope: Any, where: tuple[str, str] = ("progressives", NAME)
) -> list[AnyEnvelope]:
    give = house.action("approval.give", request=envelope.data.request, content=envelope.data.content)
    return house.ok(*where, person, give)


def disagree(house: House, person: str, envelope: Any, where: tuple[str, str] = ("progressives", NAME)) -> Problem:
    give = house.action("approval.give", request=envelope.data.request, content=envelope.data.content)
    return house.no(*where, person, give)


def deal(house: House, by: dict[str, str] | None = None, person: str = "dora") -> None:
    """Deal a Minor on box 1 as `person`. `by` names other people by the type of their action."""
    house.open_table("BJ1")
    by = by or {}
    bets: list[tuple[str, dict[str, Any]]] = [
        ("bet.place", {"bet": wager, "wager": wager, "amount_minor": 1_000, "player": "friend", "box": 1})
        for wager in ("main", "blazing7s")
    ]
    cards: list[tuple[str, dict[str, Any]]] = [
        ("card.deal", {"to": to, "card": card, **({"box": 1} if to == "box" else {})})
        for to, card in (("box", "7D"), ("dealer", "7D"), ("box", "7H"))
    ]
    hit: tuple[str, dict[str, Any]] = ("hit.declare", {"box": 1, "level": "minor"})
    for kind, data in [("round.open", {}), *bets, ("bets.close", {}), ("progressive.arm", {}), *cards, hit]:
        house.ok("tables", "BJ1", by.get(kind, person), house.action(kind, **data))
    rest = ["deal.complete", "hand.stand"]
    for kind in rest:
        house.ok("tables", "BJ1", by.get(kind, person), house.action(kind, **({"box": 1} if "hand" in kind else {})))
    ends = [house.action("card.deal", to="dealer", card="TC"), house.action("round.end")]
    house.ok("tables", "BJ1", "dora", *ends)
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, NAME)


def share(house: House) -> int:
    lock = due_lock_and_lapse_appending.current(house.store, PROPERTY, NAME).lock(HIT)
    assert lock is not None
    return lock.share


# --- nobody stops the others ------------------------------------------------------------------------------------------


def test_a_thousand_requests_of_a_dealer_disable_nothing(house: House) -> None:
    before = house.store.position()
    for n in range(5):
        changes = [
            house.action("parameters.change", level="mega", seed_minor=2_500_001 + n * 200 + i) for i in range(200)
        ]
        replies = house.send("progressives", NAME, "dora", *changes, mode="each")
        assert [reply.status for reply in replies if isinstance(reply, Problem)] == [403] * 200
    assert house.store.position() == before
    requested = ask(house, "mark", "parameters.change", level="mega", seed_minor=3_000_000)
    assert types_of(agree(house, "anna", requested)) == ["approval.given.v1", "parameters.changed.v1"]


def test_one_person_does_not_fill_the_queue_of_the_others(house: House) -> None:
    mine = [
        ask(house, "mark", "meter.adjust", level="mega", amount_minor=1 + n, reason="malfunction")
        for n in range(MAX_OF_ONE)
    ]
    full = house.no("progressives", NAME, "mark", house.action("parameters.change", level="mega", seed_minor=3_000_000))
    assert (full.clause, "Withdraw one first" in full.detail) == ("house approval", True)
    requested = ask(house, "anna", "parameters.change", level="mega", seed_minor=3_000_000)
    house.ok("progressives", NAME, "mark", house.action("approval.withdraw", request=mine[0].data.request))
    house.ok("progressives", NAME, "sven", house.action("approval.decline", request=mine[1].data.request, reason="no"))
    for _ in range(2):
        ask(house, "mark", "meter.adjust", level="major", amount_minor=1, reason="malfunction")
    assert types_of(agree(house, "mark", requested))[-1] == "parameters.changed.v1"


# --- nobody makes a jackpot alone -------------------------------------------------------------------------------------


def test_one_pit_boss_alone_makes_no_jackpot(house: House) -> None:
    deal(house, person="paul")
    authorise = {"hit": HIT, "amount_minor": share(house)}
    denied = house.no("progressives", NAME, "paul", house.action("hit.authorise", **authorise))
    assert (denied.status, denied.clause) == (422, "blazing7s P.4")
    assert "armed, dealt or declared" in denied.detail
    denied = house.no("progressives", NAME, "paul", house.action("hit.void", hit=HIT, reason="x"))
    assert "armed, dealt or declared" in denied.detail
    house.grant("paul", "cage")
    done = house.ok("progressives", NAME, "ines", house.action("hit.authorise", **authorise))
    assert types_of(done) == ["hit.authorised.v1"]
    pay = {"hit": HIT, "gaming_day": DAY}
    assert house.no("progressives", NAME, "paul", house.action("jackpot.pay", **pay)).status == 422
    assert types_of(house.ok("progressives", NAME, "cage", house.action("jackpot.pay", **pay)))[0] == "jackpot.paid.v1"


@pytest.mark.parametrize("kind", ["progressive.arm", "card.deal", "hit.declare", "deal.complete"])
def test_each_that_acted_in_the_round_judges_nothing_of_it(house: House, kind: str) -> None:
    deal(house, {kind: "ines"})
    amount = share(house)
    for action in (
        house.action("hit.authorise", hit=HIT, amount_minor=amount),
        house.action("hit.void", hit=HIT, reason="x"),
    ):
        assert "ines is the round's dealer, or armed" in house.no("progressives", NAME, "ines", action).detail
    requested = ask(house, "sven", "hit.authorise", hit=HIT, amount_minor=amount)
    assert disagree(house, "ines", requested).code == "own-matter-acted"
    assert types_of(agree(house, "paul", requested))[-1] == "hit.authorised.v1"


def test_who_authorised_does_not_pay(house: House) -> None:
    deal(house)
    house.grant("ines", "cage")
    house.ok("progressives", NAME, "ines", house.action("hit.authorise", hit=HIT, amount_minor=share(house)))
    pay = {"hit": HIT, "gaming_day": DAY}
    denied = house.no("progressives", NAME, "ines", house.action("jackpot.pay", **pay))
    assert denied.code == "own-matter-acted-or-prepared"
    assert "ines acted in the round, or is among those who authorised it." in denied.detail
    house.ok("progressives", NAME, "cage", house.action("jackpot.pay", **pay))


def test_who_acted_in_a_round_neither_voids_it_nor_finds_a_hit_in_it_late(house: House) -> None:
    """The same holds at a desk that reads the table only from the store."""
    deal(house, {"card.deal": "ines"})
    late = house.action("hit.declare_late", round=1, box=1, level="minor")
    void_request = ask(house, "paul", "hit.void", hit=HIT, reason="keyed wrongly")
    agree(house, "sven", void_request)
    house.desk.streams.cache.forget()
    house.desk.streams.cache._stored_states.clear()
    assert "ines is the round's dealer, or armed" in house.no("tables", "BJ1", "ines", late).detail
    declared = house.agreed("tables", "BJ1", ("paul", "sven"), late)
    assert declared[-1].type == "hit.declared_late.v1"
    house.ok("tables", "BJ1", "dora", house.action("round.open"))
    void = house.action("round.void", round=2, reason="a card was exposed")
    assert house.agreed("tables", "BJ1", ("ines", "sven"), void)[-1].type == "round.voided.v1"


# --- roles in force ---------------------------------------------------------------------------------------------------


def test_who_read_a_sign_wrongly_does_not_have_the_difference_paid(house: House) -> None:
    """Paying a variance needs approval by another person than the reader, and by surveillance above the limit."""
    paid = {"case": "mega-1", "way": "paid", "reason": "x", "player": "friend", "gaming_day": DAY}
    house.ok("progressives", NAME, "anna", house.action("meter.read", level="mega", read_minor=5_000_000 + 900_000))
    request = ask(house, "cage", "variance.close", **paid)
    assert disagree(house, "anna", request).detail == "anna read the sign. Another person must decide."
    assert agree(house, "cora", request)[-1].type == "variance.closed.v1"
    house.ok("progressives", NAME, "anna", house.action("meter.read", level="mega", read_minor=10**12))
    request = ask(house, "cage", "variance.close", **paid | {"case": "mega-2"})
    assert types_of(agree(house, "cora", request)) == ["approval.given.v1"]
    assert types_of(agree(house, "sven", request)) == ["approval.given.v1", "variance.closed.v1"]


def test_a_request_does_not_count_roles_that_who_asked_is_no_longer_in(house: House) -> None:
    requested = ask(house, "mark", "meter.adjust", level="mega", amount_minor=99_000_000, reason="malfunction")
    house.ok("people", "", "adam", house.action("role.revoke", person="mark", role="progressive manager"))
    denied = disagree(house, "anna", requested)
    assert (denied.clause, denied.code, denied.params) == (
        "house approval",
        "request-lapsed-with-role",
        {"person": "mark"},
    )
    meter = due_lock_and_lapse_appending.current(house.store, PROPERTY, NAME).level("mega").meter
    assert meter == 5_000_000 * 1_000_000
    assert due_lock_and_lapse_appending.let_lapse(house.store, PROPERTY, NAME) == 1
    give = house.action("approval.give", request=requested.data.request, content=requested.data.content)
    assert house.no("progressives", NAME, "anna", give).status == 404


def test_departments_are_those_of_now(house: House) -> None:
    """He asked as an accountant, and is an inspector by the time the pit boss agrees: one department."""
    house.grant("alan", "accountant")
    requested = ask(house, "alan", "parameters.change", level="mega", seed_minor=3_000_000)
    house.grant("alan", "inspector")
    house.ok("people", "", "adam", house.action("role.revoke", person="alan", role="accountant"))
    assert types_of(agree(house, "paul", requested)) == ["approval.given.v1"]
    decided = agree(house, "anna", requested)[-1]
    assert decided.data.approvals == (("alan", "inspector"), ("paul", "pit boss"), ("anna", "accountant"))


def test_a_request_at_a_table_falls_with_the_role_too(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    [requested] = house.ok("tables", "FR1", "paul", house.action("round.void", round=1, reason="a call was missed"))
    house.ok("people", "", "adam", house.action("role.revoke", person="paul", role="pit boss"))
    assert (
        "has lapsed: paul lost the role that may ask for this."
        in disagree(house, "sven", requested, ("tables", "FR1")).detail
    )


def test_what_waits_at_a_table_lapses_when_it_closes(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    [requested] = house.ok("tables", "FR1", "paul", house.action("round.void", round=1, reason="a call was missed"))
    spin = [house.action("ball.launch", wheel="cw", ball="ccw"), house.action("bets.close")]
    house.ok("tables", "FR1", "dora", *spin, house.action("ball.land", number=7), house.action("round.end"))
    closed = house.ok("tables", "FR1", "ines", house.action("session.close", closer=FLOAT))
    assert types_of(closed) == ["session.closed.v1", "approval.lapsed.v1"]
    assert (closed[1].data.request, closed[1].data.why) == (requested.data.request, "table closed")


# --- people and the floor ---------------------------------------------------------------------------------------------


def test_the_last_administrator_stays(house: House) -> None:
    revoke = {"person": "adam", "role": "administrator"}
    assert "the last administrator" in house.no("people", "", "adam", house.action("role.revoke", **revoke)).detail
    house.grant("eve", "administrator")
    house.ok("people", "", "adam", house.action("role.revoke", **revoke))
    last = house.action("role.revoke", person="eve", role="administrator")
    assert "the last administrator" in house.no("people", "", "eve", last).detail


def test_the_first_of_a_house_is_an_administrator_and_nobody_grants_himself(house: House) -> None:
    own = house.action("role.grant", person="adam", role="pit boss")
    assert "No one grants a role to himself or herself." in house.no("people", "", "adam", own).detail
    other = Desk(house.store, "sparta")
    try:
        first = Command(
            Target("people"),
            (house.action("role.grant", person="paul", role="pit boss"),),
            Who(person="paul", roles=frozenset(), factor_s=0),
        )
        refused = other.do(first)[0]
        assert isinstance(refused, Problem)
        assert "The first person of a house gets the role administrator." in refused.detail
    finally:
        other.close()


def test_a_ruleset_comes_to_a_table_by_two_people(house: House) -> None:
    change = {"pit": "A", "table": "BJ1", "game": "roulette", "ruleset": "roulette-american"}
    [requested] = house.ok("floor", "", "paul", house.action("table.install", **change))
    where = ("floor", "")
    assert requested.type == "approval.requested.v1"
    assert house.desk.streams.cache.property_state("floor").tables["BJ1"].game == "blackjack"
    assert disagree(house, "paul", requested, where).status == 422
    for person in ("dora", "cage", "olga"):
        assert disagree(house, person, requested, where).status == 403
    agreed = ["approval.given.v1", "ruleset.recorded.v1", "table.installed.v1"]
    assert types_of(agree(house, "ines", requested, where)) == agreed
    assert house.desk.streams.cache.property_state("floor").tables["BJ1"].game == "roulette"


def test_answers_are_for_who_they_are_for(house: House) -> None:
    requested = ask(house, "mark", "parameters.change", level="mega", seed_minor=3_000_000)
    request = requested.data.request
    other = house.action("approval.withdraw", request=request)
    assert "mark sent this request" in house.no("progressives", NAME, "anna", other).detail
    own = house.action("approval.decline", request=request, reason="no")
    assert "mark has approved already." in house.no("progressives", NAME, "mark", own).detail
    dealer = house.action("approval.decline", request=request, reason="no")
    assert house.no("progressives", NAME, "dora", dealer).status == 403
    declined = house.ok("progressives", NAME, "anna", house.action("approval.decline", request=request, reason="no"))
    assert [(event.type, event.data.reason) for event in declined] == [("approval.declined.v1", "no")]
    assert house.no("progressives", NAME, "sven", house.action("approval.withdraw", request=request)).status == 404
    assert isinstance(
        house.send("progressives", NAME, "mark", house.action("parameters.change", level="mega", seed_minor=3_000_001))[
            0
        ],
        Answer,
    )
