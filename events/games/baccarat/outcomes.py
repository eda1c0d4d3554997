"""Every end of a coup from full packs, totals and pairs together: player, banker, tie and pairs are one coup's."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

from events.games.baccarat.par import Totals, composition, finish, put_back, two_cards
from events.games.baccarat.rules import CoupOutcome

_Ends = tuple[tuple[CoupOutcome, int], ...]
# Cards worth nothing are of four ranks, so two of them may be a pair or not; two alike of another value always are.
_NAUGHT = 4
_PAIRS = ((True, True), (True, False), (False, True), (False, False))  # of player, of banker


@cache
def ends(packs: int) -> _Ends:
    """Every end that bets can tell apart, with its number of ordered deals of six cards."""
    left, each = composition(packs), 4 * packs
    by_pairs: dict[tuple[bool, bool], Counter[Totals]] = {pairs: Counter() for pairs in _PAIRS}
    for player, ways in two_cards(left):
        for player_pair, of_player, gone in _paired(player, ways, (each,) * _NAUGHT):
            for banker, banker_ways in two_cards(left):
                for banker_pair, of_banker, _ in _paired(banker, banker_ways, gone):
                    finish(left, player, banker, of_player * of_banker, by_pairs[player_pair, banker_pair])
                put_back(left, banker)
        put_back(left, player)
    return tuple(
        (CoupOutcome(*totals, player_pair=pairs[0], banker_pair=pairs[1]), ways)
        for pairs, counted in by_pairs.items()
        for totals, ways in sorted(counted.items())
    )


def _paired(hand: list[int], ways: int, naught: tuple[int, ...]) -> Iterator[tuple[bool, int, tuple[int, ...]]]:
    """Yield for a pair and for no pair: the number of ways, and the worthless cards left by rank."""
    if hand != [0, 0]:
        gone = (naught[0] - 1, *naught[1:]) if 0 in hand else naught
        yield hand[0] == hand[1], ways, gone
        return
    for first, second in product(range(_NAUGHT), repeat=2):
        left = list(naught)
        left[first] -= 1
        orders = naught[first] * left[second]
        left[second] -= 1
        if orders:
            yield first == second, orders, tuple(left)
