"""An evening played by a robot dealer, round after round as chance has it; its `deeds` can be repeated."""

from random import Random
from typing import Any

from tests.support.cases_at_tables.craps import EASY
from tests.support.tables.robot_dealer import RobotDealer

Deed = tuple[str, dict[str, Any]]
CHIPS = (100, 500, 2_500)
CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
ROULETTE = ("straight 17", "straight 0", "split 1-2", "street 4-5-6", "corner 1-2-4-5", "red", "black", "odd", "low",
            "dozen 1", "column 3", "line 31-32-33-34-35-36")  # fmt: skip


class RobotRounds:
    """Rounds at one table."""

    def __init__(self, robot: RobotDealer, seed: int) -> None:
        self.robot, self.chance = robot, Random(seed)
        self.deeds: list[Deed] = []

    # --- what is done and noted ---------------------------------------------------------------------------------

    def step(self, do: str, answers: dict[str, Any] | None = None, /, **data: Any) -> None:
        self.robot.step(do, answers, **data)
        self.deeds.append((do, {**data, **(answers or {})}))

    def stake(self, place: str, minor: int, seat: int, *, is_seated: bool = False) -> None:
        about = {"seat": seat} if is_seated else {"player_seat": seat}
        name = self.robot.staked(place, minor, **about)
        self.deeds.append(("stake", {"place": place, "minor": minor, "seat": seat, "name": name}))

    def pad(self, do: str, attribute: str, value: Any, data: dict[str, Any]) -> None:
        """A key of the standing pad, with the fixed data of the step that it answers."""
        fixed = self.robot.pad_data()
        self.robot.answer(f'.dock-pad [data-{attribute}="{value}"]')
        self.deeds.append((do, {**fixed, **data}))

    def pay(self) -> None:
        self.robot.pay_all()
        self.deeds.append(("pay", {}))

    def end(self) -> None:
        self.pay()
        self.step("round.end")

    # --- rounds -------------------------------------------------------------------------------------------------

    def spin(self) -> None:
        """A spin of roulette."""
        self.step("round.open")
        for _stake in range(self.chance.randint(2, 6)):
            place = self.chance.choice(ROULETTE)
            self.stake(place, self.chance.choice(CHIPS), self.chance.randint(1, 7))
        wheel = next(wheel for wheel in ("cw", "ccw") if self.robot.may("ball.launch", wheel=wheel))
        self.step("ball.launch", wheel=wheel, ball="ccw" if wheel == "cw" else "cw")
        self.step("bets.close")
        number = self.chance.choice((0, 17, self.chance.randint(0, 36)))
        self.pad("ball.land", "number", number, {"number": number})
        self.end()

    def card(self) -> None:
        card = self.chance.choice(CARDS)
        self.pad("card.deal", "card", card, {"card": card})

    def coup(self) -> None:
        """A coup of baccarat."""
        self.step("round.open")
        for seat in range(1, self.chance.randint(2, 6)):
            place = self.chance.choice(("player", "banker", "tie", "player_pair"))
            self.stake(place, self.chance.choice((500, 2_500)), seat, is_seated=True)
        self.step("bets.close")
        while self.robot.shows(".dock-pad [data-card]"):
            self.card()
        self.end()

    def boxes(self) -> None:
        """Play a round of blackjack. Every hand that may stand stands."""
        self.step("round.open")
        for box in range(1, self.chance.randint(2, 4)):
            self.stake("main", 2_500, box, is_seated=True)
            self.stake("trilux", 500, box, is_seated=True)
            self.stake("blazing7s", 500, box, is_seated=True)
        self.step("bets.close")
        self.step("progressive.arm")
        while not self.robot.may("deal.complete"):
            self.card()
        self.step("deal.complete")
        while (hand := self.robot.fixed_data("hand.stand")) is not None:
            self.step("hand.stand", **hand)
        while self.robot.shows(".dock-pad [data-card]"):
            self.card()
        self.end()

    def throws(self) -> None:
        """A round of craps, from the come-out to its decision."""
        self.step("round.open")
        self.stake("pass", 2_500, 1)
        if self.robot.may("shooter.appoint"):
            player = self.robot.page.locator('[data-do=player][data-seat="1"]').get_attribute("data-player")
            self.step("shooter.appoint", {"seat": 1, "player": player})
        if self.robot.shows('.dock-pad [data-choice="[0,1]"]'):
            self.pad("dice.choose", "choice", "[0,1]", {"places": [0, 1]})
        point = self.chance.choice(list(EASY))
        self.throw(*EASY[point])
        self.stake("come", 500, 1)
        self.stake("field", 500, 2)
        self.throw(*EASY[next(number for number in EASY if number != point)])
        self.throw(*(EASY[point] if self.chance.random() < 0.5 else (3, 4)))
        self.end()

    def throw(self, low: int, high: int) -> None:
        self.step("dice.offer")
        self.pad("dice.roll", "dice", f"{low}-{high}", {"dice": [low, high]})
        self.pay()


PLAYED = {
    "roulette": RobotRounds.spin,
    "baccarat": RobotRounds.coup,
    "blackjack": RobotRounds.boxes,
    "craps": RobotRounds.throws,
}
