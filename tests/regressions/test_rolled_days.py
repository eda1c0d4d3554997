"""A table plays round the clock: its day is rolled between two rounds, in one append, without a loss."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from events import catalogue
from events.desk.command_and_answer_structs import Answer, Checked
from events.desk.desk import Desk
from events.desk.earlier_round_lookup import events_of_round
from events.envelope import AnyEnvelope, digest
from events.runtime.clock import house_clock
from events.store import open_store
from events.store.stream_chain_verification import verify
from events.streams.problem_details import Problem
from events.tables.gaming_day_stream_for_action import session
from tests.support.houses.small_house import DAY, PROPERTY, House, types_of

NEXT, LATER = "2026-11-21", "2026-11-22"
FLOAT = {"100": 1_000, "500": 1_000, "2500": 1_000}  # as `open_table` opens it
SOME = {"100": 1_010, "500": 1_000, "2500": 1_000}
BET = {"bet": "b", "wager": "red", "amount_minor": 500, "player": "p", "seat": 1, "on_zero": "prison"}
OLD, NEW = (f"{PROPERTY}/tables/FR1/{day}" for day in (DAY, NEXT))


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if request.param == "sqlite" else "memory://"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house = House(open_store(url, house_clock()))
    house.open_table("FR1")
    yield house
    house.close()


def spin(house: House, number: int, *, wheel: str = "cw") -> None:
    """Play a spin. At zero, bets on red lose half or go into prison."""
    ball = {"wheel": wheel, "ball": "ccw" if wheel == "cw" else "cw"}
    house.ok("tables", "FR1", "dora", house.action("ball.launch", **ball), house.action("bets.close"))
    house.ok("tables", "FR1", "dora", house.action("ball.land", number=number), house.action("round.end"))


def in_prison(house: House) -> None:
    """A bet of 5.00 is en prison, between two rounds."""
    house.ok("tables", "FR1", "dora", house.action("round.open"), house.action("bet.place", **BET))
    spin(house, 0)


def rolling(house: House, into: str = NEXT, **fields: Any) -> Any:
    return house.action("session.roll", gaming_day=into, closer=FLOAT, **fields)


def test_the_next_day_goes_on_with_all_that_was_there(house: House) -> None:
    in_prison(house)
    events = house.ok("tables", "FR1", "ines", rolling(house))
    assert types_of(events) == [
        *("session.rolled.v1", "session.opened.v1", "limits.posted.v1"),
        *("staff.assigned.v1", "staff.assigned.v1", "layout.carried.v1"),
    ]
    rolled, opened, carried = events[0].data, events[1].data, events[-1].data
    assert [event.subject for event in events] == [OLD, *[NEW] * 5]
    assert (rolled.into, opened.follows, rolled.closer, opened.opener) == (NEXT, OLD, FLOATS, FLOATS)
    assert (rolled.carried_minor, carried.amount_minor, carried.bets[0].zeros) == (500, 500, 1)
    house.ok("tables", "FR1", "dora", house.action("round.open", _round=0))
    spin(house, 1, wheel="ccw")
    settled = next(e.data for e in stored(house, NEW) if e.type == "bet.settled.v1")
    assert (settled.bet, settled.round, settled.outcome) == ("b", 1, "released")


FLOATS = {int(chip): count for chip, count in FLOAT.items()}


def stored(house: House, stream: str) -> list[AnyEnvelope]:
    return [catalogue.decode(event.type, event.raw) for event in house.store.stream(stream)]


def test_the_chain_goes_on(house: House) -> None:
    house.ok("tables", "FR1", "ines", rolling(house))
    assert stored(house, NEW)[0].prev == digest(house.store.stream(OLD)[-1].raw).hex()
    assert verify(house.store).findings == []


def test_a_repeat_gets_the_same_answer_of_both_days(house: House) -> None:
    action = rolling(house)
    first = house.ok("tables", "FR1", "ines", action)
    [again] = house.send("tables", "FR1", "ines", action)
    assert isinstance(again, Answer)
    assert again.repeated
    assert [recorded.position for recorded in again.events] == list(range(again.position - 5, again.position + 1))
    assert len(first) == len(again.events)


def test_what_follows_in_one_request_is_the_next_day_s(house: House) -> None:
    played = house.ok("tables", "FR1", "ines", rolling(house), house.action("round.open"))
    assert [event.subject for event in played[-2:]] == [NEW, NEW]
    closed = house.action("session.close", closer=FLOAT)
    assert house.no("tables", "FR1", "ines", closed).status == 422, "a round is open there"


def test_what_waits_lapses_and_the_old_day_is_counted(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    house.ok("tables", "FR1", "paul", house.action("round.void", round=1, reason="a call was missed"))
    spin(house, 7)
    events = house.ok("tables", "FR1", "ines", rolling(house))
    assert [(e.subject, e.data.why) for e in events if e.type == "approval.lapsed.v1"] == [(OLD, "table closed")]
    view = house.desk.streams.new_view()
    assert session(view, "FR1", DAY)[0].status == "closed"
    assert session(view, "FR1")[0].gaming_day == NEXT


@pytest.mark.parametrize(
    ("into", "why"),
    [(DAY, "does not come after 2026-11-20"), ("2026-11-19", "does not come after"), ("2026-11-23", "is not near")],
)
def test_into_a_day_that_does_not_come_next(house: House, into: str, why: str) -> None:
    assert why in house.no("tables", "FR1", "ines", rolling(house, into)).detail


def test_in_a_round_or_with_winnings_unpaid_or_by_a_dealer_it_is_refused(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), house.action("bet.place", **BET))
    assert house.no("tables", "FR1", "dora", rolling(house)).status == 403
    assert house.no("tables", "FR1", "ines", rolling(house)).clause == "roulette phase"
    spin_without_payment(house)
    refused = house.no("tables", "FR1", "ines", rolling(house))
    assert (refused.clause, "Winnings of the old gaming day are not paid yet: 1." in refused.detail) == (
        "house roll",
        True,
    )
    house.ok("tables", "FR1", "dora", house.action("payment.make", bet="b", amount_minor=500))
    house.ok("tables", "FR1", "ines", rolling(house))


def spin_without_payment(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"), house.action("bets.close"))
    house.ok("tables", "FR1", "dora", house.action("ball.land", number=1))
    house.ok("tables", "FR1", "ines", house.action("round.end", _intent="fact"))


def test_its_rounds_are_found_still(house: House) -> None:
    for number in (7, 8, 9):
        house.ok("tables", "FR1", "dora", house.action("round.open"))
        spin(house, number, wheel="cw" if number % 2 else "ccw")
    house.ok("tables", "FR1", "ines", rolling(house))
    house.ok("tables", "FR1", "ines", house.action("round.open"))
    for number in (1, 2, 3):
        events = events_of_round(house.store, OLD, number)
        assert events[0].type == "round.opened.v1"
        assert {event.data.round for event in events} == {number}


def test_a_table_that_is_closed_is_not_rolled(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=FLOAT))
    assert "not open" in house.no("tables", "FR1", "ines", rolling(house)).detail


def test_neither_day_is_void_afterwards(house: House) -> None:
    house.ok("tables", "FR1", "ines", rolling(house))
    refused = house.no("tables", "FR1", "ines", house.action("session.void", reason="a slip"))
    assert (refused.clause, "money moved" in refused.detail) == ("house void", True)


def test_a_check_says_that_it_may_be_and_nothing_of_what_the_count_is_held_against(house: House) -> None:
    check = house.action("session.roll", gaming_day=NEXT, closer=FLOAT, _intent="check")
    before = house.store.position()
    [would] = house.send("tables", "FR1", "ines", check)
    assert isinstance(would, Checked)
    assert house.store.position() == before
    assert not would.events
    house.ok("tables", "FR1", "ines", rolling(house))


def test_another_process_sees_it_and_rolls_on(house: House) -> None:
    in_prison(house)
    house.ok("tables", "FR1", "ines", rolling(house))
    house.desk.close()
    house.desk = Desk(house.store, PROPERTY)
    view = house.desk.streams.new_view()
    session_ = session(view, "FR1")[0]
    assert (session_.gaming_day, session_.bets["b"].zeros, session_.play.turned, session_.minimum) == (
        NEXT,
        1,
        "cw",
        500,
    )


def test_two_processes_roll_one_day_and_one_of_them_does(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    other, mine, append = Desk(house.store, PROPERTY), house.desk, house.store.append

    def meanwhile(appends: Any, keys: Any = ()) -> Any:
        monkeypatch.setattr(house.store, "append", append)
        house.desk = other
        house.ok("tables", "FR1", "ines", rolling(house))
        house.desk = mine
        return append(appends, keys)

    monkeypatch.setattr(house.store, "append", meanwhile)
    with capture_logs():
        [reply] = house.send("tables", "FR1", "ines", rolling(house, NEXT))
    other.close()
    assert isinstance(reply, Problem)
    assert "does not come after 2026-11-21" in reply.detail
    assert len([event for event in stored(house, NEW) if event.type == "session.opened.v1"]) == 1


def test_a_linked_table_takes_the_terms_of_its_progressive_and_its_shoe_along(house: House) -> None:
    house.open_table("BJ1")
    house.ok("tables", "BJ1", "dora", house.action("round.open"), house.action("bet.place", **on_box(1, "main")))
    house.ok("tables", "BJ1", "dora", house.action("bet.withdraw", bet="main"))
    house.agreed("tables", "BJ1", ("ines", "sven"), house.action("round.void", round=1, reason="nobody played"))
    events = house.ok("tables", "BJ1", "ines", rolling(house))
    assert (events[1].data.progressive, events[1].data.stakes_minor) == ("blazing", (500, 1_000))
    assert (events[-1].data.play["shoe"], events[-1].data.play["packs"]) == ("s1", 6)
    house.ok("tables", "BJ1", "dora", house.action("round.open"), house.action("bet.place", **on_box(1, "main")))


def on_box(box: int, wager: str) -> dict[str, Any]:
    return {"bet": wager, "wager": wager, "amount_minor": 1_000, "player": "p", "box": box}
