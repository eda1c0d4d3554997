"""Chances of the side bets: Trilux, the fixed pays of Blazing 7s, insurance.

The players have no choice after these bets, so the odds are exact, from full packs. A box's first two cards decide its
Trilux and its Blazing 7s. The dealer's card is one for all boxes, and each box is dealt as if it were alone. The meters
pay their share of a hit: at the table it wins the stake.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from events.games.blackjack import rules as blackjack
from events.games.blackjack import trilux
from events.games.blackjack.shoe_and_boxes import BLAZING, INSURANCE, TRILUX, cards_of, progressive_rules
from events.games.blazing7s import rules as blazing7s
from events.rules.bonus_hand_counts_by_packs import by_dealer
from events.rules.chance_declaration_types import ChanceDecision, Risk, Spread, house_gain, sure
from events.rules.exact_amount_parsing import Amount
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.event_types.rounds import BetsClosed
from events.tables.table_session_state_structs import Bet, Session

_Both = tuple[trilux.Class, blazing7s.Class]  # result of a box's two cards for either bet, with the dealer's card
_TENS = 16  # a pack's cards worth ten


def three_card_decisions(session: Session, event: BetsClosed, bets: Mapping[str, Bet]) -> Iterator[ChanceDecision]:
    """Yield the decisions of the bets on the first three cards, and of those on the dealer's second card."""
    rules, packs = blackjack.rules(session.plays), cards_of(session).packs
    packs = packs or rules.packs[1]  # the size of an unrecorded shoe
    if on_cards := [bet for bet in bets.values() if bet.wager in (TRILUX, BLAZING)]:
        weights = tuple(faces for faces, _ in by_dealer(_both, packs))
        yield ChanceDecision(weights=weights, risks=tuple(_on_cards(session, bet, packs) for bet in on_cards))
    if insured := [bet for bet in bets.values() if bet.wager == INSURANCE]:
        yield ChanceDecision(
            weights=(_TENS * packs, (52 - _TENS) * packs - 1),
            risks=tuple(_risk(bet, _insurance(rules, bet.stake)) for bet in insured),
        )


def _risk(bet: Bet, gains: tuple[Spread, ...], box: int | None = None) -> Risk:
    return Risk(bet=bet.id, wager=bet.wager, player=bet.player, stake=bet.stake, gains=gains, hand=box)


def _both(player: Sequence[str], dealer: str) -> _Both:
    return trilux.trilux_class(player, dealer), blazing7s.classify(player, dealer)


def _on_cards(session: Session, bet: Bet, packs: int) -> Risk:
    if bet.wager == TRILUX:
        return _risk(bet, _trilux(session.plays, packs, bet.stake), bet.box)
    fixed = progressive_rules(session)
    return _risk(bet, _of_three(packs, lambda both: _gain(_fixed(fixed, both[1], bet.stake), bet.stake)), bet.box)


@lru_cache(maxsize=1_000)
def _trilux(plays: TakenRuleset, packs: int, stake: int) -> tuple[Spread, ...]:
    rules = blackjack.rules(plays)
    return _of_three(packs, lambda both: _gain(trilux.settle_trilux(rules, both[0], stake), stake))


def _fixed(fixed: blazing7s.BlazingRules, hand: blazing7s.Class, stake: int) -> Amount:
    return -stake if blazing7s.is_progressive(hand) else blazing7s.settle_fixed(fixed, hand, stake)[0]


def _of_three(packs: int, gain: Callable[[_Both], int]) -> tuple[Spread, ...]:
    """Return for each card of the dealer the ways of the player's two cards, with the house's gain."""
    return tuple(tuple((gain(both), count) for both, count in ways) for _, ways in by_dealer(_both, packs))


def _insurance(rules: blackjack.BlackjackRules, stake: int) -> tuple[Spread, ...]:
    """The dealer has an ace: the second card decides."""
    profits = (blackjack.settle_insurance(rules, stake, ("AS", second))[1] for second in ("TS", "9S"))
    return tuple(sure(_gain(profit, stake)) for profit in profits)


def _gain(profit: Amount, stake: int) -> int:
    return house_gain(profit, stake if profit >= 0 else 0)
