"""One coup: the totals of both sides and the pairs decide all boxes, each end as often as full packs deal it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product

from events.games.baccarat import rules as baccarat
from events.games.baccarat.event_types import CoupEnded
from events.games.baccarat.par import Totals, composition, finish, put_back, two_cards
from events.games.baccarat.rules import CoupOutcome
from events.rules.bet_outcome_chance_structs import ChanceDecision, Chances, Risk, Spread, house_gain, sure
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.table_session_state_structs import Bet, Session

_Ends = tuple[tuple[CoupOutcome, int], ...]
# Cards worth nothing are of four ranks, so two of them may be a pair or not; two alike of another value always are.
_NAUGHT = 4
_PAIRS = ((True, True), (True, False), (False, True), (False, False))  # of player, of banker


@cache
def distinct_outcomes(packs: int) -> _Ends:
    """Return every end that bets distinguish, with its number of ordered deals of six cards."""
    cards_left, each = composition(packs), 4 * packs
    by_pairs: dict[tuple[bool, bool], Counter[Totals]] = {pairs: Counter() for pairs in _PAIRS}
    for player, ways in two_cards(cards_left):
        for player_pair, of_player, naught_left in _paired(player, ways, (each,) * _NAUGHT):
            for banker, banker_ways in two_cards(cards_left):
                for banker_pair, of_banker, _ in _paired(banker, banker_ways, naught_left):
                    finish(cards_left, player, banker, of_player * of_banker, by_pairs[player_pair, banker_pair])
                put_back(cards_left, banker)
        put_back(cards_left, player)
    return tuple(
        (CoupOutcome(*totals, player_pair=pairs[0], banker_pair=pairs[1]), ways)
        for pairs, counted in by_pairs.items()
        for totals, ways in sorted(counted.items())
    )


def _paired(hand: list[int], ways: int, naught: tuple[int, ...]) -> Iterator[tuple[bool, int, tuple[int, ...]]]:
    """Yield for a pair and for no pair: the number of ways, and the worthless cards left by rank."""
    if hand != [0, 0]:
        naught_left = (naught[0] - 1, *naught[1:]) if 0 in hand else naught
        yield hand[0] == hand[1], ways, naught_left
        return
    for first, second in product(range(_NAUGHT), repeat=2):
        left = list(naught)
        left[first] -= 1
        orders = naught[first] * left[second]
        left[second] -= 1
        if orders:
            yield first == second, orders, tuple(left)


def decision(session: Session, event: CoupEnded, bets: Mapping[str, Bet]) -> ChanceDecision:
    """Return the results of these bets for every end of a coup, from full packs, for any cards already dealt."""
    coups = distinct_outcomes(baccarat.rules(session.plays).packs)
    actual = baccarat.CoupOutcome(
        event.player_total, event.banker_total, player_pair=event.player_pair, banker_pair=event.banker_pair
    )
    case = next((place for place, (end, _) in enumerate(coups) if end == actual), None)
    risks = tuple(
        Risk(
            bet=bet.id,
            wager=bet.wager,
            player=bet.player,
            stake=bet.stake,
            gains=_gains(session.plays, bet.wager, bet.stake),
        )
        for bet in bets.values()
    )
    return ChanceDecision(weights=tuple(ways for _, ways in coups), risks=risks, case=case)


@lru_cache(maxsize=1_000)
def _gains(plays: TakenRuleset, wager: str, stake: int) -> tuple[Spread, ...]:
    game, laid = baccarat.rules(plays), [baccarat.BaccaratBet("", wager, stake)]
    results = [baccarat.settle_coup(game, end, laid)[0] for end, _ in distinct_outcomes(game.packs)]
    return tuple(sure(house_gain(result.profit, result.returned)) for result in results)


CHANCES = Chances(deciding=(CoupEnded,), decision=decision)
