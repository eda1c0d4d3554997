"""A late winner: declared after fifty later rounds, after the table's close, after the count, or on another day."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk import earlier_round_lookup
from events.desk.command_and_answer_structs import Command
from events.envelope import Action, AnyEnvelope, Who
from events.progressives import due_lock_and_lapse_appending
from events.store import EventStore, open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables.event_types.progressive import DealCompleted
from events.tables.event_types.rounds import RoundOpened
from tests.support.houses.small_house import DAY, PROPERTY, House, events_of

NAME, TABLE, STREAM = "blazing", "BJ1", f"{PROPERTY}/tables/BJ1/{DAY}"
LATE = {"round": 1, "box": 1, "level": "mega"}


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house whose first round at BJ1 has an undeclared Mega."""
    postgres = request.param == "postgres"
    store = open_store(request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path}/events.sqlite3")
    house = House(store)
    house.open_table(TABLE)
    play(house, 1, "7D")
    yield house
    house.close()


def play(house: House, number: int, card: str = "2C") -> None:
    """Play a whole round with one progressive bet on box 1, of three cards and the dealer's draw."""
    act = house.action
    bets = [
        act("bet.place", bet=f"{wager}{number}", wager=wager, amount_minor=1_000, player="ann", box=1)
        for wager in ("main", "blazing7s")
    ]
    first = [
        act("card.deal", card=card, **({"to": "box", "box": 1} if to == "b" else {"to": "dealer"})) for to in "bdb"
    ]
    start = [act("shoe.load", shoe=f"s{number}", packs=6), act("round.open"), *bets, act("bets.close")]
    house.ok("tables", TABLE, "dora", *start, act("progressive.arm"), *first, act("deal.complete"))
    drawn = ("4C", "8C") if card == "7D" else ("TC", "5C")
    rest = [act("card.deal", to="dealer", card=card) for card in drawn]
    settled = house.ok("tables", TABLE, "dora", act("hand.stand", box=1), *rest)
    due = [event.data for event in settled if getattr(event.data, "profit_minor", 0) > 0]
    pays = [act("payment.make", bet=data.bet, amount_minor=data.profit_minor) for data in due]
    house.ok("tables", TABLE, "dora", *pays, act("round.end"))


def close(house: House) -> None:
    house.ok("tables", TABLE, "ines", house.action("session.close", closer={"100": 10}))


def send(house: House, person: str, action: Action, gaming_day: str | None = None) -> list[AnyEnvelope]:
    who = Who(person=person, roles=frozenset(), factor_s=0)
    [reply] = house.desk.do(Command(Target("tables", TABLE, gaming_day), (action,), who))
    assert not isinstance(reply, Problem), reply
    return events_of([reply])


def agree(house: House, request: Any, gaming_day: str | None = None) -> Any:
    approval = house.action("approval.give", request=request.request, content=request.content)
    return send(house, "sven", approval, gaming_day)[-1].data


def declared(house: House, gaming_day: str | None = None) -> Any:
    """The late hit, by two people."""
    [requested] = send(house, "ines", house.action("hit.declare_late", **LATE), gaming_day)
    return agree(house, requested.data, gaming_day)


def is_locked(house: House, hit: str) -> None:
    """Assert that the hit gets the whole meter, as no other hit shares it."""
    assert due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, NAME) == 1
    lock = due_lock_and_lapse_appending.current(house.store, PROPERTY, NAME).lock(hit)
    assert lock is not None
    assert lock.hits == (hit,)
    assert lock.share > 5_000_000
    assert due_lock_and_lapse_appending.refused_facts(house.store, PROPERTY, NAME) == []


def test_a_request_of_before_the_close_is_agreed_to_after_it(house: House) -> None:
    [requested] = send(house, "ines", house.action("hit.declare_late", **LATE))
    close(house)
    hit = agree(house, requested.data)
    assert (hit.TYPE, hit.round, hit.dealer, hit.player) == ("hit.declared_late.v1", 1, "dora", "ann")
    is_locked(house, hit.hit)


def test_is_declared_after_the_count(house: House) -> None:
    close(house)
    house.ok("tables", TABLE, "ines", house.action("drop.remove", drop_box="b1"))
    house.ok("tables", TABLE, "cora", house.action("drop.count", drop_box="b1", amount_minor=0))
    is_locked(house, declared(house).hit)


def test_is_declared_of_an_earlier_gaming_day_by_another_desk(house: House) -> None:
    close(house)
    opening = house.action("session.open", gaming_day="2026-11-21", opener={"100": 10})
    house.ok("tables", TABLE, "ines", opening)
    house.desk.streams.cache.forget()
    is_locked(house, declared(house, DAY).hit)
    problem = house.no("tables", TABLE, "ines", house.action("hit.declare_late", **LATE))
    assert problem.clause == "blazing7s P.1"


