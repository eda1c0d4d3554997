"""Two people correct the wrong settlement of an ended round, before and after the close."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.envelope import AnyEnvelope
from events.runtime.clock import house_clock
from events.store import open_store
from events.tables.gaming_day_stream_for_action import session
from tests.regressions.test_late_payments import close, float_of, won
from tests.regressions.test_rolled_days import BET, spin
from tests.support.houses.small_house import House, types_of

PEOPLE = ("ines", "sven")
STAKE = 500


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """FR1 is open, its limits posted, its staff there."""
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if request.param == "sqlite" else "memory://"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house = House(open_store(url, house_clock()))
    house.open_table("FR1")
    yield house
    house.close()


def lost(house: House) -> int:
    """Play 5.00 on red, which loses in round 1, and return the stake."""
    house.ok("tables", "FR1", "dora", house.action("round.open"), house.action("bet.place", **BET))
    house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"), house.action("bets.close"))
    house.ok("tables", "FR1", "dora", house.action("ball.land", number=2), house.action("round.end"))
    return STAKE


def put_right(house: House, people: tuple[str, ...] = PEOPLE, **fields: Any) -> AnyEnvelope:
    action = house.action("settlement.correct", **({"bet": "b", "settled_in": 1, "reason": "by the camera"} | fields))
    return house.agreed("tables", "FR1", people, action)[-1]


def refused(house: House, person: str = "ines", **fields: Any) -> str:
    action = house.action("settlement.correct", **({"bet": "b", "settled_in": 1, "reason": "by the camera"} | fields))
    return str(house.no("tables", "FR1", person, action).detail)


def test_a_stake_that_was_twice_as_high(house: House) -> None:
    stake, before = lost(house), float_of(house)
    event = put_right(house, amount_minor=2 * stake)
    correction = event.data
    assert (event.type, event.actorrole, correction.round, correction.dealer) == (
        "settlement.corrected.v1",
        "surveillance",
        1,
        "dora",
    )
    assert (correction.stake_before_minor, correction.stake_minor) == (stake, 2 * stake)
    assert (correction.profit_before_minor, correction.profit_minor, correction.lost_minor, correction.due_minor) == (
        -stake,
        -2 * stake,
        stake,
        0,
    )
    assert {name for name, _role in correction.approvals} == {"ines", "sven"}
    assert float_of(house) == before + stake, "the tray held it all the time"
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    spin(house, 2, wheel="ccw")


def test_what_was_put_right_is_put_right_again(house: House) -> None:
    stake, before = lost(house), float_of(house)
    put_right(house, amount_minor=2 * stake)
    assert "This is the current value." in refused(house, amount_minor=2 * stake)
    again = put_right(house, amount_minor=stake).data
    assert (again.stake_before_minor, again.amount_minor, again.lost_minor) == (2 * stake, -stake, -stake)
    assert float_of(house) == before


def test_a_bet_that_never_lay_lost_nothing(house: House) -> None:
    stake, before = lost(house), float_of(house)
    assert put_right(house, amount_minor=0).data.lost_minor == -stake
    assert float_of(house) == before - stake
    assert "in proportion" in refused(house, amount_minor=stake)
    put_right(house, amount_minor=stake, profit_minor=-stake)
    assert float_of(house) == before


def test_a_bet_that_was_won_in_truth_is_due_and_paid_late(house: House) -> None:
    stake, before = lost(house), float_of(house)
    event = put_right(house, amount_minor=stake, profit_minor=stake).data
    assert (event.lost_minor, event.due_minor) == (-stake, stake)
    pays = house.action("payment.make", bet="b", amount_minor=stake, won_in=1)
    [paid] = house.ok("tables", "FR1", "dora", pays)
    assert (paid.data.due_minor, paid.data.won_in) == (stake, 1)
    assert float_of(house) == before - 2 * stake


def test_a_winner_of_less_is_due_less(house: House) -> None:
    won(house, is_paid=False)
    event = put_right(house, amount_minor=300).data
    assert (event.profit_minor, event.due_minor, event.lost_minor) == (300, -200, 0)
    pays = house.action("payment.make", bet="b", amount_minor=300, won_in=1)
    assert types_of(house.ok("tables", "FR1", "dora", pays)) == ["payment.made.v1"]


def test_what_was_paid_already_is_not_due_once_more(house: House) -> None:
    """A bet won and paid 5.00. After corrections to 3.00, to 5.00 and to 7.00, 2.00 is still due."""
    won(house, is_paid=True)
    for stands, rest_due in ((300, []), (400, []), (500, []), (700, [200]), (600, [100]), (300, []), (700, [200])):
        put_right(house, amount_minor=stands)
        assert [due.amount for due in session(house.desk.streams.new_view(), "FR1")[0].unpaid] == rest_due, stands


@pytest.mark.parametrize(
    ("paid", "stands", "left"), [(700, 700, []), (700, 600, []), (700, 900, [200]), (400, 400, []), (400, 600, [200])]
)
def test_what_was_paid_too_much_or_too_little_counts_when_it_is_put_right(
    house: House, paid: int, stands: int, left: list[int]
) -> None:
    """5.00 were due, and another amount was paid."""
    house.ok("tables", "FR1", "dora", house.action("round.open"), house.action("bet.place", **BET))
    house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"), house.action("bets.close"))
    pays = house.action("payment.make", bet="b", amount_minor=paid, _intent="fact")
    house.ok("tables", "FR1", "dora", house.action("ball.land", number=1), pays, house.action("round.end"))
    put_right(house, amount_minor=stands)
    assert [due.amount for due in session(house.desk.streams.new_view(), "FR1")[0].unpaid] == left


def test_what_was_brought_back_is_due_again_when_it_was_won_after_all(house: House) -> None:
    won(house, is_paid=True)
    put_right(house, amount_minor=300)
    report = {"bet": "b", "amount_minor": -200, "won_in": 1, "reason": "brought back", "_intent": "fact"}
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    house.ok("tables", "FR1", "paul", house.action("payment.report", **report))
    put_right(house, amount_minor=500)
    assert [due.amount for due in session(house.desk.streams.new_view(), "FR1")[0].unpaid] == [200]


def test_a_commission_that_was_taken_and_not_recorded_lay_in_the_tray(house: House) -> None:
    stake, before = lost(house), float_of(house)
    correction = put_right(house, amount_minor=stake, commission_minor=25).data
    assert (correction.amount_minor, correction.lost_minor, correction.commission_minor) == (0, 0, 25)
    assert float_of(house) == before + 25
    assert put_right(house, amount_minor=2 * stake, commission_minor=-25).data.lost_minor == stake
    assert float_of(house) == before + stake


def test_after_the_close_the_count_says_what_the_float_is(house: House) -> None:
    stake = lost(house)
    close(house)
    counted = float_of(house)
    event = put_right(house, amount_minor=2 * stake).data
    assert (event.after_close, event.lost_minor) == (True, stake)
    assert float_of(house) == counted


def test_a_request_outlives_the_close_of_its_table(house: House) -> None:
    stake = lost(house)
    action = house.action("settlement.correct", bet="b", settled_in=1, amount_minor=2 * stake, reason="the camera")
    request = house.ok("tables", "FR1", "ines", action)[-1].data
    close(house)
    give = house.action("approval.give", request=request.request, content=request.content)
    assert types_of(house.ok("tables", "FR1", "sven", give)) == ["approval.given.v1", "settlement.corrected.v1"]


REFUSED = [
    ({"bet": "x"}, "No bet x was decided in round 1. Check the bet and the round."),
    ({"settled_in": 9}, "No bet b was decided in round 9. Check the bet and the round."),
    ({"settled_in": 2}, "Round 2 is being played"),
    ({"amount_minor": 500}, "This is the current value."),
    ({"amount_minor": 500, "profit_minor": -501}, "With 500 on the layout the result cannot be -501"),
    ({"amount_minor": 0, "profit_minor": 1}, "With 0 on the layout the result cannot be 1"),
    ({"reason": " "}, "reason"),
]


@pytest.mark.parametrize(("fields", "why"), REFUSED)
def test_what_cannot_have_been_is_refused(house: House, fields: dict[str, Any], why: str) -> None:
    lost(house)
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    assert why in refused(house, **({"amount_minor": 1_000} | fields))


def test_it_takes_an_inspector_and_surveillance_who_did_not_act(house: House) -> None:
    stake = lost(house)
    assert "is for: inspector, pit boss" in refused(house, "dora", amount_minor=2 * stake)
    assert "is for: inspector, pit boss" in refused(house, "sven", amount_minor=2 * stake)
    assert "cannot be reported as a fact" in refused(house, amount_minor=2 * stake, _intent="fact")
    action = house.action("settlement.correct", bet="b", settled_in=1, amount_minor=2 * stake, reason="the camera")
    request = house.ok("tables", "FR1", "ines", action)[-1].data

    def agree(person: str) -> list[str]:
        give = house.action("approval.give", request=request.request, content=request.content)
        return types_of(house.ok("tables", "FR1", person, give))

    assert agree("paul") == ["approval.given.v1"], "another of the pit is not enough"
    assert agree("sven") == ["approval.given.v1", "settlement.corrected.v1"]
