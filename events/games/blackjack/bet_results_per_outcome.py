"""Odds of one deal, in which the dealer's hand decides all boxes.

The figures are an estimate, since players choose. They assume the best play by totals from an infinite deck. The main
bet of the par sheet does, too (`infinite_deck_main_bet_value`). For a given dealer's hand the boxes are independent
there. All stakes on a box have its cards (BJ-19).

The odds of the side bets (Trilux, the fixed pays of Blazing 7s, insurance) are exact, from full packs. The players have
no choice after these bets. A box's first two cards decide its Trilux and its Blazing 7s. The dealer's card is one for
all boxes, and each box is dealt as if it were alone. The meters pay their share of a hit: at the table it wins the
stake.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from events.games.blackjack import rules as blackjack
from events.games.blackjack import trilux
from events.games.blackjack.blackjack_table_state import BLAZING, INSURANCE, MAIN, TRILUX, cards_of, progressive_rules
from events.games.blackjack.infinite_deck_main_bet_value import DECK, BestPlay, alike, dealer_hands
from events.games.blackjack.rules import BlackjackHand, BlackjackRules
from events.games.blazing7s import rules as blazing7s
from events.rules.bet_outcome_chance_structs import ChanceDecision, Chances, Risk, Spread, house_gain, sure
from events.rules.bonus_hand_counts_by_packs import by_dealer
from events.rules.exact_amount_parsing import Amount
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.event_types.rounds import BetsClosed
from events.tables.table_session_state_structs import Bet, Session

_DECK = tuple((card, float(odds)) for card, odds in DECK)
PARTS = 10**9  # the odds of an estimate are kept in so many parts
_Profits = dict[Amount, float]
_Case = tuple[int, tuple[tuple[Amount, int], ...]]  # its weight, and each profit of a unit in parts
_Both = tuple[trilux.Class, blazing7s.Class]  # result of a box's two cards for either bet, with the dealer's card
_TENS = 16  # a pack's cards worth ten
_HAND = re.compile(r"(.+)\.\d+")


def decision(session: Session, event: BetsClosed, bets: Mapping[str, Bet]) -> ChanceDecision:
    """Return the results of the boxes' main bets for every final hand of the dealer."""
    cases = _cases(session.plays)
    risks = tuple(_risk(bet, _gains(session.plays, bet.stake), bet.box) for bet in bets.values() if bet.wager == MAIN)
    return ChanceDecision(weights=tuple(weight for weight, _ in cases), risks=risks, basis="estimate")


def of_bet(name: str) -> str:
    """The hands of a pair that was split are their first bet's."""
    match = _HAND.fullmatch(name)
    return match[1] if match else name


@lru_cache(maxsize=1_000)
def _gains(plays: TakenRuleset, stake: int) -> tuple[Spread, ...]:
    return tuple(
        tuple((house_gain(profit * stake, stake), parts) for profit, parts in spread) for _, spread in _cases(plays)
    )


@cache
def _cases(plays: TakenRuleset) -> tuple[_Case, ...]:
    rules = blackjack.rules(plays)
    return tuple(case for up, odds in DECK for case in against(rules, up, odds))


def against(rules: BlackjackRules, up: str, weight: Fraction) -> Iterator[_Case]:
    """Yield every final hand from the dealer's first card with its weight, and the win of one unit against it."""
    dealers = dealer_hands(rules, up)
    play = BestPlay(rules, {hand: float(odds) for hand, odds in dealers.items()}, _DECK)
    for hand, odds in dealers.items():
        yield round(weight * odds * PARTS), _parts(_DealerHand(rules, play, hand).box())


def _parts(profits: _Profits) -> tuple[tuple[Amount, int], ...]:
    """Return the profits in whole parts; the rest from rounding goes to the likeliest."""
    parts = {profit: round(odds * PARTS) for profit, odds in profits.items()}
    likeliest = max(parts, key=parts.__getitem__)
    parts[likeliest] += PARTS - sum(parts.values())
    return tuple((profit, count) for profit, count in sorted(parts.items()) if count)


