"""A payment found only in the next round, or after the table's close: a pit boss reports it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk.command_and_answer_structs import Checked, Command
from events.desk.desk import Desk
from events.envelope import AnyEnvelope, Who
from events.runtime.clock import house_clock
from events.store import open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables.gaming_day_stream_for_action import session
from tests.regressions.test_rolled_days import BET, FLOAT, spin, spin_without_payment
from tests.support.houses.small_house import DAY, House, events_of, types_of

WON = {"bet": "b", "amount_minor": 500, "won_in": 1, "reason": "the dealer paid it again, says the camera"}


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """Yield FR1, whose first round won 5.00 on red and paid it."""
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if request.param == "sqlite" else "memory://"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house = House(open_store(url, house_clock()))
    house.open_table("FR1")
    yield house
    house.close()


def won(house: House, *, is_paid: bool) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), house.action("bet.place", **BET))
    if not is_paid:
        spin_without_payment(house)
        return
    house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"), house.action("bets.close"))
    pays = house.action("payment.make", bet="b", amount_minor=500)
    house.ok("tables", "FR1", "dora", house.action("ball.land", number=1), pays, house.action("round.end"))


def close(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=FLOAT))


def report(house: House, **fields: Any) -> list[AnyEnvelope]:
    return house.ok("tables", "FR1", "paul", house.action("payment.report", _intent="fact", **(WON | fields)))


def float_of(house: House) -> int:
    return session(house.desk.streams.new_view(), "FR1")[0].float_minor


def test_a_winner_paid_twice_is_found_when_the_next_round_has_begun(house: House) -> None:
    won(house, is_paid=True)
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    before = float_of(house)
    events = report(house)
    assert types_of(events) == ["payment.made.v1", "irregularity.recorded.v1"]
    paid, irregular = events[0].data, events[1].data
    assert (paid.won_in, paid.round, paid.due_minor, paid.wager, paid.player, paid.seat) == (1, 2, 0, "red", "p", 1)
    assert (paid.reason, paid.after_close, events[0].actorrole) == (WON["reason"], False, "pit boss")
    assert (irregular.kind, irregular.amount_minor, irregular.player) == ("mispay", 500, "p")
    assert float_of(house) == before - 500
    spin(house, 2, wheel="ccw")


def test_a_winner_left_unpaid_was_paid_before_the_close(house: House) -> None:
    won(house, is_paid=False)
    close(house)
    counted = float_of(house)
    [event] = report(house, reason="the last queue of the terminal was lost")
    assert (event.data.due_minor, event.data.after_close) == (500, True)
    assert float_of(house) == counted, "the count says what the float is"
    again = report(house)
    assert (again[0].data.due_minor, again[1].data.amount_minor) == (0, 500)


def test_after_the_count_and_on_a_later_day_by_another_desk(house: House) -> None:
    won(house, is_paid=True)
    close(house)
    house.ok("tables", "FR1", "ines", house.action("drop.remove", drop_box="b1"))
    house.ok("tables", "FR1", "cora", house.action("drop.count", drop_box="b1", amount_minor=0))
    house.ok("tables", "FR1", "ines", house.action("session.open", gaming_day="2026-11-21", opener=FLOAT))
    house.desk.close()
    house.desk = Desk(house.store, "athens")
    action = house.action("payment.report", _intent="fact", **WON)
    who = Who(person="paul", roles=frozenset(), factor_s=0)
    events = events_of(house.desk.do(Command(Target("tables", "FR1", DAY), (action,), who)))
    assert (events[0].data.gaming_day, events[0].data.after_close) == (DAY, True)


def test_whoever_wants_to_report_one_may_ask_first_what_would_be(house: House) -> None:
    """A pit boss can check a payment report before sending it, although a report is always a fact."""
    won(house, is_paid=True)
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    before = house.store.position()
    [checked] = house.send("tables", "FR1", "paul", house.action("payment.report", _intent="check", **WON))
    assert isinstance(checked, Checked)
    assert house.store.position() == before
    assert [event.type for event in checked.events] == types_of(report(house))


@pytest.mark.parametrize(
    ("person", "fields", "why"),
    [
        ("dora", {}, "payment.report is for: pit boss"),
        ("ines", {}, "payment.report is for: pit boss"),
        ("paul", {"_intent": "ask"}, "as a fact"),
        ("paul", {"won_in": 9}, "No bet b was settled in round 9. Check the bet and the round."),
        ("paul", {"won_in": 2}, "The round is still at the table."),
    ],
)
def test_it_is_not_recorded(house: House, person: str, fields: dict[str, Any], why: str) -> None:
    won(house, is_paid=True)
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    action = house.action("payment.report", **({"_intent": "fact"} | WON | fields))
    assert why in house.no("tables", "FR1", person, action).detail


def test_on_a_bet_that_nobody_recorded_it_is_a_mispay_with_nothing_due(house: House) -> None:
    won(house, is_paid=True)
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    paid, irregular = house.ok(
        "tables", "FR1", "paul", house.action("payment.report", _intent="fact", **{**WON, "bet": "x"})
    )
    assert (paid.data.wager, paid.data.due_minor, irregular.data.kind) == ("unknown", 0, "mispay")


@pytest.mark.parametrize("factor_s", [None, 10_000])
def test_a_badge_that_was_found_reports_no_payment(house: House, factor_s: int | None) -> None:
    """A reported payment takes chips from the tray, so the reporter needs a second factor."""
    won(house, is_paid=True)
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    action = house.action("payment.report", _intent="fact", **WON)
    before = house.store.position()
    who = Who(person="paul", roles=frozenset(), factor_s=factor_s)
    [reply] = house.desk.do(Command(Target("tables", "FR1"), (action,), who))
    assert isinstance(reply, Problem)
    assert (reply.status, reply.title) == (403, "Second factor")
    assert house.store.position() == before
    report(house)


def test_nor_of_a_table_that_was_never_opened(house: House) -> None:
    [reply] = house.send("tables", "BJ1", "paul", house.action("payment.report", _intent="fact", **WON))
    assert isinstance(reply, Problem)
