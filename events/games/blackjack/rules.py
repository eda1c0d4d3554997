"""Blackjack of the Trilux guide (file 004): hands, the dealer's rule, the win of each stake.

Pure functions over small frozen values, so that a live table, a dispute and a simulation settle alike. Stakes are whole
minor units. Profits are exact, since 3:2 of an odd stake is no whole number (`int | Fraction`, BJ-15). They exclude the
stake: a lost stake of 100 has profit -100. There is no hole card: the dealer has one card until the players are done.
Sequence and limits of a round are in `procedure`, the bonus bet in `trilux`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from events.error_codes import ErrorText, coded
from events.errors import Invalid, Refused
from events.rules import loading_and_pinning_rulesets
from events.rules.exact_amount_parsing import Amount, simple
from events.rules.taken_ruleset_version_struct import Numbers

Do: TypeAlias = Literal["hit", "stand", "double", "split"]
Outcome: TypeAlias = Literal["blackjack", "win", "push", "lose"]
Ratio: TypeAlias = tuple[int, int]

ACTIONS: tuple[Do, ...] = ("double", "hit", "split", "stand")
BLACKJACK = 21
_VALUES = {rank: min(10, i + 1) for i, rank in enumerate("A23456789TJQK")}


class BlackjackRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`rulesets/blackjack-trilux.json`. Ratios are [profit, stake]; `readings` gives the reading of each open question
    by code."""

    name: str
    version: str
    title: str
    source: str
    packs: tuple[int, int]
    boxes: int
    dealer_stands_on: int
    blackjack_pays: Ratio
    win_pays: Ratio
    double_totals: tuple[int, int]
    double_soft: bool
    splits: int
    ace_splits: int
    split_by: Literal["value", "rank"]
    draw_on_21: bool
    insurance_band: tuple[Ratio, Ratio]
    insurance_pays: Ratio
    trilux_pays: dict[str, int]
    trilux_multiple: int
    readings: dict[str, str]


class BlackjackHand(msgspec.Struct, frozen=True):
    """One hand of a box. `stake` is its whole present stake: doubled, it is twice the first."""

    cards: tuple[str, ...]
    stake: int
    from_split: bool = False
    doubled: bool = False
    stood: bool = False


def rules(ruleset: Numbers = "blackjack-trilux") -> BlackjackRules:
    """The numbers of a ruleset. Raises Unknown, or Invalid for data that does not fit."""
    numbers: BlackjackRules = loading_and_pinning_rulesets.load(ruleset, BlackjackRules)
    return numbers


def refused(clause: str, text: ErrorText, source: str, reading: str = "") -> Refused:
    """A refusal by a clause of this rule book: `refused("B.3", ..., "L83", "BJ-5")`."""
    return Refused(f"blackjack-trilux {clause}", text, source=f"004 {source}", reading=reading)


# --- cards ----------------------------------------------------------------------------------------------------


def value(card: str) -> int:
    """Return the points of a card: ace 1 (or 11, see `total`), faces 10 (P.6)."""
    return _VALUES[card[0]]


def total(cards: Sequence[str]) -> tuple[int, bool]:
    """The best total and whether an ace counts eleven in it ("soft"). Over 21 is bust (P.6, P.7)."""
    low = sum([_VALUES[card[0]] for card in cards])
    soft = low <= 11 and "A" in [card[0] for card in cards]
    return (low + 10, True) if soft else (low, False)


def is_bust(cards: Sequence[str]) -> bool:
    """Over 21, lost at once (P.7). Two cards make at most 21."""
    return len(cards) > 2 and total(cards)[0] > BLACKJACK


def is_blackjack(cards: Sequence[str], *, from_split: bool = False) -> bool:
    """Return whether the hand is an ace and a ten-valued card as the first two, not after a split (P.6, B.3)."""
    return len(cards) == 2 and not from_split and total(cards)[0] == BLACKJACK


# --- the player's hands ---------------------------------------------------------------------------------------


def cards_due(hand: BlackjackHand) -> int:
    """Return the number of cards that the dealer owes this hand: up to two, and the one of a double."""
    return max(0, 2 - len(hand.cards)) + (hand.doubled and len(hand.cards) <= 2)


def is_split_ace(hand: BlackjackHand) -> bool:
    """A hand from split aces: it gets one card and no more (B.3)."""
    return hand.from_split and bool(hand.cards) and hand.cards[0][0] == "A"


