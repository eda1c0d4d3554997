"""The house pays amounts that no meter can correct: once, by a numbered slip, by the cage and another department."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from backoffice.management.commands.explain import award_lines as explained
from backoffice.progressives.liability_funds_and_odds_report import HousePaymentLine, report
from events.integrity.progressive_recount import Recount
from events.progressives import action_structs, due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.award_report import award
from events.progressives.liability import liability
from events.progressives.progressive_state_following_store import ProgressiveFollower
from events.store import everything
from tests.support.houses.progressive_house import DAY, NAME, PROPERTY, Casino, DeskRefusal
from tests.support.houses.small_house import House, progressive

LEVEL = {"level": "mega", "player": "ann", "reason": "found after the first winner was paid", "gaming_day": DAY}


@pytest.fixture
def casino() -> Iterator[Casino]:
    casino = Casino()
    yield casino
    casino.close()


def house_pays(casino: Casino, amount: int, *people: str, **what: Any) -> Any:
    return casino.ask(
        action_structs.PayHouse(**(LEVEL | {"amount_minor": amount} | what)), *(people or ("cage", "anna"))
    )[-1]


def late(casino: Casino) -> tuple[str, str]:
    """Pay Bob's whole Mega, and then declare Ann's late hit in the same round."""
    number = casino.arm("BJ1", (1, "ann", 500), (2, "bob", 1_000))
    first = casino.hit("BJ1", number, 2)
    casino.dealt("BJ1", number)
    casino.over("BJ1", number)
    casino.authorise(first)
    casino.pay(first)
    return first, casino.late_hit("BJ1", number, 1)


def meters(casino: Casino) -> list[Any]:
    return [(level.name, level.meter, level.reserve, level.deposited) for level in casino.fold.state.levels.values()]


def test_a_winner_found_too_late_is_paid_beside_the_meter(casino: Casino) -> None:
    _, hit = late(casino)
    before, funds = meters(casino), liability(casino.fold)
    paid = house_pays(casino, 9_000, hit=hit)
    assert (paid.type, paid.correlation) == ("house.paid.v1", hit)
    where = (paid.data.table, paid.data.gaming_day, paid.data.round, paid.data.box, paid.data.player)
    assert where == ("BJ1", DAY, 1, 1, "ann")
    assert (paid.data.amount_minor, paid.data.slip_year) == (9_000, DAY[:4])
    assert (meters(casino), liability(casino.fold)) == (before, funds)
    casino.fold.check_balance()


def test_it_stands_in_the_reports_of_the_hit_and_of_the_progressive(casino: Casino) -> None:
    _, hit = late(casino)
    slip = house_pays(casino, 9_000, hit=hit).data.slip
    text = "\n".join(explained(award(casino.store, PROPERTY, hit), whole=True))
    assert re.search(rf"house\.paid\.v1  by anna .*  90\.00 beside the meter  to ann  slip {DAY[:4]}-{slip}", text)
    paid = HousePaymentLine(
        place=f"BJ1/{DAY}#1/1", level="mega", amount_minor=9_000, slip=f"{DAY[:4]}-{slip}", is_void=False
    )
    assert report(casino.store, PROPERTY, NAME).house == [paid]
    casino.ask(action_structs.VoidHousePayment(slip_year=DAY[:4], slip=slip, reason="never there"), "cage", "anna")
    assert report(casino.store, PROPERTY, NAME).house[0].is_void
    assert "house.voided.v1" in "\n".join(explained(award(casino.store, PROPERTY, hit), whole=True))


def test_its_slip_is_of_the_jackpots_series(casino: Casino) -> None:
    first, hit = late(casino)
    last = casino.fold.state.slips[DAY[:4]]
    assert house_pays(casino, 9_000, hit=hit).data.slip == last + 1
    casino.authorise(hit)
    assert casino.pay(hit)[-1].data.slip > last + 1
    assert first != hit


def test_it_is_paid_once_unless_it_is_void(casino: Casino) -> None:
    _, hit = late(casino)
    slip = house_pays(casino, 9_000, hit=hit).data.slip
    with pytest.raises(DeskRefusal, match="paid for this already"):
        house_pays(casino, 9_000, hit=hit)
    void = action_structs.VoidHousePayment(slip_year=DAY[:4], slip=slip, reason="the player was never there")
    with pytest.raises(DeskRefusal, match=r"house\.void is for: cage"):
        casino.ask(void, "mark", "anna")
    voided = casino.ask(void, "cage", "anna")[-1]
    assert (voided.type, voided.data.amount_minor, voided.data.tender) == ("house.voided.v1", 9_000, "cash")
    with pytest.raises(DeskRefusal, match="is void already"):
        casino.ask(void, "cage", "anna")
    assert house_pays(casino, 8_000, hit=hit).data.slip == slip + 1


def test_people_of_two_departments_agree_and_the_cage_pays(casino: Casino) -> None:
    _, hit = late(casino)
    with pytest.raises(DeskRefusal, match=r"house\.pay is for: cage"):
        house_pays(casino, 9_000, "mark", "anna", hit=hit)
    assert house_pays(casino, 9_000, "cage", hit=hit).type == "approval.requested.v1"
    over = casino.fold.state.opening.surveillance_over // casino.fold.state.opening.scale + 1
    assert house_pays(casino, over, "cage", "anna", hit=hit).type == "approval.given.v1", "and surveillance"
    assert house_pays(casino, over, "cage", "sven", hit=hit).type == "house.paid.v1"


def test_what_its_meter_pays_the_house_does_not(casino: Casino) -> None:
    [hit] = casino.play("BJ1", hits=((1, "mega"),))
    with pytest.raises(DeskRefusal, match="Authorise it and pay it by its meter first"):
        house_pays(casino, 9_000, hit=hit)
    casino.void(hit)
    with pytest.raises(DeskRefusal, match="is void"):
        house_pays(casino, 9_000, hit=hit)
    with pytest.raises(DeskRefusal, match="The hit BJ9-1 is not known any more"):
        house_pays(casino, 9_000, hit="BJ9-1")


def test_it_goes_to_the_winner_and_for_his_level(casino: Casino) -> None:
    _, hit = late(casino)
    for wrong in ({"player": "bob"}, {"level": "minor"}):
        with pytest.raises(DeskRefusal, match="is a mega of ann"):
            house_pays(casino, 9_000, hit=hit, **wrong)
    with pytest.raises(DeskRefusal, match="The purpose of the payment is missing"):
        house_pays(casino, 9_000, table="BJ1", round=1)


def test_of_a_round_that_is_gone_the_cards_are_read() -> None:
    """The fold has dropped the round or never had it. The table's stream has its cards."""
    house = House()
    house.open_table("BJ1")
    _sevens(house)
    place = {"table": "BJ1", "table_day": "2026-11-20", "round": 1, "box": 1}
    at_hand = house.no("progressives", NAME, "cage", house.action("house.pay", **LEVEL, amount_minor=9_000, **place))
    assert "Declare the hit of box 1 late (hit.declare_late" in at_hand.detail
    live = progressive_state_following_store.live(house.store, PROPERTY, NAME)
    due_lock_and_lapse_appending.current(house.store, PROPERTY, NAME)
    assert live.fold is not None
    live.fold.state.rounds.clear()  # as after ten thousand more
    for wrong in ({"level": "minor"}, {"player": "bob"}, {"box": 2}, {"round": 2}):
        fields = {**LEVEL, "amount_minor": 9_000, **place, **wrong}
        house.no("progressives", NAME, "cage", house.action("house.pay", **fields))
    requested = house.ok("progressives", NAME, "cage", house.action("house.pay", **LEVEL, amount_minor=9_000, **place))
    approval = house.action("approval.give", request=requested[0].data.request, content=requested[0].data.content)
    paid = house.ok("progressives", NAME, "anna", approval)[-1].data
    assert (paid.TYPE, paid.hit, paid.round, paid.box) == ("house.paid.v1", None, 1, 1)
    house.close()