def test_nothing_else_is_asked_or_agreed_to_after_the_close(house: House) -> None:
    house.ok("tables", TABLE, "dora", house.action("round.open"))
    request = house.ok("tables", TABLE, "ines", house.action("round.void", round=2, reason="a misdeal"))[0].data
    _end(house)
    close(house)
    approval = house.action("approval.give", request=request.request, content=request.content)
    assert house.no("tables", TABLE, "sven", approval).clause == "house session"
    assert house.no("tables", TABLE, "dora", house.action("round.open")).clause == "house session"


def _end(house: House) -> None:
    request = house.ok("tables", TABLE, "ines", house.action("round.void", round=2, reason="wrong table"))[0].data
    house.ok("tables", TABLE, "sven", house.action("approval.give", request=request.request, content=request.content))


def test_is_declared_fifty_rounds_later_and_again_where_that_was_void(house: House) -> None:
    for number in range(2, 54):
        play(house, number)
    first = declared(house).hit
    assert first == f"BJ1-{DAY}-1-1-late"
    denied = house.no("tables", TABLE, "ines", house.action("hit.declare_late", **LATE))
    assert denied.detail == f"The hit of box 1 is declared already: {first}. Check the box."
    house.grant("will", "surveillance")
    for declarer in ("ines", "sven"):
        own = house.no("progressives", NAME, declarer, house.action("hit.void", hit=first, reason="keyed wrongly"))
        assert own.code == "own-matter-acted"
        assert f"{declarer} is the round's dealer, or armed, dealt or declared in it. Another" in own.detail
    void = house.ok("progressives", NAME, "paul", house.action("hit.void", hit=first, reason="keyed wrongly"))[0].data
    approval = house.action("approval.give", request=void.request, content=void.content)
    house.ok("progressives", NAME, "will", approval)
    close(house)
    house.desk.streams.cache.forget()
    assert declared(house).hit == f"BJ1-{DAY}-1-1-late-2"
    assert due_lock_and_lapse_appending.refused_facts(house.store, PROPERTY, NAME) == []
    for wrong in ({**LATE, "level": "minor"}, {**LATE, "box": 2}, {**LATE, "round": 2}, {**LATE, "round": 99}):
        house.no("tables", TABLE, "ines", house.action("hit.declare_late", **wrong))


def test_who_declared_it_does_not_authorise_it(house: House) -> None:
    """Above the limit, an inspector and surveillance declare the hit, and two other people authorise it."""
    hit = declared(house).hit
    is_locked(house, hit)
    house.grant("will", "surveillance")
    lock = due_lock_and_lapse_appending.current(house.store, PROPERTY, NAME).lock(hit)
    assert lock is not None
    fields = {"hit": hit, "amount_minor": lock.share}
    for person in ("ines", "sven"):
        denied = house.no("progressives", NAME, person, house.action("hit.authorise", **fields))
        assert denied.code == "own-matter-acted"
        assert f"{person} is the round's dealer, or armed, dealt or declared in it. Another" in denied.detail
    request = house.ok("progressives", NAME, "paul", house.action("hit.authorise", **fields))[-1].data
    approval = {"request": request.request, "content": request.content}
    assert (
        "Another person must decide."
        in house.no("progressives", NAME, "sven", house.action("approval.give", **approval)).detail
    )
    done = house.ok("progressives", NAME, "will", house.action("approval.give", **approval))[-1]
    assert done.type == "hit.authorised.v1"


def test_a_round_is_found_by_a_few_looks(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2, 20):
        play(house, number)
    declared(house)  # which looks back
    play(house, 20)
    pages = []
    stream = house.store.stream

    def counted(name: str, after: int = 0, limit: int | None = None) -> Any:
        pages.append(after)
        return stream(name, after, limit)

    monkeypatch.setattr(house.store, "stream", counted)
    for number in (1, 2, 11, 19, 20):
        pages.clear()
        events = earlier_round_lookup.events_of_round(house.store, STREAM, number)
        data = [event.data for event in events]
        assert [event.round for event in data if isinstance(event, RoundOpened | DealCompleted)] == [number] * 2
        assert len(pages) < 16
    assert earlier_round_lookup.events_of_round(house.store, STREAM, 21) == ()


def test_who_may_declare_none_makes_nobody_read(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[EventStore] = []
    monkeypatch.setattr("events.kinds.table_stream_declaration.events_of_round", lambda store, *_: read.append(store))
    assert house.no("tables", TABLE, "dora", house.action("hit.declare_late", **{**LATE, "round": 7})).status == 403
    assert read == []
