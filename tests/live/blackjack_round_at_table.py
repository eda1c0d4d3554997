"""A round of blackjack at a table, from its bets to the dealer's last card, with Trilux and Blazing 7's."""

from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from typing import Any

from events.games.blackjack import rules as rules_of
from events.games.cases import answer
from tests.live.answer_comparison import UNSAID
from tests.live.live_table import Event, Given, LiveTable, TableRefusal, Unreachable

TRILUX = {100: "royal", 35: "straight_flush", 33: "three_of_a_kind", 10: "straight", 5: "flush"}
LEVELS = ("mega", "major", "minor")
FIXED = {200: "three7", 25: "two7", 2: "one7"}
FILL = ["2C", "3D", "4H", "5S", "6C", "8D", "9H", "2S", "3C", "4D", "6H"]
STAKE = 500  # on Blazing 7's, where a case has none of its own


def start(table: LiveTable, minimum: int = 1, **limits: Any) -> None:
    """A shoe, limits and a round. Amounts in minor units."""
    table.do("shoe.load", shoe=table.new_name("shoe"), packs=6)
    table.do("limits.post", **{"minimum_minor": minimum, "maxima_minor": {}, **limits})
    table.do("round.open")


def lay(table: LiveTable, wager: str, box: int, amount: int, player: str = "", intent: str = "ask") -> str:
    """A stake on a box, in minor units: the bet's name. Raises TableRefusal."""
    name = table.new_name(f"{wager}-{box}")
    about = {"bet": name, "wager": wager, "amount_minor": amount, "player": player or f"p-{box}", "box": box}
    table.do("bet.place", intent=intent, **about)
    return name


def card(table: LiveTable, to: int | None, card_: str, hand: int = 0) -> list[Event]:
    """A card to a box, or to the dealer (None)."""
    if to is None:
        return table.do("card.deal", to="dealer", card=card_)
    return table.do("card.deal", to="box", box=to, hand=hand or None, card=card_)


def settled(events: Iterable[Event]) -> dict[str, Given]:
    """Return the settlement of each bet."""
    return {event["data"]["bet"]: event["data"] for event in events if event["type"] == "bet.settled.v1"}