def test_no_other_progressive_pays_for_the_round() -> None:
    """Each knows of its own payments only: through two of them one winner would be paid twice."""
    house = House()
    opening = house.action("progressive.open", **(progressive() | {"progressive": "other"}))
    house.agreed("progressives", "other", ("mark", "anna"), opening)
    house.open_table("BJ1")
    _sevens(house)
    place = {"table": "BJ1", "table_day": DAY, "round": 1, "box": 1}
    for intent in ("ask", "check"):
        payment = house.action("house.pay", **LEVEL, amount_minor=9_000, **place, _intent=intent)
        refused = house.no("progressives", "other", "cage", payment)
        assert refused.detail == f"Round 1 was armed for the progressive {NAME}. Pay from that progressive."
    house.close()


def _sevens(house: House) -> None:
    act = house.action
    bets = [
        act("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="ann", box=1)
        for wager in ("main", "blazing7s")
    ]
    box: dict[str, Any] = {"to": "box", "box": 1}
    cards = [act("card.deal", card="7D", **where) for where in (box, {"to": "dealer"}, box)]
    start = [act("round.open"), *bets, act("bets.close"), act("progressive.arm")]
    house.ok("tables", "BJ1", "dora", *start, *cards, act("deal.complete"))


def test_the_audit_counts_its_slip(casino: Casino) -> None:
    _, hit = late(casino)
    house_pays(casino, 9_000, hit=hit)
    live = ProgressiveFollower(PROPERTY, NAME, tells=False)
    recount = Recount(live)
    messages: list[str] = []
    for stored_event in everything(casino.store):
        messages += recount.before(stored_event) if stored_event.stream == live.stream else ()
        live.take(stored_event)
        messages += recount.after(stored_event) if stored_event.stream == live.stream else ()
    assert messages == []
