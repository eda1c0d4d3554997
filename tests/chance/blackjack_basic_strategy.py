"""Two boxes of blackjack at one dealer's hand: main bets by the basic strategy from the infinite deck, side bets from
six full packs."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from events.games.blackjack import bet_results_per_outcome, blackjack_table_state
from events.games.blackjack import rules as blackjack
from events.games.blackjack.infinite_deck_main_bet_value import DECK, BestPlay, dealer_hands
from events.games.blackjack.rules import BlackjackHand
from events.games.blackjack.trilux import settle_trilux, trilux_class
from events.games.blazing7s import rules as blazing7s
from tests.chance.round_with_theory import PACK, MeanAndVariance, RoundWithTheory, laid, mean_and_variance, session

SIX = PACK * 6  # an ace of spades first
AT = session("blackjack-trilux")
RULES = blackjack.rules("blackjack-trilux")
SEVENS = blackjack_table_state.progressive_rules(AT)
STAKE, SEVEN_STAKE = 100, SEVENS.stakes[0]
EVENT: Any = None  # nothing looks at it: the bets say all
_FACES, _ODDS = [card for card, _ in DECK], [float(odds) for _, odds in DECK]


def main(random: Random) -> RoundWithTheory:
    """The dealer's hand is one for both boxes."""
    dealer = [_card(random)]
    while blackjack.dealer_draws(RULES, dealer):
        dealer.append(_card(random))
    play = _against(dealer[0])
    profit = sum(_begun(random, play, dealer) for _ in range(2))
    return RoundWithTheory(-float(profit) * STAKE, *_main())


def _card(random: Random) -> str:
    (card,) = random.choices(_FACES, _ODDS)
    return card


@cache
def _against(up: str) -> BestPlay:
    hands = {hand: float(odds) for hand, odds in dealer_hands(RULES, up).items()}
    return BestPlay(RULES, hands, tuple(zip(_FACES, _ODDS, strict=True)))


def _begun(random: Random, play: BestPlay, dealer: list[str]) -> Any:
    return _played(random, play, dealer, BlackjackHand(cards=(_card(random), _card(random)), stake=1), 0)


def _played(random: Random, play: BestPlay, dealer: list[str], hand: BlackjackHand, splits: int) -> Any:
    """Play a hand card by card, and return the profit for a stake of one unit."""
    while (move := play.does(hand, splits)) in ("hit", "double"):
        (begun,) = blackjack.begin(RULES, [hand], 0, move)
        hand = blackjack.deal(begun, _card(random))
    if move == "split":
        return _split(random, play, dealer, hand.cards[0], splits + 1)
    return blackjack.settle_hand(RULES, hand, dealer)[1]


def _split(random: Random, play: BestPlay, dealer: list[str], first: str, splits: int) -> Any:
    """Hands of one card each get their second one after another; a pair is split again where that is better."""
    waiting, profit = 2, 0
    while waiting:
        hand = BlackjackHand(cards=(first, _card(random)), stake=1, from_split=True)
        if _is_split_again(play, hand, waiting, splits):
            waiting, splits = waiting + 1, splits + 1
        else:
            waiting, profit = waiting - 1, profit + _played(random, play, dealer, hand, RULES.splits)
    return profit


def _is_split_again(play: BestPlay, hand: BlackjackHand, waiting: int, splits: int) -> bool:
    if "split" not in blackjack.legal_actions(RULES, hand, splits):
        return False
    stays = play.best(hand, RULES.splits) + play.split(hand.cards[0], waiting - 1, splits)
    return bool(play.split(hand.cards[0], waiting + 1, splits + 1).profit > stays.profit)


@cache
def _main() -> MeanAndVariance:
    bets = laid({"a": (blackjack_table_state.MAIN, STAKE), "b": (blackjack_table_state.MAIN, STAKE)})
    return mean_and_variance(bet_results_per_outcome.decision(AT, EVENT, bets))


def trilux(random: Random) -> RoundWithTheory:
    """Both boxes share the dealer's card."""
    return _of_three(random, blackjack_table_state.TRILUX, STAKE, _bonus)


def _bonus(two: list[str], dealer: str) -> float:
    return -float(settle_trilux(RULES, trilux_class(two, dealer), STAKE))


def blazing(random: Random) -> RoundWithTheory:
    """Play the progressive's bet. The table keeps the stake of a hit, because the meter pays."""
    return _of_three(random, blackjack_table_state.BLAZING, SEVEN_STAKE, _sevens)


def _sevens(two: list[str], dealer: str) -> float:
    hand = blazing7s.classify(two, dealer)
    if blazing7s.is_progressive(hand):
        return float(SEVEN_STAKE)
    return -float(blazing7s.settle_fixed(SEVENS, hand, SEVEN_STAKE)[0])


def _of_three(random: Random, wager: str, stake: int, won: Callable[[list[str], str], float]) -> RoundWithTheory:
    *cards, dealer = random.sample(SIX, 5)
    return RoundWithTheory(sum(won(cards[at : at + 2], dealer) for at in (0, 2)), *_side_bet_figures(wager, stake))


def insurance(random: Random) -> RoundWithTheory:
    """Two boxes insured against the card that follows the dealer's ace."""
    second = random.choice(SIX[1:])
    profit = 2 * float(blackjack.settle_insurance(RULES, STAKE, ("AS", second))[1])
    return RoundWithTheory(-profit, *_side_bet_figures(blackjack_table_state.INSURANCE, STAKE))


@cache
def _side_bet_figures(wager: str, stake: int) -> MeanAndVariance:
    (decision,) = bet_results_per_outcome.three_card_decisions(
        AT, EVENT, laid({"a": (wager, stake), "b": (wager, stake)})
    )
    return mean_and_variance(decision)
