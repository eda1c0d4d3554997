"""Exact odds of baccarat: every composition of a coup from full packs, dealt by the table of play that the table uses.

Cards of one value are counted together, which reduces the orders of six packs to some hundred thousand compositions.
Weights are whole numbers of ordered deals of six cards, also where a coup uses fewer than six.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import perm

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid
from events.games.baccarat import rules as baccarat
from events.games.par import Edge, ParSheet
from events.rules import cards
from events.rules.taken_ruleset_version_struct import Numbers

MOST_PACKS = 16
_LONGEST = 6
Totals = tuple[int, int]


def edges(ruleset: Numbers) -> list[Edge]:
    """The edge of every bet, per unit staked (a push keeps the stake in the count). Raises Unknown."""
    return edges_of(baccarat.rules(ruleset))


def for_packs(ruleset: Numbers, packs: int) -> ParSheet:
    """The sheet of a shoe of so many packs. Raises Invalid."""
    if not 1 <= packs <= MOST_PACKS:
        raise Invalid("packs", coded("packs-out-of-range", most=MOST_PACKS))
    return ParSheet(str(ruleset), tuple(edges_of(replace(baccarat.rules(ruleset), packs=packs))))


def edges_of(game: baccarat.BaccaratRules) -> list[Edge]:
    """The edge of every bet under these rules."""
    return [_edge(game, name) for name in baccarat.BETS]


def _edge(game: baccarat.BaccaratRules, name: str) -> Edge:
    bet = baccarat.BaccaratBet(name, name, 1)
    profit, hits, pushes, deals = Fraction(0), 0, 0, 0
    for end, weight in _coups(game.packs, pairs=name.endswith("pair")):
        result = baccarat.settle_coup(game, end, [bet])[0]
        profit += result.profit * weight
        hits += weight * (result.outcome == "win")
        pushes += weight * (result.outcome == "push")
        deals += weight
    note = f"{game.packs} packs, full shoe; pushes count as staked" if pushes else f"{game.packs} packs, full shoe"
    return Edge(game.name, name, -profit / deals, Fraction(hits, deals), note=note)


def _coups(packs: int, *, pairs: bool) -> list[tuple[baccarat.CoupOutcome, int]]:
    """Return every end of a coup that such a bet distinguishes, with its number of ordered deals."""
    if pairs:
        weights = _pairs(packs)
        return [(baccarat.CoupOutcome(0, 0, player_pair=pair, banker_pair=pair), weights[pair]) for pair in weights]
    return [(baccarat.CoupOutcome(*totals), weight) for totals, weight in totals_of(packs).items()]


def _pairs(packs: int) -> Counter[bool]:
    """Ordered two-card hands from full packs, by whether they are a pair."""
    each = 4 * packs
    weights: Counter[bool] = Counter()
    for first in cards.RANKS:
        for second in cards.RANKS:
            weights[baccarat.is_pair([first + "C", second + "D"])] += each * (each - (first == second))
    return weights


@cache
def totals_of(packs: int) -> Counter[Totals]:
    """Return the number of ordered deals of six cards that end with these totals of Player and Banker."""
    left = composition(packs)
    totals: Counter[Totals] = Counter()
    for player, ways_player in two_cards(left):
        for banker, ways_banker in two_cards(left):
            finish(left, player, banker, ways_player * ways_banker, totals)
            put_back(left, banker)
        put_back(left, player)
    return totals


def composition(packs: int) -> list[int]:
    """Return the number of cards of each point value in full packs."""
    counted = Counter(baccarat.points(card) for card in cards.packs(packs))
    return [counted[value] for value in range(10)]


def two_cards(left: list[int]) -> Iterator[tuple[list[int], int]]:
    """Each unordered pair of values, taken out of `left`, with its number of orders; the caller puts it back."""
    for first, second in combinations_with_replacement(range(10), 2):
        ways = left[first] * (left[second] - (first == second)) * (1 if first == second else 2)
        left[first] -= 1
        left[second] -= 1
        yield [first, second], ways


def put_back(left: list[int], values: list[int]) -> None:
    """Return cards to the composition."""
    for value in values:
        left[value] += 1


def finish(cards_left: list[int], player: list[int], banker: list[int], ways: int, totals: Counter[Totals]) -> None:
    """Deals the coup to its end in every way, and counts the deals by the totals."""
    side = baccarat.next_side(player, banker)
    if side is None:
        unused = _LONGEST - len(player) - len(banker)
        totals[baccarat.total(player), baccarat.total(banker)] += ways * perm(sum(cards_left), unused)
        return
    hand = player if side == "player" else banker
    for value in range(10):
        ways_on = ways * cards_left[value]
        cards_left[value] -= 1
        hand.append(value)
        finish(cards_left, player, banker, ways_on, totals)
        hand.pop()
        cards_left[value] += 1