def is_complete(rules: BlackjackRules, hand: BlackjackHand, splits: int) -> bool:
    """Return whether this hand is complete: no card is due to it and its player has nothing left to decide.

    A player who may decide anything may stand, so no other action is checked.
    """
    return not cards_due(hand) and (_has_ended(hand) or _full(rules, hand, splits) is not None)


def legal_actions(rules: BlackjackRules, hand: BlackjackHand, splits: int) -> tuple[Do, ...]:
    """Return the dealer's offers for this hand, in alphabetical order; `splits` is the number that its box has made.

    Empty for a hand that is stood on, doubled, bust, worth 21 (BJ-20), a split ace, or waiting for a card.
    """
    if _has_ended(hand) or _full(rules, hand, splits):
        return ()
    return tuple(do for do in ACTIONS if _barred(rules, hand, splits, do) is None)


def check_action(rules: BlackjackRules, hand: BlackjackHand, splits: int, do: Do) -> None:
    """Raise Refused, naming the clause, if `do` is not open to this hand.

    To stand where no card would be offered anyway (21, a split ace) says nothing new: not offered, and not refused.
    """
    full = None if do == "stand" else _full(rules, hand, splits)
    if refusal := _ended(hand) or full or _barred(rules, hand, splits, do):
        raise refusal


def begin(rules: BlackjackRules, hands: Sequence[BlackjackHand], index: int, do: str) -> tuple[BlackjackHand, ...]:
    """Return the hands of the box after hand `index` (from 0) announced `do`, before any card: stakes laid, a pair
    split.

    A live table records each card as it falls. `deal` gives it to its hand. `cards_due` is the number of cards that a
    double or a split still needs; a hit needs one. The new hand of a split follows directly after the split one. Raises
    Refused for an action that the hand may not take, Invalid for an unknown hand or action.
    """
    hand, move = _hand_at(hands, index), _checked(do)
    check_action(rules, hand, len(hands) - 1, move)
    after = [hand]
    if move == "stand":
        after = [msgspec.structs.replace(hand, stood=True)]
    elif move == "double":
        after = [msgspec.structs.replace(hand, doubled=True, stake=2 * hand.stake)]
    elif move == "split":
        return split_hands(hands, index)
    return (*hands[:index], *after, *hands[index + 1 :])


def split_hands(hands: Sequence[BlackjackHand], index: int) -> tuple[BlackjackHand, ...]:
    """The box's hands after the pair of hand `index` was set apart."""
    hand = hands[index]
    after = [BlackjackHand(cards=(card,), stake=hand.stake, from_split=True) for card in hand.cards]
    return (*hands[:index], *after, *hands[index + 1 :])


def deal(hand: BlackjackHand, card: str) -> BlackjackHand:
    """Return the hand with one more card, due or requested. Raises Refused for a hand that may have no card."""
    if not cards_due(hand) and (refusal := _ended(hand) or _ace_drawn(hand)):
        raise refusal
    return msgspec.structs.replace(hand, cards=(*hand.cards, card))


def act(
    rules: BlackjackRules, hands: Sequence[BlackjackHand], index: int, do: str, cards: Sequence[str] = ()
) -> tuple[BlackjackHand, ...]:
    """`begin` and its cards in one step: a hit and a double take one card, a split two, one for each hand (BJ-6)."""
    after = list(begin(rules, hands, index, do))
    wanted = {"hit": 1, "double": 1, "split": 2}.get(do, 0)
    if len(cards) != wanted:
        clause, line = {"double": ("B.2", "L79"), "split": ("B.3", "L83")}.get(do, ("P.7", "L71"))
        raise refused(clause, coded("cards-for-action-wrong", do=do, wanted=wanted, cards=len(cards)), line)
    for offset, card in enumerate(cards):
        after[index + offset] = deal(after[index + offset], card)
    return tuple(after)


def _hand_at(hands: Sequence[BlackjackHand], index: int) -> BlackjackHand:
    if not 0 <= index < len(hands):
        raise Invalid("hand", coded("hand-index-unknown", hand=index, hands=len(hands)))
    return hands[index]


def _checked(do: str) -> Do:
    for action_name in ACTIONS:
        if do == action_name:
            return action_name
    raise Invalid("do", coded("play-unknown", do=do, actions=ACTIONS))


def _has_ended(hand: BlackjackHand) -> bool:
    """Return whether nothing more is done on this hand before it gets a card that is due, or at all."""
    return hand.doubled or hand.stood or cards_due(hand) > 0 or is_bust(hand.cards)