class LiveBlackjackRound:
    """A round of the cases at a table."""

    def __init__(self, table: LiveTable, inputs: Given, stake_minor: int = STAKE) -> None:
        self.table, self.given, self.stake_minor = table, inputs, stake_minor
        self.boxes: dict[int, Given] = dict(enumerate(inputs["boxes"], 1))
        self.hands: dict[int, list[str]] = {}  # the main bets of a box, by hand
        self.bets: dict[tuple[str, int], str] = {}
        self.classes: dict[int, str] = {}
        self.events: list[Event] = []

    def play(self) -> None:
        """Play the round from the bets to the last payment. Raises TableRefusal for an impossible round."""
        self._open()
        self._deal()
        for at, box in self.boxes.items():
            if box.get("insurance") is not None:
                self._insure(at, Fraction(box["insurance"]) * self.table.setting.unit)
        for at, box in self.boxes.items():
            for action in box.get("actions", []):
                self._act(at, action["hand"], action["do"], action.get("cards", []))
        self._stand()
        for at, card_ in enumerate(self.given["dealer"]):
            if at and (self.table.lying or not self._may_stop(at)):
                self.events += card(self.table, None, card_)
        self.table.pay()
        self.table.do("round.end")

    def _may_stop(self, cards: int) -> bool:
        """Return whether the dealer may stop although the case shows another card: no hand is left (BJ-14)."""
        return rules_of.dealer_draws(rules_of.rules(self.table.setting.ruleset), self.given["dealer"][:cards])

    def _open(self) -> None:
        bonus = [self.table.minor(box["trilux"]) for box in self.boxes.values() if box.get("trilux")]
        least = min(bonus, default=1)
        limits = {"minima_minor": {"trilux": least}, "maxima_minor": {"trilux": 50 * least}} if bonus else {}
        start(self.table, max(1, self.table.minor(self.given["minimum"])), **limits)
        for at, box in self.boxes.items():
            self._lay(at, box, fits=least * 50)
        self.table.do("bets.close")
        if any(box.get("blazing") for box in self.boxes.values()):
            self.table.do("progressive.arm")

    def _lay(self, at: int, box: Given, *, fits: int) -> None:
        self.hands[at] = [lay(self.table, "main", at, self.table.minor(box["stake"]))]
        if box.get("trilux") is not None:
            amount = self.table.minor(box["trilux"])
            intent = "ask" if amount <= fits else "fact"
            self.bets["trilux", at] = lay(self.table, "trilux", at, amount, intent=intent)
        if box.get("blazing"):
            self.bets["blazing", at] = lay(self.table, "blazing7s", at, self.stake_minor)

    def _deal(self) -> None:
        """A card to each box, one to the dealer, one more to each box; hits are declared, bonus bets settled."""
        for turn in (0, 1):
            for at, box in self.boxes.items():
                for card_ in box["cards"][turn : turn + 1]:
                    self.events += card(self.table, at, card_)
            if turn == 0:
                for card_ in self.given["dealer"][:1]:
                    self.events += card(self.table, None, card_)
        for at, box in self.boxes.items():
            for card_ in box["cards"][2:]:
                self.events += card(self.table, at, card_)
        for at in [at for kind, at in self.bets if kind == "blazing"]:
            self._declare(at)
        self.events += self.table.do("deal.complete")

    def _declare(self, at: int) -> None:
        """Declare the hit at its level. The table refuses every other level."""
        for level in LEVELS:
            if self.table.may("hit.declare", box=at, level=level):
                self.classes[at] = level

    def _insure(self, at: int, amount: Fraction) -> None:
        if amount.denominator != 1:
            raise Unreachable("no chip is worth that")
        self.table.do("insurance.take", box=at, amount_minor=int(amount))
        self.bets["insurance", at] = f"{self.hands[at][0]}.insurance"

    def _act(self, at: int, hand: int, do: str, cards: list[str]) -> None:
        if do != "hit":
            happened = self.table.do(f"hand.{do}", box=at, hand=hand or None)
            self.events += happened
            if do == "split":
                self.hands[at].insert(hand + 1, happened[0]["data"]["new_bet"])
        for offset, card_ in enumerate(cards):
            self.events += card(self.table, at, card_, hand + offset * (do == "split"))

    def _stand(self) -> None:
        """Hands without further actions stand."""
        for at, hands in self.hands.items():
            for hand in range(len(hands)):
                with suppress(TableRefusal):
                    self.events += self.table.do("hand.stand", box=at, hand=hand or None)

    # --- what was recorded --------------------------------------------------------------------------------------

    def answer_of_events(self) -> Given:
        """The answer of `settle`, from the events."""
        bets = settled(self.events)
        dealers = [card_["card"] for card_ in self._cards() if card_["to"] == "dealer"]
        whole = dealers == self.given["dealer"]
        hands = self._by_hand()
        boxes = [self._box(at, box, bets, hands[at]) for at, box in self.boxes.items()]
        net = sum(data["profit_minor"] for data in bets.values() if data["wager"] != "blazing7s")
        blackjack = sorted("T" if card_[0] in "TJQK" else card_[0] for card_ in dealers) == ["A", "T"]
        return {
            "boxes": boxes,
            "net": net,
            "dealer_total": UNSAID,
            "dealer_blackjack": blackjack if whole else UNSAID,
        }

    def _cards(self) -> list[Given]:
        return [event["data"] for event in self.events if event["type"] == "card.dealt.v1"]

    def _by_hand(self) -> dict[int, list[list[str]]]:
        """The cards of every hand, from cards dealt and hands split."""
        hands: dict[int, list[list[str]]] = {at: [[]] for at in self.boxes}
        for event in self.events:
            data = event["data"]
            if event["type"] == "card.dealt.v1" and data["to"] == "box":
                hands[data["box"]][data.get("hand", 0)].append(data["card"])
            elif event["type"] == "hand.split.v1":
                at, index = data["box"], data.get("hand", 0)
                first, second = hands[at][index]
                hands[at][index : index + 1] = [[first], [second]]
        return hands

    def _box(self, at: int, box: Given, bets: dict[str, Given], cards: list[list[str]]) -> Given:
        shown: Given = {"box": box["id"], "hands": []}
        for name, hand in zip(self.hands[at], cards, strict=True):
            bet = bets[name]
            hand_ = {"cards": hand, "total": UNSAID, "outcome": bet["outcome"], "profit": bet["profit_minor"]}
            shown["hands"].append(hand_)
        if name_ := self.bets.get(("insurance", at)):
            shown["insurance"] = {"outcome": bets[name_]["outcome"], "profit": bets[name_]["profit_minor"]}
        if name_ := self.bets.get(("trilux", at)):
            shown["trilux"] = _trilux(bets[name_])
        if name_ := self.bets.get(("blazing", at)):
            lies = self.classes.get(at) or _class(bets[name_], self.table.basis)
            shown["blazing"] = {"class": lies, "said": bets[name_]}
        return shown

    def count(self, expected: Given) -> None:
        """Count the win of the house, by `settle`'s answer and the fixed pays."""
        for at, (box, answered) in enumerate(zip(self.boxes.values(), expected["boxes"], strict=True), 1):
            profits = [hand["profit"] for hand in answered["hands"]]
            profits += [answered[name]["profit"] for name in ("insurance", "trilux") if name in answered]
            for profit in profits:
                self.table.gain -= (Fraction(profit) * self.table.setting.unit).__floor__()
            if ("blazing", at) in self.bets:
                self.table.gain -= self._fixed(box)

    def _fixed(self, box: Given) -> int:
        question = {
            "kind": "classify",
            "player": box["cards"],
            "dealer": self.given["dealer"][0],
            "stake": self.stake_minor,
        }
        expected = answer({"ruleset": "blazing7s", "given": {**question, "basis": self.table.basis}})
        profit: int = -self.stake_minor if expected["progressive"] else expected["profit"]
        return profit


def _trilux(bet: Given) -> Given:
    times = bet["profit_minor"] // bet["amount_minor"]
    return {"hand": TRILUX.get(times, "none"), "profit": bet["profit_minor"]}


def _class(bet: Given, basis: str) -> str:
    """Return the class of a fixed pay, by its amount."""
    return FIXED.get(bet["profit_minor"] // bet["amount_minor"] + (basis == "for"), "none")
