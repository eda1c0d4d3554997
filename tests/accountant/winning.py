"""A round of blackjack in which somebody wins the progressive, step by step."""

from collections.abc import Iterator
from typing import Any

# By level: the cards as they are dealt, each with its box; 0 is the dealer.
DEALS = {
    "mega": (("7D", 1), ("8C", 2), ("7D", 0), ("7D", 1)),
    "minor": (("7H", 1), ("9C", 2), ("7D", 0), ("7D", 1)),
}
BETS = ((1, "main", 1_000), (1, "blazing7s", 500), (2, "main", 1_000), (2, "blazing7s", 500))


def won(level: str, bet: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Box 1 wins the level; who sits at box 2 gets the envy bonus. `bet` begins the names of its bets."""
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
    """To a box, or to the dealer."""
    return {"card": card, **({"to": "box", "box": box} if box else {"to": "dealer"})}
