"""Roulette cases played by a robot dealer: a spin with its bets, an even chance en prison."""

from fractions import Fraction

from tests.support.cases_at_tables.amounts import (
    SEATS,
    Case,
    Differences,
    Events,
    NotPlayable,
    compared,
    place_of,
    profits_of,
    whole,
)
from tests.support.tables.robot_dealer import RefusedTap, RobotDealer


def spin(robot: RobotDealer, number: int, *, is_last: bool = False) -> None:
    """Spin from the launch to the number; the wheel turns in the direction that the screen allows."""
    ways = [wheel for wheel in ("cw", "ccw") if robot.may("ball.launch", wheel=wheel)]
    robot.step("ball.launch", wheel=ways[0])
    robot.step("bets.close")
    if is_last:
        robot.step("ball.land", {"number": number}, last_coup=True)
    else:
        robot.answer(f'[data-number="{number}"]')


def play_spin(robot: RobotDealer, inputs: Case, expect: Case, events: Events) -> Differences:
    """A spin with every bet of the case."""
    if any("max" in bet and Fraction(bet["max"]) < Fraction(bet["stake"]) for bet in inputs["bets"]):
        raise NotPlayable
    start, names = len(events()), {}
    robot.step("round.open")
    for number, bet in enumerate(inputs["bets"]):
        name = robot.staked(place_of(bet), whole(bet["stake"]), player_seat=number % SEATS + 1)
        names[name] = bet["id"]
        if "on_zero" in bet:
            robot.step("bet.instruct", {"bet": name, "on_zero": bet["on_zero"]})
    spin(robot, inputs["number"])
    profits = profits_of(events()[start:], lambda settled: names.get(settled.bet))
    robot.pay_all()
    robot.step("round.end")
    return compared(profits, {result["bet"]: result["profit"] for result in expect.get("results", ())})


def play_prison(robot: RobotDealer, inputs: Case, expect: Case, events: Events) -> Differences:
    """An even chance over several spins, with the player's choice after each zero."""
    if inputs.get("last_coup"):
        raise NotPlayable  # a table has one such spin a day
    start, choices = len(events()), list(inputs["choices"])
    name, seen = "", []
    for turn, number in enumerate(inputs["numbers"]):
        robot.step("round.open")
        if turn == 0:
            name = robot.staked(inputs["type"], whole(inputs["stake"]), player_seat=1)
        elif name not in robot.bets():
            raise RefusedTap("nothing lies there any more")
        spin(robot, number)
        if number == 0 and choices:
            robot.step("bet.instruct", {"on_zero": choices.pop(0)}, bet=name)
        seen.append(number)
        robot.pay_all()
        robot.step("round.end")
    differences = compared(
        profits_of(events()[start:], lambda settled: settled.bet), {name: expect["net"]} if "net" in expect else {}
    )
    if (expect.get("state") == "prison") != (name in robot.bets()):
        differences.append(f"{name} lies or not, and not as {expect.get('state')}")
    if expect.get("state") == "prison":
        release(robot)
    return differences


def release(robot: RobotDealer) -> None:
    """Spin until a stake en prison is gone."""
    for number in (36, 35, 1, 2):
        if not robot.bets():
            return
        robot.step("round.open")
        spin(robot, number)
        robot.pay_all()
        robot.step("round.end")
