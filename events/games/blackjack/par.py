"""Par sheet of blackjack-trilux: the main bet, insurance and the Trilux bonus, through the functions that settle them.

An exact figure of the main bet for a finite shoe would need every composition of every hand. This figure is exact for
an infinite deck, as its condition states. Insurance and Trilux are exact for 4, 5 and 6 packs.
"""

from collections import Counter
from fractions import Fraction
from functools import cache

from events.games.blackjack import rules as blackjack
from events.games.blackjack.infinite_deck_main_bet_value import main_bet
from events.games.blackjack.rules import BlackjackRules
from events.games.blackjack.trilux import CLASSES, settle_trilux, trilux_class
from events.games.par import Edge, ParLine
from events.rules import cards
from events.rules.bonus_hand_counts_by_packs import all_ways, counts, probability
from events.rules.taken_ruleset_version_struct import Numbers

_INFINITE = "infinite deck, best total-dependent play"


@cache
def edges(ruleset: Numbers) -> list[Edge]:
    """Edges of every bet; negative profit of the player per unit staked. `hit` of the main bet counts hands won."""
    rules = blackjack.rules(ruleset)
    shoes = range(rules.packs[0], rules.packs[1] + 1)
    return [
        *_main(rules),
        *(_insurance(rules, packs) for packs in shoes),
        *(_trilux(rules, packs) for packs in shoes),
    ]


def lines(ruleset: Numbers) -> list[ParLine]:
    """Return the probability of each hand of the Trilux table."""
    least, most = blackjack.rules(ruleset).packs
    return [
        ParLine(f"trilux {hand_class}, {packs} packs", probability(trilux_class, packs, hand_class), "of the bets")
        for packs in range(least, most + 1)
        for hand_class in CLASSES
    ]


def _main(rules: BlackjackRules) -> list[Edge]:
    value = main_bet(rules)
    note = "hit is the number of hands won a round, split hands counted each"
    return [
        Edge(rules.name, "main", -value.profit, value.won, _INFINITE, "stake", note),
        Edge(
            rules.name,
            "main",
            -value.profit / value.laid,
            value.won,
            _INFINITE,
            "outlay",
            "doubles and splits included",
        ),
    ]


def _insurance(rules: BlackjackRules, packs: int) -> Edge:
    shoe = Counter(cards.packs(packs))
    shoe["AS"] -= 1
    ways = shoe.total()
    results = [(count, *blackjack.settle_insurance(rules, 1, ("AS", card))) for card, count in shoe.items()]
    profit = Fraction(sum(count * profit for count, _, profit in results)) / ways
    hit = Fraction(sum(count for count, outcome, _ in results if outcome == "win"), ways)
    return Edge(rules.name, "insurance", -profit, hit, f"{packs} packs", note="nothing seen but the dealer's ace")


def _trilux(rules: BlackjackRules, packs: int) -> Edge:
    ways = counts(trilux_class, packs)
    profit = sum(count * settle_trilux(rules, hand_class, 1) for hand_class, count in ways.items())
    return Edge(
        rules.name,
        "trilux",
        Fraction(-profit, all_ways(packs)),
        1 - probability(trilux_class, packs, "none"),
        f"{packs} packs",
    )
