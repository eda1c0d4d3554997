"""Colour chips at a wheel: a player's colour, the value of its chips, and what the screen stakes."""

from collections.abc import Iterator
from typing import Any

import pytest

from events.envelope import Who
from events.tables.screen.repeatable_stakes_and_undo_steps import SeatView
from events.tables.screen.screen import Screen
from tests.support.houses.small_house import House

DORA = Who(person="dora", roles=frozenset(), factor_s=0)


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    house.open_table("FR1")
    yield house
    house.close()


def colour(
    house: House, player: str = "p", colour: int = 3, value_minor: int = 500, seat: int = 2, **fields: Any
) -> Any:
    about = {"player": player, "colour": colour, "value_minor": value_minor, "seat": seat}
    return house.action("colour.set", **about, **fields)


def screen(house: House) -> Screen:
    return house.desk.questions.screen("FR1", None, (DORA,))


def seat_of(house: House, player: str) -> SeatView:
    return next(seat for seat in screen(house).seats if seat.player == player)


def stake(house: House, player: str = "p", name: str = "b1") -> Any:
    return house.action("bet.place", bet=name, player=player, seat=2, wager="red", amount_minor=500)


def test_a_player_s_colour_and_its_value_stand_at_the_seat(house: House) -> None:
    house.ok("tables", "FR1", "dora", colour(house))
    assert seat_of(house, "p").chip_minor == 500
    house.ok("tables", "FR1", "dora", house.action("round.open"), stake(house))
    seat = seat_of(house, "p")
    assert (seat.colour, seat.chip_minor, seat.is_taken) == (3, 500, True)
    others = [seat.colour for seat in screen(house).seats if seat.player != "p"]
    assert 3 not in others
    house.ok("tables", "FR1", "dora", house.action("bet.withdraw", bet="b1"))
    house.ok("tables", "FR1", "dora", house.action("colour.return", player="p"))
    assert all(seat.chip_minor is None for seat in screen(house).seats)


@pytest.mark.parametrize("value_minor", [1, 50, 501, 10_100])
def test_a_value_is_within_the_limits_in_steps_of_the_smallest_chip(house: House, value_minor: int) -> None:
    house.ok("tables", "FR1", "ines", house.action("limits.post", minimum_minor=500, maxima_minor={"straight": 10_000}))
    refused = house.no("tables", "FR1", "dora", colour(house, value_minor=value_minor))
    assert (refused.status, refused.clause, refused.code) == (422, "house colours", "colour-value")


def test_two_players_have_two_colours_and_one_player_has_one(house: House) -> None:
    house.ok("tables", "FR1", "dora", colour(house))
    assert house.no("tables", "FR1", "dora", colour(house, player="q", seat=4)).code == "colour-of-another"
    house.ok("tables", "FR1", "dora", colour(house, player="q", seat=4, colour=4), colour(house, colour=5))
    house.ok("tables", "FR1", "dora", colour(house, player="q", seat=4, colour=3))


def test_the_value_does_not_change_under_chips_on_the_layout(house: House) -> None:
    house.ok("tables", "FR1", "dora", colour(house), house.action("round.open"), stake(house))
    for action in (colour(house, value_minor=1_000), house.action("colour.return", player="p")):
        assert house.no("tables", "FR1", "dora", action).code == "colour-in-play"
    events = house.ok("tables", "FR1", "dora", colour(house, value_minor=1_000, _intent="fact"))
    assert [event.type for event in events] == ["colour.set.v1", "irregularity.recorded.v1"]
    assert seat_of(house, "p").chip_minor == 1_000


def test_a_colour_that_was_not_given_is_not_taken_back(house: House) -> None:
    assert house.no("tables", "FR1", "dora", house.action("colour.return", player="p")).code == "colour-not-given"


def test_colours_go_along_into_the_next_day(house: House) -> None:
    house.ok("tables", "FR1", "dora", colour(house))
    roll = house.action("session.roll", gaming_day="2026-11-21", closer={"500": 3_000})
    house.ok("tables", "FR1", "ines", roll)
    house.ok("tables", "FR1", "dora", house.action("colour.return", player="p"))
