"""What the cards make of the bets beside the main one: Trilux, the fixed pays of Blazing 7s, insurance.

Nobody chooses anything once they lie there, so these are exact, from full packs. The dealer's card is one for all
boxes, and each box is dealt as if it were alone beside it. The meters' share of a hit is no table's: it wins the stake.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from events.chances import Decision, Risk, Spread, house_gain, sure
from events.exact import Amount
from events.games.blackjack import rules as blackjack
from events.games.blackjack.boxes import BLAZING, INSURANCE, TRILUX, cards_of, progressive_rules
from events.games.blackjack.trilux import settle_trilux, trilux_class
from events.games.blazing7s import rules as blazing7s
from events.tables.state import Bet, Session
from events.tables.types.rounds import BetsClosed
from events.three_cards import by_dealer

_Gains = Callable[[int], tuple[Spread, ...]]  # of a stake
_TENS = 16  # a pack's cards worth ten


def beside(session: Session, event: BetsClosed, bets: Mapping[str, Bet]) -> Iterator[Decision]:
    """A decision for each kind of bet that lay there."""
    rules, packs = blackjack.rules(session.plays), cards_of(session).packs
    packs = packs or rules.packs[1]  # of a shoe that nobody recorded
    for wager, odds in ((TRILUX, _trilux), (BLAZING, _blazing), (INSURANCE, _insurance)):
        risks = [bet for bet in bets.values() if bet.wager == wager]
        if risks:
            weights, gains = odds(session, rules, packs)
            yield Decision(weights=weights, risks=tuple(_risk(bet, gains) for bet in risks))


def _risk(bet: Bet, gains: _Gains) -> Risk:
    return Risk(bet=bet.id, wager=bet.wager, player=bet.player, stake=bet.stake, gains=gains(bet.stake))


def _trilux(session: Session, rules: blackjack.Rules, packs: int) -> tuple[tuple[int, ...], _Gains]:
    return _of_three(trilux_class, packs, lambda hand, stake: settle_trilux(rules, hand, stake))


def _blazing(session: Session, rules: blackjack.Rules, packs: int) -> tuple[tuple[int, ...], _Gains]:
    fixed = progressive_rules(session)

    def profit(hand: blazing7s.Class, stake: int) -> Amount:
        return -stake if blazing7s.is_progressive(hand) else blazing7s.settle_fixed(fixed, hand, stake)[0]

    return _of_three(blazing7s.classify, packs, profit)


def _of_three(
    classify: Callable[..., str], packs: int, profit: Callable[..., Amount]
) -> tuple[tuple[int, ...], _Gains]:
    """By the dealer's card: each way of the player's two, with what is won then."""
    cases = by_dealer(classify, packs)

    @lru_cache(maxsize=100)
    def gains(stake: int) -> tuple[Spread, ...]:
        return tuple(tuple((_gain(profit(hand, stake), stake), count) for hand, count in ways) for _, ways in cases)

    return tuple(faces for faces, _ in cases), gains


def _insurance(session: Session, rules: blackjack.Rules, packs: int) -> tuple[tuple[int, ...], _Gains]:
    """The dealer's ace lies there: his second card decides."""

    def gains(stake: int) -> tuple[Spread, ...]:
        profits = (blackjack.settle_insurance(rules, stake, ("AS", second))[1] for second in ("TS", "9S"))
        return tuple(sure(_gain(profit, stake)) for profit in profits)

    return (_TENS * packs, (52 - _TENS) * packs - 1), gains


def _gain(profit: Amount, stake: int) -> int:
    return house_gain(profit, stake if profit >= 0 else 0)
