"""Rounds in which things go wrong, played by a robot dealer: late bets, called-off throws, wrong cards, other payments,
corrections, voids. The `deeds` can be repeated by the action interface.
"""

from typing import Any

from tests.support.pages.second_people import agree_by_two
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.robot_played_rounds import RobotRounds
from tests.support.tables.table_screens import Screens

STAKE, SIDE = 2_500, 500
LAYOUT = "async () => (await (await fetch(`${location.pathname}/state`)).json()).layout"


class Mishaps(RobotRounds):
    """Rounds at one table of a house."""

    def __init__(self, robot: RobotDealer, house: Screens) -> None:
        super().__init__(robot, seed=1)
        self.house = house

    # --- facts --------------------------------------------------------------------------------------------------

    def fact(self, do: str, answers: dict[str, Any], data: dict[str, Any] | None = None) -> None:
        """Send a step as a fact. `data` is the sent data, if it differs from the answers in the form."""
        self.robot.step(do, answers)
        self.deeds.append(("fact", {"do": do, "data": data or answers}))

    def late_bet(self, place: dict[str, Any], seat: int, *, field: str = "seat") -> None:
        player = self.player(seat)
        self.robot.step("bet.place", {"place": place, "amount_minor": SIDE, "player": player, field: seat})
        late = {**place, "amount_minor": SIDE, "player": player, field: seat, "bet": f"late {len(self.deeds)}"}
        self.deeds.append(("fact", {"do": "bet.place", "data": late}))

    def layout(self) -> dict[str, Any]:
        """The table as the house shows it to this screen."""
        return dict(self.robot.page.evaluate(LAYOUT))

    def player(self, seat: int) -> str:
        """The player at a seat or box."""
        return str(next(holder["player"] for holder in self.layout()["seats"] if holder["seat"] == seat))

    def pay_otherwise(self, extra: int) -> None:
        """The first winning is paid with this much more than is due; that is taken back, then all is paid as due."""
        page = self.robot.page
        other = page.locator("[data-do=paid-otherwise]").first
        bet = str(other.get_attribute("data-bet"))
        due = next(due for due in self.layout()["due"] if due["bet"] == bet)
        paid = int(due["amount_minor"]) + extra
        other.tap()
        self.robot.keys(paid)
        self.robot.tap_at("[data-do='payment.make']:not([data-bet])")
        self.robot.settled()
        self.deeds.append(("fact", {"do": "payment.make", "data": {**due["data"], "amount_minor": paid}}))
        self.undo("payment.make")
        self.deeds.append(("fact", {"do": "payment.make", "data": {"bet": bet, "amount_minor": -paid}}))

    def undo(self, do: str, answers: dict[str, Any] | None = None) -> None:
        """The latest thing that this action takes back."""
        self.robot.tap(do="undo")
        self.robot.tap_at(f"[data-do='{do}'][data-event]")
        if answers is not None:
            self.robot.fill(do, answers)
        self.robot.settled()
        self.robot.raise_refusal()

    def correct(self, amount: int) -> None:
        """The latest bet lay with another amount."""
        answers = {"amount_minor": amount, "reason": "seen again"}
        self.undo("bet.correct", answers)
        self.deeds.append(("correct", answers))

    def void(self, reason: str) -> None:
        """The pit boss voids the round, and surveillance agrees."""
        number = int(str(self.robot.page.locator("[data-table]").get_attribute("data-round")))
        self.robot.step("round.void", {"reason": reason}, round=number)
        agree_by_two(self.house, self.robot, "paul", "sven")
        self.robot.phase("idle")
        self.deeds.append(("agreed", {"do": "round.void", "data": {"round": number, "reason": reason}}))

    # --- rounds -------------------------------------------------------------------------------------------------

    def launch(self) -> None:
        wheel = next(wheel for wheel in ("cw", "ccw") if self.robot.may("ball.launch", wheel=wheel))
        self.step("ball.launch", wheel=wheel, ball="ccw" if wheel == "cw" else "cw")

    def roulette(self) -> None:
        """Play a round with a spin called off, a late bet and another payment. Then correct and void a round."""
        self.step("round.open")
        self.stake("straight 17", STAKE, 1)
        self.stake("red", STAKE, 2)
        self.launch()
        self.step("spin.call_off", {"reason": "Ball left the wheel"})
        self.launch()
        self.step("bets.close")
        self.late_bet({"wager": "black"}, 2)
        self.pad("ball.land", "number", 17, {"number": 17})
        self.pay_otherwise(1_000)
        self.end()
        self.step("round.open")
        self.stake("red", STAKE, 1)
        self.correct(STAKE + 500)
        self.launch()
        self.step("bets.close")
        self.pad("ball.land", "number", 3, {"number": 3})
        self.void("Result could not be judged")

    def deal(self, *cards: str) -> None:
        for card in cards:
            self.pad("card.deal", "card", card, {"card": card})

    def baccarat(self) -> None:
        """A late bet, a card to the wrong side, cards to the wrong player, another payment; then a misdeal."""
        self.step("round.open")
        self.stake("player", STAKE, 1, is_seated=True)
        self.stake("banker", STAKE, 2, is_seated=True)
        self.step("bets.close")
        self.late_bet({"wager": "tie"}, 2)
        self.fact("hand.give", {"side": "player", "player": self.player(2)})
        self.deal("9D")
        self.fact("card.deal", {"to": "player", "card": "4C"})
        self.deal("KH", "2C")
        self.pay_otherwise(500)
        self.end()
        self.step("round.open")
        self.stake("player", STAKE, 1, is_seated=True)
        self.correct(STAKE + 500)
        self.step("bets.close")
        self.deal("9C")
        self.void("Misdeal")

    def blackjack(self) -> None:
        """A late bet, a card to the wrong box, another payment; then a misdeal."""
        self.step("round.open")
        for box in (1, 2):
            self.stake("main", STAKE, box, is_seated=True)
        self.step("bets.close")
        self.deal("TC")
        self.late_bet({"wager": "main"}, 2, field="box")
        self.fact("card.deal", {"to": "box", "card": "4C", "box": 1})
        self.deal("TD", "6H", "9C", "KS")
        self.step("deal.complete")
        for box in (1, 2):
            self.step("hand.stand", box=box)
        self.deal("TS", "9H")
        self.pay_otherwise(500)
        self.end()
        self.step("round.open")
        self.stake("main", STAKE, 1, is_seated=True)
        self.correct(STAKE + 500)
        self.step("bets.close")
        self.deal("9D")
        self.void("Misdeal")

    def craps(self) -> None:
        """Play a round with no roll, a foreign die, a late bet and another payment, then one with a void throw."""
        self.step("round.open")
        self.stake("pass", STAKE, 1)
        self.step("shooter.appoint", {"seat": 1, "player": self.player(1)})
        self.pad("dice.choose", "choice", "[0,1]", {"places": [0, 1]})
        self.step("dice.offer")
        self.robot.step("roll.call_off", {"fault": {"seen": {"cocked": True}}})
        self.deeds.append(("roll.call_off", {"seen": {"cocked": True}}))
        self.step("dice.offer")
        self.late_bet({"wager": "field"}, 1)
        dice = {"dice": [3, 4], "serials": ["K17", "X9"]}
        self.fact("dice.roll", {**dice, "dice": "3-4"}, dice)
        self.pay_otherwise(500)
        self.end()
        self.step("round.open")
        self.stake("field", STAKE, 1)
        self.stake("pass", STAKE, 1)
        self.correct(STAKE + 500)
        self.throw(5, 6)
        self.void("Result could not be judged")


PLAYED = {"roulette": Mishaps.roulette, "baccarat": Mishaps.baccarat, "blackjack": Mishaps.blackjack,
          "craps": Mishaps.craps}  # fmt: skip