def _ended(hand: BlackjackHand) -> Refused | None:
    """Return the reason why nothing more is done on this hand, if it has ended."""
    if not _has_ended(hand):
        return None
    if hand.doubled:
        return refused("B.2", coded("doubled-hand-complete"), "L79")
    if hand.stood:
        return refused("P.8", coded("player-stands"), "L75")
    if cards_due(hand):
        return refused("B.3", coded("hand-waits-for-card"), "L83", "BJ-6")
    return refused("P.7", coded("hand-lost"), "L109")


def _full(rules: BlackjackRules, hand: BlackjackHand, splits: int) -> Refused | None:
    """Return why no card is offered to this hand, although its player might wish one."""
    if (refusal := _ace_drawn(hand)) and _barred(rules, hand, splits, "split"):
        return refusal
    if is_blackjack(hand.cards, from_split=hand.from_split):
        return refused("P.6", coded("blackjack-is-paid"), "L71", "BJ-1")
    if total(hand.cards)[0] == BLACKJACK and not rules.draw_on_21:
        return refused("P.7", coded("no-cards-on-21"), "L71", "BJ-20")
    return None


def _barred(rules: BlackjackRules, hand: BlackjackHand, splits: int, do: Do) -> Refused | None:
    """Return why this one action is not allowed for a hand that is still in play."""
    if do == "split":
        return _split_barred(rules, hand, splits)
    if do == "stand":
        return None
    return _ace_drawn(hand) or (_double_barred(rules, hand) if do == "double" else None)


def _ace_drawn(hand: BlackjackHand) -> Refused | None:
    return refused("B.3", coded("split-ace-complete"), "L83", "BJ-18") if is_split_ace(hand) else None


def _double_barred(rules: BlackjackRules, hand: BlackjackHand) -> Refused | None:
    least, most = rules.double_totals
    if len(hand.cards) != 2:
        return refused("B.2", coded("double-on-two-cards"), "L79")
    best, soft = total(hand.cards)
    if not least <= best - 10 * soft <= most:
        return refused("B.2", coded("total-not-doubled", total=best, least=least, most=most), "L79", "BJ-1")
    if soft and not rules.double_soft:
        return refused("B.2", coded("soft-hand-not-doubled"), "L79", "BJ-1")
    return None


def _split_barred(rules: BlackjackRules, hand: BlackjackHand, splits: int) -> Refused | None:
    if len(hand.cards) != 2:
        return refused("B.3", coded("split-on-two-cards"), "L83")
    first, second = hand.cards
    if value(first) != value(second) or (rules.split_by == "rank" and first[0] != second[0]):
        return refused("B.3", coded("cards-not-alike", first=first, second=second, basis=rules.split_by), "L83", "BJ-4")
    if splits >= rules.splits:
        return refused("B.3", coded("splits-exhausted", splits=rules.splits, hands=rules.splits + 1), "L83", "BJ-5")
    if first[0] == "A" and splits >= rules.ace_splits:
        return refused("B.3", coded("ace-splits-exhausted", splits=rules.ace_splits), "L83")
    return None


# --- the dealer's hand ----------------------------------------------------------------------------------------


def dealer_draws(rules: BlackjackRules, cards: Sequence[str]) -> bool:
    """Return whether the dealer draws: on 16 or less, and not on 17 or more, soft or hard (P.7)."""
    return total(cards)[0] < rules.dealer_stands_on


def dealer_blackjack_possible(dealer: Sequence[str]) -> bool:
    """Return whether the dealer has a blackjack or may still get one: no card yet, an ace or a ten-valued first
    card.
    """
    return not dealer or is_blackjack(dealer) or (len(dealer) == 1 and value(dealer[0]) in (1, 10))


def is_decided(rules: BlackjackRules, hand: BlackjackHand, dealer: Sequence[str]) -> bool:
    """Return whether further cards of the dealer cannot change this hand's result.

    True for a bust hand, and for a blackjack once the dealer cannot have one: both may be settled at once.
    """
    if is_bust(hand.cards) or not dealer_draws(rules, dealer):
        return True
    return is_blackjack(hand.cards, from_split=hand.from_split) and not dealer_blackjack_possible(dealer)


def dealer_needed(
    rules: BlackjackRules, hands: Sequence[BlackjackHand], dealer: Sequence[str], *, insured: bool = False
) -> bool:
    """Return whether the dealer must take another card: he draws, and some hand or insurance depends on it (BJ-14)."""
    if not dealer_draws(rules, dealer):
        return False
    return (insured and len(dealer) < 2) or not all(is_decided(rules, hand, dealer) for hand in hands)


