"""Baccarat and blackjack cases played by a robot dealer, card by card."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.support.cases_at_tables.amounts import (
    Case,
    Differences,
    Events,
    NotPlayable,
    compared,
    minor,
    profits_of,
    whole,
)
from tests.support.tables.robot_dealer import RefusedTap, RobotDealer

SPARE = ("9C", "8C", "7C", "6C", "5C", "9D", "8D", "6D", "5D", "4D", "3D")


def finish(robot: RobotDealer) -> None:
    """Deal what the round still asks for."""
    for do in ("bets.close",):
        if robot.may(do):
            robot.step(do)
    for card in SPARE:
        stand(robot)
        if robot.may("deal.complete"):
            robot.step("deal.complete")
            stand(robot)
        if not robot.shows(".dock-pad [data-card]"):
            break
        robot.card(card)


def stand(robot: RobotDealer) -> None:
    """Let every hand stand that still may draw."""
    while robot.may("hand.stand"):
        robot.tap_at('[data-do="hand.stand"]')
        robot.settled()


def play_coup(robot: RobotDealer, inputs: Case, expect: Case, events: Events) -> Differences:
    """A coup with the cards of the case's shoe, as far as the screen asks for them."""
    start, seats = len(events()), {}
    if not inputs["bets"]:
        robot.step("round.open", free=True)
    else:
        robot.step("round.open")
    for number, bet in enumerate(inputs["bets"]):
        seat = number % 10 + 1
        robot.stake(bet["type"], whole(bet["stake"]), seat=seat)
        seats[seat, bet["type"]] = bet["id"]
    robot.step("bets.close")
    for card in inputs["shoe"]:
        if not robot.shows(".dock-pad [data-card]"):
            break
        robot.card(card)
    if robot.shows(".dock-pad [data-card]"):
        raise RefusedTap("the shoe is empty")
    profits = profits_of(events()[start:], lambda settled: seats.get((settled.seat, settled.wager)))
    robot.pay_all()
    robot.step("round.end")
    dealt = [event.data for event in events()[start:] if event.type == "card.dealt.v1"]
    differences = compared(profits, {result["bet"]: result["profit"] for result in expect.get("results", ())})
    for side in ("player", "banker"):
        cards = [card.card for card in dealt if card.to == side]
        if side in expect and cards != expect[side]:
            differences.append(f"{side}: {cards} and not {expect[side]}")
    return differences


STAKE_OF_PROGRESSIVE = 500
JACKPOTS = ("mega", "major", "minor")


def play_boxes(robot: RobotDealer, inputs: Case, expect: Case, events: Events) -> Differences:
    """A round of blackjack: the boxes' cards and decisions, then the dealer's hand."""
    _new_shoe(robot)
    start = len(events())
    _lay(robot, inputs)
    robot.step("bets.close")
    if any(box.get("blazing") for box in inputs["boxes"]):
        robot.step("progressive.arm")
    robot_deals(robot, inputs)
    _declare(robot, expect)
    if robot.may("deal.complete"):
        robot.step("deal.complete")
    _decisions(robot, inputs)
    for card in inputs["dealer"][1:]:
        if robot.shows(".dock-pad [data-card]"):
            robot.card(card, to="dealer")
    profits = profits_of(events()[start:], lambda settled: (settled.box, settled.wager))
    robot.pay_all()
    robot.step("round.end")
    return _of_boxes(profits, expect)


def _new_shoe(robot: RobotDealer) -> None:
    """Many cases have more cards of a kind than one shoe."""
    if robot.may("round.open"):
        robot.step("shoe.load", {"shoe": f"s{robot.taps}"}, packs=6)


def _lay(robot: RobotDealer, inputs: Case) -> None:
    robot.step("round.open")
    for number, box in enumerate(inputs["boxes"], start=1):
        if minor(box["stake"]) < minor(inputs["minimum"]):
            raise NotPlayable
        robot.stake("main", whole(box["stake"]), seat=number)
        if "trilux" in box:
            robot.stake("trilux", whole(box["trilux"]), seat=number)
        if box.get("blazing"):
            robot.stake("blazing7s", STAKE_OF_PROGRESSIVE, seat=number)


def _decisions(robot: RobotDealer, inputs: Case) -> None:
    for number, box in enumerate(inputs["boxes"], start=1):
        if "insurance" in box:
            _insure(robot, number, whole(box["insurance"]))
    for number, box in enumerate(inputs["boxes"], start=1):
        for action in box.get("actions", ()):
            decide(robot, number, action)
    stand(robot)


def robot_deals(robot: RobotDealer, inputs: Case) -> None:
    """The first card of each box, the dealer's, the second of each box."""
    first = [box["cards"][0] for box in inputs["boxes"]]
    second = [box["cards"][1] for box in inputs["boxes"]]
    for card in (*first, inputs["dealer"][0], *second):
        robot.card(card)


def _declare(robot: RobotDealer, expect: Case) -> None:
    for number, box in enumerate(expect.get("boxes", ()), start=1):
        level = box.get("blazing", {}).get("class")
        if level in JACKPOTS:
            robot.step("hit.declare", box=number, level=level)


def _insure(robot: RobotDealer, box: int, amount: int) -> None:
    if robot.may("insurance.take", box=box, amount_minor=amount):
        robot.step("insurance.take", box=box, amount_minor=amount)
    else:
        robot.step("insurance.take", {"box": box, "amount_minor": amount})


def decide(robot: RobotDealer, box: int, action: Case) -> None:
    """A decision of a hand with the cards that it draws."""
    of: dict[str, Any] = {"box": box, **({"hand": action["hand"]} if action["hand"] else {})}
    do, cards = action["do"], action.get("cards", ())
    if do == "hit":
        robot.card(cards[0], **of)
        return
    if robot.may(f"hand.{do}", **of):
        robot.step(f"hand.{do}", **of)
    elif do != "stand":
        raise RefusedTap(do)
    for card in cards:
        robot.card(card)


def _of_boxes(profits: Mapping[Any, int], expect: Case) -> Differences:
    expected: dict[Any, Fraction] = {}
    for number, box in enumerate(expect.get("boxes", ()), start=1):
        expected[number, "main"] = sum((Fraction(hand["profit"]) for hand in box["hands"]), Fraction(0))
        for wager in ("trilux", "insurance"):
            if wager in box:
                expected[number, wager] = Fraction(box[wager]["profit"])
    differences = compared(profits, expected)
    for number, box in enumerate(expect.get("boxes", ()), start=1):
        level = box.get("blazing", {}).get("class")
        if level == "none" and profits.get((number, "blazing7s")) != -STAKE_OF_PROGRESSIVE:
            differences.append(f"box {number}: the progressive's bet did not lose")
        if level in ("one7", "two7", "three7") and not profits.get((number, "blazing7s"), 0) > 0:
            differences.append(f"box {number}: the progressive's bet did not win")
    return differences