class _DealerHand:
    """Win of a box against one final hand of the dealer, when the player plays best against all of the dealer's
    possible hands."""

    def __init__(self, rules: BlackjackRules, play: BestPlay, dealer: tuple[str, ...]) -> None:
        self.rules, self.play, self.dealer = rules, play, dealer
        self._profits_by_hand: dict[tuple[object, ...], _Profits] = {}

    def box(self) -> _Profits:
        """Return the profits from the first two cards on."""
        return _mixed(
            (first_weight * two, self._best(BlackjackHand(cards=(first, second), stake=1), 0))
            for first, first_weight in _DECK
            for second, two in _DECK
        )

    def _best(self, hand: BlackjackHand, splits: int) -> _Profits:
        key = (*alike(hand), splits if len(hand.cards) == 2 else 0)
        if key not in self._profits_by_hand:
            self._profits_by_hand[key] = self._after(hand, self.play.does(hand, splits), splits)
        return self._profits_by_hand[key]

    def _after(self, hand: BlackjackHand, do: str, splits: int) -> _Profits:
        if do == "stand":
            return self._stand(hand)
        if do == "split":
            return self._split(hand.cards[0], 2, splits + 1)
        (begun,) = blackjack.begin(self.rules, [hand], 0, do)
        follow = self._stand if do == "double" else lambda after: self._best(after, splits)
        return _mixed((odds, follow(blackjack.deal(begun, card))) for card, odds in _DECK)

    def _stand(self, hand: BlackjackHand) -> _Profits:
        return {blackjack.settle_hand(self.rules, hand, self.dealer)[1]: 1.0}

    def _split(self, first: str, waiting: int, splits: int) -> _Profits:
        """`waiting` hands of one card, each of which gets its second one."""
        key = ("split", first[0], waiting, splits)
        if not waiting:
            return {0: 1.0}
        if key not in self._profits_by_hand:
            self._profits_by_hand[key] = _mixed(
                (odds, self._second(BlackjackHand(cards=(first, card), stake=1, from_split=True), waiting, splits))
                for card, odds in _DECK
            )
        return self._profits_by_hand[key]

    def _second(self, hand: BlackjackHand, waiting: int, splits: int) -> _Profits:
        first, play = hand.cards[0], self.play
        stays = play.best(hand, self.rules.splits) + play.split(first, waiting - 1, splits)
        can_split = "split" in blackjack.legal_actions(self.rules, hand, splits)
        if can_split and play.split(first, waiting + 1, splits + 1).profit > stays.profit:
            return self._split(first, waiting + 1, splits + 1)
        return _both(self._best(hand, self.rules.splits), self._split(first, waiting - 1, splits))


def _mixed(several: Iterable[tuple[float, _Profits]]) -> _Profits:
    profits_by_odds: _Profits = {}
    for odds, profits in several:
        for profit, part in profits.items():
            profits_by_odds[profit] = profits_by_odds.get(profit, 0.0) + odds * part
    return profits_by_odds


def _both(profits: _Profits, other: _Profits) -> _Profits:
    return _mixed((part, {profit + added: odds for added, odds in other.items()}) for profit, part in profits.items())


def three_card_decisions(session: Session, event: BetsClosed, bets: Mapping[str, Bet]) -> Iterator[ChanceDecision]:
    """Yield the decisions of the bets on the first three cards, and of those on the dealer's second card."""
    rules, packs = blackjack.rules(session.plays), cards_of(session).packs
    packs = packs or rules.packs[1]  # the size of an unrecorded shoe
    if on_cards := [bet for bet in bets.values() if bet.wager in (TRILUX, BLAZING)]:
        weights = tuple(faces for faces, _ in by_dealer(_classes, packs))
        yield ChanceDecision(weights=weights, risks=tuple(_on_cards(session, bet, packs) for bet in on_cards))
    if insured := [bet for bet in bets.values() if bet.wager == INSURANCE]:
        yield ChanceDecision(
            weights=(_TENS * packs, (52 - _TENS) * packs - 1),
            risks=tuple(_risk(bet, _insurance(rules, bet.stake)) for bet in insured),
        )


def _risk(bet: Bet, gains: tuple[Spread, ...], box: int | None = None) -> Risk:
    return Risk(bet=bet.id, wager=bet.wager, player=bet.player, stake=bet.stake, gains=gains, hand=box)


def _classes(player: Sequence[str], dealer: str) -> _Both:
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
    return tuple(tuple((gain(both), count) for both, count in ways) for _, ways in by_dealer(_classes, packs))


def _insurance(rules: blackjack.BlackjackRules, stake: int) -> tuple[Spread, ...]:
    """The dealer has an ace: the second card decides."""
    profits = (blackjack.settle_insurance(rules, stake, ("AS", second))[1] for second in ("TS", "9S"))
    return tuple(sure(_gain(profit, stake)) for profit in profits)


def _gain(profit: Amount, stake: int) -> int:
    return house_gain(profit, stake if profit >= 0 else 0)


CHANCES = Chances(deciding=(BetsClosed,), decision=decision, of_bet=of_bet, further_decisions=three_card_decisions)
