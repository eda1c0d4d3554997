"""The desk finds earlier rounds behind any number of events. People who acted in a round cannot decide its hit."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk import earlier_round_lookup
from events.desk.command_and_answer_structs import Checked
from events.progressives import due_lock_and_lapse_appending, request_authority_checks
from events.runtime.clock import house_clock
from events.store import open_store
from tests.regressions.test_late_payments import won
from tests.regressions.test_rolled_days import spin
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import DAY, PROPERTY, types_of

BUYINS = 60
HIT = f"BJ1-{DAY}-1-1"
BLACKJACK = f"{PROPERTY}/tables/BJ1/{DAY}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cashiers]:
    """A house with a cage; FR1 is open for play."""
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house = Cashiers(open_store(url, house_clock()))
    yield house
    house.close()


def credit_returned(house: Cashiers, table: str) -> None:
    """Send a credit to the cage, and return it to the table: its event names no round."""
    requested = house.ok("tables", table, "ines", house.action("credit.request", chips={"500": 10}))[0].data
    slip = house.cage("slip.issue", request=requested.request, runner="sid")[0].data
    house.ok("tables", table, "ines", house.action("credit.send", slip=slip.slip, chips={"500": 10}))
    void = house.action("slip.void", kind="credit", slip=slip.slip, reason="not needed")
    returned = house.agreed("cage", "", ("cage", "ines"), void)[-1]
    assert (returned.type, getattr(returned.data, "round", None)) == ("credit.returned.v1", None)


def buy_in(house: Cashiers, table: str) -> None:
    house.ok(
        "tables", table, "dora", house.action("buyin.make", seat=1, player="ann", amount_minor=1_000, tender="cash")
    )


def test_a_settlement_is_corrected_after_any_number_of_buyins(house: Cashiers) -> None:
    won(house, is_paid=True)
    credit_returned(house, "FR1")
    correct = {"bet": "b", "settled_in": 1, "amount_minor": 1_000, "reason": "by the camera"}
    for _ in range(BUYINS):
        buy_in(house, "FR1")
        [would] = house.send("tables", "FR1", "ines", house.action("settlement.correct", **correct, _intent="check"))
        assert isinstance(would, Checked), would
    events = house.agreed("tables", "FR1", ("ines", "sven"), house.action("settlement.correct", **correct))
    assert types_of(events)[-1] == "settlement.corrected.v1"


def hit_declared_by(house: Cashiers, person: str) -> int:
    """A Minor on box 1 of BJ1, declared by this person in the round that Dora deals; the share."""
    house.open_table("BJ1")
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
    start = [act("round.open"), *bets, act("bets.close"), act("progressive.arm"), *cards]
    house.ok("tables", "BJ1", "dora", *start)
    house.ok("tables", "BJ1", person, act("hit.declare", box=1, level="minor"))
    rest = [act("deal.complete"), act("hand.stand", box=1), act("card.deal", to="dealer", card="TC")]
    house.ok("tables", "BJ1", "dora", *rest, act("round.end"))
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")
    lock = due_lock_and_lapse_appending.current(house.store, PROPERTY, "blazing").lock(HIT)
    assert lock is not None
    return lock.share


def test_the_inspector_who_declared_a_hit_never_authorises_it(house: Cashiers) -> None:
    authorise = {"hit": HIT, "amount_minor": hit_declared_by(house, "ines")}
    credit_returned(house, "BJ1")
    for _ in range(BUYINS):
        buy_in(house, "BJ1")
        assert request_authority_checks.people_of_round(house.store, BLACKJACK, 1) == {"dora", "ines"}
        denied = house.no("progressives", "blazing", "ines", house.action("hit.authorise", **authorise))
        assert (denied.clause, denied.code, denied.params) == ("blazing7s P.4", "own-matter-acted", {"person": "ines"})
    done = house.ok("progressives", "blazing", "paul", house.action("hit.authorise", **authorise))
    assert types_of(done)[-1] == "hit.authorised.v1"


def test_a_hit_of_which_nobody_is_known_to_have_acted_is_decided_by_nobody(
    house: Cashiers, monkeypatch: pytest.MonkeyPatch
) -> None:
    authorise = {"hit": HIT, "amount_minor": hit_declared_by(house, "ines")}

    def nothing(*_: Any) -> tuple[()]:
        return ()

    monkeypatch.setattr(request_authority_checks, "events_of_round", nothing)
    for person in ("paul", "ines"):
        denied = house.no("progressives", "blazing", person, house.action("hit.authorise", **authorise))
        assert "The person who acted in the round is not known, so no one can decide this" in denied.detail
    void = house.no("progressives", "blazing", "paul", house.action("hit.void", hit=HIT, reason="keyed wrongly"))
    assert "The person who acted in the round is not known, so no one can decide this" in void.detail


def test_every_round_of_a_long_day_is_found(house: Cashiers) -> None:
    for number in range(1, 8):
        house.ok("tables", "FR1", "dora", house.action("round.open"))
        spin(house, 7, wheel="cw" if number % 2 else "ccw")
        credit_returned(house, "FR1")
        for _ in range(number * 5):
            buy_in(house, "FR1")
    stream = f"{PROPERTY}/tables/FR1/{DAY}"
    for number in range(1, 8):
        events = earlier_round_lookup.events_of_round(house.store, stream, number)
        assert types_of([*events])[:1] == ["round.opened.v1"]
        assert "round.ended.v1" in types_of([*events])
    assert earlier_round_lookup.events_of_round(house.store, stream, 8) == ()
