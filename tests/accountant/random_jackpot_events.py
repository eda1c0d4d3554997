"""Random events of the progressive: hits, paid and unpaid awards, and readings of its sign."""

from collections.abc import Iterator
from typing import Any

import msgspec

from events.progressives import due_lock_and_lapse_appending
from events.store import EventStore, everything
from tests.accountant.random_house_actions import Chance
from tests.support.houses.small_house import PROPERTY

DAYS = ("2026-11-19", "2026-11-20", "2026-11-21")
HITS = "BJ2"  # where somebody wins the progressive now and then, and nothing else is played

# By level: the cards as they are dealt, each with its box; 0 is the dealer.
DEALS = {
    "mega": (("7D", 1), ("8C", 2), ("7D", 0), ("7D", 1)),
    "minor": (("7H", 1), ("9C", 2), ("7D", 0), ("7D", 1)),
}
BETS = ((1, "main", 1_000), (1, "blazing7s", 500), (2, "main", 1_000), (2, "blazing7s", 500))


def won(level: str, bet: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a round in which box 1 wins the level and box 2 gets the envy bonus. `bet` begins the names of its bets."""
    yield "round.open", {}
    for box, wager, stake in BETS:
        about = {"bet": f"{bet}-{wager}-{box}", "wager": wager, "amount_minor": stake}
        yield "bet.place", {**about, "player": f"g-{box}", "box": box}
    yield "bets.close", {}
    yield "progressive.arm", {}
    for card, box in DEALS[level]:
        yield "card.deal", dealt(card, box)
    yield "hit.declare", {"box": 1, "level": level}
    yield "card.deal", dealt("TH", 2)
    yield "deal.complete", {}
    for box in (1, 2):
        yield "hand.stand", {"box": box}
    for card in ("9C", "4C"):
        yield "card.deal", dealt(card)
    yield "round.end", {"_intent": "fact"}


def dealt(card: str, box: int = 0) -> dict[str, Any]:
    """Return the data of a card for a box or for the dealer."""
    return {"card": card, **({"to": "box", "box": box} if box else {"to": "dealer"})}


class Winners(Chance):
    """A house with a progressive that is won and read."""

    def __init__(self, seed: int, store: EventStore | None = None) -> None:
        super().__init__(seed, store)
        self.paid: set[str] = set()  # hits
        self.cases: list[str] = []  # variances

    def win(self) -> None:
        """Play a round with a winner, and mostly pay the share and the envy bonus at once."""
        self.number += 4
        for kind, data in won(self.random.choice([*DEALS]), f"j{self.number}"):
            self.do("tables", HITS, "ines", kind, **data)
        due_lock_and_lapse_appending.reconcile(self.store, PROPERTY, "blazing")
        for locked in everything(self.store, types=("shares.locked.v1",)):
            data = msgspec.json.decode(locked.raw)["data"]
            self._pay(data["shares"][0]["hit"], data["amount_minor"])

    def _pay(self, hit: str, amount: int) -> None:
        """Pay a share that is not paid yet. Some shares wait."""
        if hit in self.paid or self.random.random() < 0.2:
            return
        tender, day = self.random.choice(("cash", "cash", "chips", "transfer")), self.random.choice(DAYS)
        self.do("progressives", "blazing", "paul", "hit.authorise", hit=hit, amount_minor=amount)
        if self.do("progressives", "blazing", "cage", "jackpot.pay", hit=hit, gaming_day=day, tender=tender):
            self.paid.add(hit)

    def read_sign(self) -> None:
        """Read the sign with a mistake. The variance is open until a later reading."""
        if self.cases and self.random.random() < 0.6:
            self._close_variance(self.cases.pop())
        read = self.do("progressives", "blazing", "anna", "meter.read", level="minor", read_minor=1)
        self.cases += [event.data.case for event in read if event.type == "variance.opened.v1"]

    def _close_variance(self, case: str) -> None:
        """Close the variance by a new reading, or by a payment to a player who got too little."""
        if self.random.random() < 0.6:
            again: dict[str, Any] = {"case": case, "way": "misread", "read_minor": 1, "reason": "misread"}
            self.do("progressives", "blazing", "mark", "variance.close", **again)
            return
        reason = self.random.choice(("the sign lagged", "malfunction", "reading-variance"))
        paid: dict[str, Any] = {"case": case, "way": "paid", "reason": reason, "player": "Ann"}
        self.do("progressives", "blazing", "cage", "variance.close", **paid, gaming_day=self.random.choice(DAYS))
