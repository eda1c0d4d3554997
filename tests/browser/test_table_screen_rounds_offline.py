"""Whole rounds without signal, by fingers: the device has every step, and the house records each."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.craps import CrapsTable
from tests.support.cases_at_tables.tables import at_table, open_tables
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MAIN = 2_500
SHOWN = ".large-steps .act, .large-steps .standing"


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        open_tables(opened)
        yield opened


def lose_signal(robot: RobotDealer) -> None:
    robot.page.context.set_offline(True)
    robot.page.locator(".offline").wait_for()


def find_signal(robot: RobotDealer) -> None:
    robot.page.context.set_offline(False)
    robot.page.locator('.bar[data-state="live"][data-pending="0"]').wait_for()


def cards(robot: RobotDealer, *codes: str) -> None:
    """Cards where the screen says that they go."""
    for code in codes:
        robot.tap_at(f'.dock-pad [data-card="{code}"]')


def do(robot: RobotDealer, step: str, of: str = "{}") -> None:
    robot.tap_at(f"""[data-do="{step}"][data-of='{of}']""")


def card_to(robot: RobotDealer, code: str, of: str) -> None:
    """A card for the step with these data: where the pad does not stand for it, the step is tapped first."""
    if not robot.page.locator(f".dock-pad[data-of='{of}']").count():
        do(robot, "card.deal", of)
    cards(robot, code)


def next_step(robot: RobotDealer) -> str:
    return robot.page.locator(SHOWN).first.inner_text()


def of_round(house: Screens, table: str, begun: int) -> list[Any]:
    return list(house.night.events(table)[begun:])


def dealt(events: list[Any]) -> list[tuple[int | None, int, str]]:
    return [(event.data.box, event.data.hand, event.data.card) for event in events if event.type == "card.dealt.v1"]


def marks(events: list[Any]) -> list[str]:
    return [event.data.kind for event in events if event.type == "irregularity.recorded.v1"]


def test_doubles_and_splits_of_a_round_that_lost_its_signal_before_the_deal(house: Screens) -> None:
    """Box 1 doubles, box 2 splits twice and doubles a hand, box 3 stands."""
    robot = RobotDealer(house.at_work("BJ1"))
    begun = len(house.night.events("BJ1"))
    robot.step("round.open")
    for box in (1, 2, 3):
        robot.stake("main", MAIN, seat=box)
    lose_signal(robot)
    assert robot.page.locator("[data-closed=progressive]").count() == 1
    do(robot, "bets.close")
    assert not robot.page.locator("[data-do='hand.stand'][data-of*='hand']").count(), "no hand was split"
    cards(robot, "5C", "8H", "TC", "6D", "6C", "8S", "9C")
    do(robot, "deal.complete")
    do(robot, "hand.double", '{"box":1}')
    assert "box 1" in next_step(robot)
    cards(robot, "TS")
    do(robot, "hand.split", '{"box":2}')
    cards(robot, "8D", "3H")
    assert robot.page.locator(".dock-pad").get_attribute("data-of") == '{"to":"box","box":2}'
    do(robot, "hand.split", '{"box":2}')
    for hand, code in ((0, "KD"), (1, "QD")):
        card_to(robot, code, f'{{"to":"box","box":2{f""","hand":{hand}""" if hand else ""}}}')
    do(robot, "hand.stand", '{"box":2}')
    do(robot, "hand.stand", '{"box":2,"hand":1}')
    do(robot, "hand.double", '{"box":2,"hand":2}')
    card_to(robot, "7D", '{"to":"box","box":2,"hand":2}')
    do(robot, "hand.stand", '{"box":3}')
    card_to(robot, "KC", '{"to":"dealer"}')
    card_to(robot, "2D", '{"to":"dealer"}')
    find_signal(robot)
    robot.pay_all()
    robot.step("round.end")
    events = of_round(house, "BJ1", begun)
    assert marks(events) == []
    assert dealt(events) == [
        (1, 0, "5C"), (2, 0, "8H"), (3, 0, "TC"), (None, 0, "6D"), (1, 0, "6C"), (2, 0, "8S"), (3, 0, "9C"),
        (1, 0, "TS"), (2, 0, "8D"), (2, 1, "3H"), (2, 0, "KD"), (2, 1, "QD"), (2, 2, "7D"), (None, 0, "KC"),
        (None, 0, "2D"),
    ]  # fmt: skip
    types = [event.type for event in events]
    assert (types.count("hand.doubled.v1"), types.count("hand.split.v1"), types.count("hand.stood.v1")) == (2, 2, 3)


def test_two_rounds_without_signal_have_each_its_own_boxes(house: Screens) -> None:
    """The house is last heard of before the first of them; a stake of the second is a bet of its own."""
    robot = RobotDealer(house.at_work("BJ1"))
    begun = len(house.night.events("BJ1"))
    lose_signal(robot)
    for boxes, own in (((1, 3), ("TC", "9H", "6D", "9C", "9D")), ((2, 3), ("2C", "3H", "7D", "TH", "JH"))):
        do(robot, "round.open")
        robot.choose_chip(MAIN)
        for box in boxes:
            robot.tap_at(f'[data-place="main"][data-seat="{box}"]')
        do(robot, "bets.close")
        cards(robot, *own)
        do(robot, "deal.complete")
        for box in boxes:
            do(robot, "hand.stand", f'{{"box":{box}}}')
        cards(robot, "TS")
        do(robot, "round.end")
    find_signal(robot)
    events = of_round(house, "BJ1", begun)
    placed = [(event.data.round, event.data.box) for event in events if event.type == "bet.placed.v1"]
    first = placed[0][0]
    assert placed == [(first, 1), (first, 3), (first + 1, 2), (first + 1, 3)]
    assert [box for box, _hand, _card in dealt(events)] == [1, 3, None, 1, 3, None, 2, 3, None, 2, 3, None]
    assert "bet.restaked.v1" not in {event.type for event in events}


def test_a_coup_without_signal_has_its_cards_on_both_sides(house: Screens) -> None:
    robot = RobotDealer(house.at_work("PB1"))
    begun = len(house.night.events("PB1"))
    lose_signal(robot)
    do(robot, "round.open")
    robot.choose_chip(MAIN)
    robot.tap_at('[data-place="banker"][data-seat="4"]')
    do(robot, "bets.close")
    cards(robot, "2D", "7D", "3H", "QS", "KC")
    do(robot, "round.end")
    find_signal(robot)
    events = of_round(house, "PB1", begun)
    assert set(marks(events)) <= {"unpaid"}
    sides = [(event.data.to, event.data.card) for event in events if event.type == "card.dealt.v1"]
    assert sides == [("player", "2D"), ("banker", "7D"), ("player", "3H"), ("banker", "QS"), ("player", "KC")]


def straight(robot: RobotDealer, *numbers: int) -> None:
    for number in numbers:
        robot.tap_at(f'[data-place="straight {number}"]')


def test_spins_without_signal_have_each_its_own_bets(house: Screens) -> None:
    """A number takes the bets off, but a stake en prison after zero; "same again" has the stakes of the last spin."""
    robot = RobotDealer(house.at_work("FR1"))
    begun = len(house.night.events("FR1"))
    robot.step("round.open")
    robot.stake("straight 7", MAIN, player_seat=1)
    robot.stake("red", MAIN, player_seat=1)
    robot.step("bet.instruct", {"bet": robot.bets()[-1], "on_zero": "prison"})
    lose_signal(robot)
    for number, numbers in ((0, ()), (4, (8, 9)), (17, ())):
        if numbers:
            do(robot, "round.open")
            assert len(robot.bets()) == 1, "the stake en prison"
            straight(robot, *numbers)
            assert len(robot.bets()) == 3
        elif number:
            do(robot, "round.open")
            assert robot.bets() == []
            robot.tap(do="same-again")
            assert len(robot.bets()) == 2
        assert "Launch ball" in next_step(robot)
        robot.tap_at('.large-steps [data-do="ball.launch"]')
        assert next_step(robot).startswith("No more bets")
        do(robot, "bets.close")
        robot.tap_at(f'.dock-pad [data-number="{number}"]')
        assert len(robot.bets()) == (0 if number else 1)
        do(robot, "round.end")
    find_signal(robot)
    events = of_round(house, "FR1", begun)
    placed = [(event.data.round, event.data.numbers) for event in events if event.type == "bet.placed.v1"]
    first = placed[0][0]
    assert placed == [(first, (7,)), (first, ()), *((first + later, (n,)) for later in (1, 2) for n in (8, 9))]
    outcomes = [event.data.outcome for event in events if event.type == "bet.settled.v1"]
    assert outcomes[:2] == ["lose", "prison"]
    assert marks(events) == []


def test_rolls_without_signal_leave_the_bets_that_stand(house: Screens) -> None:
    """A come bet moves to its number and stays for the next round; a seven takes it."""
    robot, events = at_table(house, "craps-gr")
    table = CrapsTable(robot, events)
    table.open()
    for place in ("pass", "field"):
        robot.stake(place, MAIN, player_seat=1)
    table.ready()
    lose_signal(robot)
    robot.tap_at('[data-dice="2-4"]')
    assert len(robot.bets()) == 1, "the pass line"
    robot.choose_chip(MAIN)
    robot.tap_at('[data-place="come"]')
    robot.tap_at('[data-place="field"]')
    for dice, bets in (("4-5", 2), ("3-3", 2)):
        do(robot, "dice.offer")
        robot.tap_at(f'[data-dice="{dice}"]')
        assert len(robot.bets()) == bets
    do(robot, "round.end")
    do(robot, "round.open")
    assert len(robot.bets()) == 1, "the come bet on 9"
    robot.tap_at('[data-place="pass"]')
    do(robot, "dice.offer")
    robot.tap_at('[data-dice="3-4"]')
    assert len(robot.bets()) == 1, "the pass line, which has won"
    do(robot, "round.end")
    find_signal(robot)
    placed = [event.data.wager for event in events() if event.type == "bet.placed.v1"]
    settled = [(event.data.wager, event.data.outcome) for event in events() if event.type == "bet.settled.v1"]
    assert placed == ["pass", "field", "come", "field", "pass"]
    assert settled == [("field", "lose"), ("field", "win"), ("pass", "win"), ("come", "lose"), ("pass", "win")]
    assert set(marks(list(events()))) <= {"unpaid"}


def test_every_further_tap_on_a_box_adds_the_chip(house: Screens) -> None:
    """Online and offline: the total is right before the house has answered."""
    robot = RobotDealer(house.at_work("BJ1"))
    begun = len(house.night.events("BJ1"))
    robot.step("round.open")
    robot.choose_chip(MAIN)
    for _tap in range(3):
        robot.tap_at('[data-place="main"][data-seat="1"]')
    robot.settled()
    lose_signal(robot)
    for _tap in range(3):
        robot.tap_at('[data-place="main"][data-seat="2"]')
    assert str(3 * MAIN // 100) == robot.page.locator(".cloth .chip.pending text").last.text_content()
    find_signal(robot)
    stakes = {}
    for event in of_round(house, "BJ1", begun):
        if event.type == "bet.placed.v1":
            stakes[event.data.box] = event.data.amount_minor
        if event.type == "bet.restaked.v1":
            stakes[event.data.box] = event.data.stake_minor
    assert stakes == {1: 3 * MAIN, 2: 3 * MAIN}