def check_dealer(
    rules: BlackjackRules, hands: Sequence[BlackjackHand], dealer: Sequence[str], *, insured: bool = False
) -> None:
    """Raise Refused if the dealer's whole hand has a card too many, or too few for the hands that depend on it."""
    if not dealer:
        raise refused("P.4", coded("dealer-without-card"), "L19")
    for taken in range(1, len(dealer)):
        if not dealer_draws(rules, dealer[:taken]):
            raise refused("P.7", coded("dealer-stands", total=total(dealer[:taken])[0]), "L71")
    if dealer_needed(rules, hands, dealer, insured=insured):
        raise refused("P.7", coded("dealer-draws", total=total(dealer)[0]), "L71", "BJ-14")


# --- winnings of the stakes ----------------------------------------------------------------------------------


def outcome(rules: BlackjackRules, hand: BlackjackHand, dealer: Sequence[str]) -> Outcome:
    """Return the hand's result. Raises Refused while it still depends on the dealer's next card.

    A bust loses against any hand of the dealer (P.7). Two blackjacks push. A blackjack beats every other hand, also a
    doubled or split one (P.6, B.1, BJ-3). Otherwise the higher total up to 21 wins, and equal totals push (BJ-2).
    """
    if not is_decided(rules, hand, dealer):
        raise refused("P.7", coded("dealer-hand-open", total=total(dealer)[0]), "L71", "BJ-14")
    if is_bust(hand.cards):
        return "lose"
    own, his = is_blackjack(hand.cards, from_split=hand.from_split), is_blackjack(dealer)
    if own or his:
        return ("push" if his else "blackjack") if own else "lose"
    own_total, dealers = total(hand.cards)[0], total(dealer)[0]
    if dealers > BLACKJACK or own_total > dealers:
        return "win"
    return "push" if own_total == dealers else "lose"


def profit(rules: BlackjackRules, outcome: Outcome, stake: int) -> Amount:
    """Return the win of `stake` (negative: its loss) by `outcome`; also for the stakes of others on the box (BJ-19)."""
    if outcome == "push":
        return 0
    if outcome == "lose":
        return -stake
    return pay(stake, rules.blackjack_pays if outcome == "blackjack" else rules.win_pays)


def pay(stake: Amount, ratio: Ratio) -> Amount:
    """`stake` times "n to m", exactly."""
    return simple(Fraction(stake) * ratio[0] / ratio[1])


def settle_hand(rules: BlackjackRules, hand: BlackjackHand, dealer: Sequence[str]) -> tuple[Outcome, Amount]:
    """Outcome and profit of the hand against the dealer's cards (B.1). Raises Refused while it is open."""
    result = outcome(rules, hand, dealer)
    return result, profit(rules, result, hand.stake)


# --- insurance ------------------------------------------------------------------------------------------------


def insurance_offered(dealer: Sequence[str]) -> bool:
    """Return whether insurance is offered: only on the dealer's first card, an ace, before the second (B.4)."""
    return len(dealer) == 1 and dealer[0][0] == "A"


def insurance_band(rules: BlackjackRules, stake: int, minimum: int) -> tuple[Amount, Amount]:
    """Least and greatest insurance of a box whose *original* stake is `stake`: half the minimum, half the stake."""
    least, most = rules.insurance_band
    return pay(minimum, least), pay(stake, most)


def check_insurance(rules: BlackjackRules, dealer: Sequence[str], stake: int, minimum: int, bet: Amount) -> None:
    """Raises Refused if this insurance may not be laid. A blackjack of one's own is no hindrance (BJ-16)."""
    if not insurance_offered(dealer):
        raise refused("B.4", coded("insurance-on-ace-only"), "L87")
    least, most = insurance_band(rules, stake, minimum)
    if not least <= bet <= most:
        raise refused("B.4", coded("insurance-outside-limits", minimum=least, maximum=most, stake=bet), "L87", "BJ-7")


def settle_insurance(rules: BlackjackRules, bet: Amount, dealer: Sequence[str]) -> tuple[Outcome, Amount]:
    """2:1 if the dealer has a blackjack, else lost (B.4). Raises Refused before his second card."""
    if len(dealer) < 2:
        raise refused("B.4", coded("insurance-undecided"), "L87")
    return ("win", pay(bet, rules.insurance_pays)) if is_blackjack(dealer) else ("lose", simple(-bet))
