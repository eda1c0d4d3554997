"""Cases of baccarat."""

from collections.abc import Callable
from random import Random
from typing import Any

from events.games.baccarat import rules as baccarat
from events.rules import cards

Given = dict[str, Any]


def shoe(random: Random, count: int) -> list[str]:
    return random.sample(cards.packs(8), count)


def _bet(random: Random, at: int) -> Given:
    name = random.choice(baccarat.BETS) if random.random() < 0.995 else "dragon"
    return {"id": f"b{at}", "type": name, "stake": random.randint(1, 500) if random.random() < 0.995 else -5}


def round_(random: Random) -> Given:
    """A shoe with cards to spare, seldom with too few."""
    bets = [_bet(random, at) for at in range(random.randint(0, 7))]
    if random.random() < 0.01:
        bets += bets[:1]
    drawn = shoe(random, random.randint(6, 8) if random.random() < 0.97 else 3)
    if random.random() < 0.01:
        drawn[2] = "1X"
    return {"variant": random.choice(("commission", "no_commission")), "shoe": drawn, "bets": bets}


def deal_check(random: Random) -> Given:
    """A deal by the table of play; often one card of it is laid wrong, is missing or is one too many."""
    sides: dict[str, list[str]] = {"player": [], "banker": []}
    deals = []
    for card in shoe(random, 6):
        to = baccarat.next_to(sides["player"], sides["banker"])
        if to is None:
            break
        sides[to].append(card)
        deals.append({"to": to, "card": card})
    change = random.choice(("none", "other", "extra", "fewer"))
    if change == "other":
        at = random.randrange(len(deals))
        deals[at] = {**deals[at], "to": "banker" if deals[at]["to"] == "player" else "player"}
    if change == "extra":
        deals.append({"to": random.choice(("player", "banker")), "card": "2C"})
    return {"deals": deals[:-1] if change == "fewer" else deals}


def _sides(random: Random, types: tuple[str, ...]) -> list[Given]:
    count = random.randint(1, 6)
    return [{"id": f"b{at}", "type": random.choice(types), "stake": random.randint(1, 300)} for at in range(count)]


def max_difference(random: Random) -> Given:
    types = ("player", "banker", "player", "banker", *baccarat.BETS)
    return {"max_difference": random.choice((0, 50, 100, random.randint(0, 500))), "bets": _sides(random, types)}


def table_max(random: Random) -> Given:
    types = ("tie", "tie", "player_pair", "banker_pair", "player")
    return {"maxima": {name: random.randint(1, 300) for name in types[1:4]}, "bets": _sides(random, types)}


def burn(random: Random) -> Given:
    return {"card": random.choice(cards.PACK)}


def reveal(random: Random) -> Given:
    kinds = ("player", "banker", "player", "banker", "tie")
    people = [
        {"by": random.choice("XYZ"), "type": random.choice(kinds), "stake": random.choice((5, 10, 20, 20))}
        for _ in range(random.randint(0, 6))
    ]
    return {"bets": people}


def accept(random: Random) -> Given:
    return {
        "phase": random.choice(("open", "bets_closed")),
        "operation": random.choice(("make", "take_back", "change")),
    }


MAKERS: dict[tuple[str, str], Callable[[Random], Given]] = {
    ("baccarat", maker.__name__.rstrip("_")): maker
    for maker in (round_, deal_check, max_difference, table_max, burn, reveal, accept)
}
