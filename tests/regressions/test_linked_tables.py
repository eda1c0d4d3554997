"""A table and its progressive: one that is open, in the table's own currency, at the stakes that were filed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from events.envelope import Meta
from events.floor.table_installation_decider import TableInstalled
from events.progressives import due_lock_and_lapse_appending
from events.store import Append, EventStore, NewEvent, open_store
from events.tables.event_types.session import SessionOpened
from tests.support.houses.small_house import DAY, PROPERTY, House, progressive, types_of

FLOOR, OPENER = ("floor", "", "adam"), {"100": 1_000}


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    """An empty store on either database."""
    postgres = request.param == "postgres"
    store = open_store(request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path}/events.sqlite3")
    yield store
    store.close()


def bet(house: House, wager: str, amount: int) -> Any:
    return house.action("bet.place", bet=f"{wager}{amount}", wager=wager, amount_minor=amount, player="ann", box=1)


def install(house: House, table: str = "BJ3", **fields: Any) -> Any:
    where = {"pit": "A", "table": table, "game": "blackjack", "ruleset": "blackjack-trilux"}
    return house.action("table.install", **where, **fields)


def armed(house: House, stake: int) -> None:
    """A round at BJ1 with one progressive bet, up to the first card."""
    act = house.action
    house.open_table("BJ1")
    start = [act("round.open"), bet(house, "main", 1_000), bet(house, "blazing7s", stake)]
    house.ok("tables", "BJ1", "dora", *start, act("bets.close"), act("progressive.arm"))


def deal(house: House, *cards: str) -> list[Any]:
    """The initial deal of box 1 and the dealer; the cards in their order."""
    places: list[dict[str, Any]] = [{"to": "box", "box": 1}, {"to": "dealer"}, {"to": "box", "box": 1}]
    dealt = [house.action("card.deal", card=card, **where) for card, where in zip(cards, places, strict=True)]
    return house.ok("tables", "BJ1", "dora", *dealt)


def test_a_table_is_linked_to_no_progressive_that_is_not_open(store: EventStore) -> None:
    house = House(store)
    denied = house.no(*FLOOR, install(house, progressive="blazin"))
    assert (denied.status, denied.clause) == (422, "house link")
    assert "There is no progressive blazin, or it is not open. Open it before" in denied.detail
    house.close()


def test_a_progressive_that_is_asked_for_is_not_open_yet(store: EventStore) -> None:
    house = House(store)
    opening = house.action("progressive.open", **(progressive() | {"progressive": "second"}))
    house.ok("progressives", "second", "mark", opening)
    assert house.no(*FLOOR, install(house, progressive="second")).clause == "house link"
    house.close()


def test_a_table_that_was_linked_to_nothing_before_does_not_open(store: EventStore) -> None:
    """The table was linked to a missing progressive before links were checked."""
    house = House(store)
    _linked_to_nothing(house)
    opening = house.action("session.open", gaming_day=DAY, opener=OPENER)
    assert house.no("tables", "BJ3", "ines", opening).clause == "house link"
    house.close()


def test_a_session_that_was_linked_to_nothing_before_arms_no_round(store: EventStore) -> None:
    house = House(store)
    _linked_to_nothing(house)
    opened = SessionOpened(
        pit="A", table="BJ3", gaming_day=DAY, shift="day", ruleset="blackjack-trilux", game="blackjack",
        currency="EUR", opener={100: 1_000}, amount_minor=100_000, progressive="blazin",
    )  # fmt: skip
    _append(house, f"{PROPERTY}/tables/BJ3/{DAY}", opened)
    act, at = house.action, ("tables", "BJ3", "dora")
    house.ok("tables", "BJ3", "ines", act("limits.post", minimum_minor=500, maxima_minor={}), *_staff(house))
    house.ok(*at, act("shoe.load", shoe="s1", packs=6), act("round.open"))
    house.ok(*at, bet(house, "main", 1_000), bet(house, "blazing7s", 500), act("bets.close"))
    assert house.no(*at, act("progressive.arm")).clause == "house link"
    house.close()


@pytest.mark.parametrize("stake", [250, 2_500])
def test_the_stakes_are_those_that_were_filed(store: EventStore, stake: int) -> None:
    house = House(store, stakes_minor=[250, 2_500])
    armed(house, stake)
    deal(house, "7H", "7H", "7H")
    hit = house.ok("tables", "BJ1", "dora", house.action("hit.declare", box=1, level="major"))[0].data.hit
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"))
    assert due_lock_and_lapse_appending.reconcile(store, PROPERTY, "blazing") == 1
    fold = due_lock_and_lapse_appending.current(store, PROPERTY, "blazing")
    fed = stake * 40_000 / 1_000_000
    lock = fold.lock(hit)
    assert lock is not None
    assert lock.share == int(800_000 + fed)
    assert due_lock_and_lapse_appending.refused_facts(store, PROPERTY, "blazing") == []
    house.close()


def test_no_other_stake_is_taken(store: EventStore) -> None:
    """Earlier the table took and armed a stake of 500. The fold then refused the round, and no one was paid."""
    house = House(store, stakes_minor=[250, 2_500])
    house.open_table("BJ1")
    house.ok("tables", "BJ1", "dora", house.action("round.open"), bet(house, "main", 1_000))
    denied = house.no("tables", "BJ1", "dora", bet(house, "blazing7s", 500))
    assert denied.clause == "blazing7s L.1"
    assert "The stakes are 250 and 2500, not 500" in denied.detail
    house.close()


def test_a_session_of_before_keeps_the_rulesets_stakes_and_arms_none_that_would_be_lost(store: EventStore) -> None:
    house = House(store, stakes_minor=[250, 1_000])
    opened = SessionOpened(
        pit="A", table="BJ1", gaming_day=DAY, shift="day", ruleset="blackjack-trilux", game="blackjack",
        currency="EUR", opener={100: 1_000}, amount_minor=100_000, progressive="blazing",
    )  # fmt: skip
    _append(house, f"{PROPERTY}/tables/BJ1/{DAY}", opened)
    act, at = house.action, ("tables", "BJ1", "dora")
    house.ok("tables", "BJ1", "ines", act("limits.post", minimum_minor=500, maxima_minor={}), *_staff(house))
    house.ok(*at, act("shoe.load", shoe="s1", packs=6), act("round.open"), bet(house, "main", 1_000))
    assert house.no(*at, bet(house, "blazing7s", 250)).clause == "blazing7s L.1"
    laid = house.ok(*at, bet(house, "blazing7s", 500))[0]
    house.ok(*at, act("bets.close"))
    denied = house.no(*at, act("progressive.arm"))
    assert (denied.clause, "The stakes are 250 and 1000, not 500." in denied.detail) == ("blazing7s L.1", True)
    right = act("bet.correct", bet="blazing7s500", amount_minor=1_000, reason="the filed stake")
    right = _correcting(right, laid.id)
    house.ok("tables", "BJ1", "ines", right)
    assert types_of(house.ok(*at, act("progressive.arm"))) == ["progressive.armed.v1"]
    house.close()


@pytest.mark.parametrize(("basis", "profit"), [("to", 25_000), ("for", 24_000)])
def test_the_fixed_pays_count_as_they_were_filed(store: EventStore, basis: str, profit: int) -> None:
    """25 to 1, or 25 for 1 (BLZ-2): on 10.00."""
    house = House(store, basis=basis)
    armed(house, 1_000)
    deal(house, "7C", "TD", "7H")
    settled = house.ok("tables", "BJ1", "dora", house.action("deal.complete"))
    fixed = next(event.data for event in settled if getattr(event.data, "wager", "") == "blazing7s")
    assert (fixed.profit_minor, fixed.returned_minor) == (profit, 1_000)
    house.close()


def _staff(house: House) -> list[Any]:
    posts = (("dealer", "dora"), ("inspector", "ines"))
    return [house.action("staff.assign", post=post, person=person) for post, person in posts]


def _correcting(action: Any, event: str) -> Any:
    return replace(action, corrects=event)


def _append(house: House, stream: str, event: Any) -> None:
    """An event as it was accepted in earlier days."""
    meta = Meta(time="2026-11-20T18:00:00.000Z", actor="ines", actorrole="inspector")
    house.store.append([Append(stream, house.store.head(stream), [NewEvent(event, meta)])])


def _linked_to_nothing(house: House) -> None:
    table = TableInstalled(
        pit="A", table="BJ3", game="blackjack", ruleset="blackjack-trilux", currency="EUR", progressive="blazin"
    )
    _append(house, f"{PROPERTY}/floor", table)
    house.desk.streams.cache.forget()
