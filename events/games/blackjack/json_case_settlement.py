"""The kinds of cases of blackjack: JSON in, the functions that settle at the table, JSON out."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid
from events.games.blackjack import deal_order_and_stake_checks, trilux
from events.games.blackjack import rules as blackjack
from events.games.blackjack.rules import BlackjackHand, BlackjackRules
from events.games.blazing7s import rules as blazing7s
from events.games.cases import CaseInputs, Kinds, read
from events.rules import cards
from events.rules.exact_amount_parsing import Amount, parse, render


class _Action(Struct, frozen=True):
    hand: int
    do: str
    cards: list[str] = []


class _Box(Struct, frozen=True):
    id: str
    cards: list[str]
    stake: int
    actions: list[_Action] = []
    insurance: int | str | None = None
    trilux: int | None = None
    blazing: bool = False


class _BoxRound(Struct, frozen=True):
    minimum: int
    dealer: list[str]
    boxes: list[_Box]


class _LegalActions(Struct, frozen=True):
    cards: list[str]
    splits: int = 0
    from_split: bool = False
    doubled: bool = False


class _Insurance(Struct, frozen=True):
    dealer_up: str
    stake: int
    minimum: int
    bet: int | str


class _Dealer(Struct, frozen=True):
    first: str
    next: list[str] = []


class _Trilux(Struct, frozen=True):
    player: list[str]
    dealer: str
    stake: int


class _BoxLimits(Struct, frozen=True):
    minimum: int
    maximum: int


class _DealOrder(Struct, frozen=True):
    boxes: int


def round_(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """A whole round. Everything that may not have been is refused, before anything is settled."""
    case, rules = read(inputs, _BoxRound), blackjack.rules(ruleset)
    if len({box.id for box in case.boxes}) != len(case.boxes):
        raise Invalid("boxes", coded("box-ids-repeated"))
    deal_order_and_stake_checks.deal_order(rules, len(case.boxes))
    dealer = cards.check_all(case.dealer, "dealer")
    hands = [_played(rules, case, box) for box in case.boxes]
    lying = [card for box in hands for hand in box for card in hand.cards]
    deal_order_and_stake_checks.check_shoe(rules, [*lying, *dealer])
    blackjack.check_dealer(
        rules,
        [hand for box in hands for hand in box],
        dealer,
        insured=any(box.insurance is not None for box in case.boxes),
    )
    settled = [_settled(rules, box, played, dealer) for box, played in zip(case.boxes, hands, strict=True)]
    return {
        "dealer_total": blackjack.total(dealer)[0],
        "dealer_blackjack": blackjack.is_blackjack(dealer),
        "boxes": [box_result for box_result, _ in settled],
        "net": render(sum((profit for _, profit in settled), start=0)),
    }


def _played(rules: BlackjackRules, case: _BoxRound, box: _Box) -> tuple[BlackjackHand, ...]:
    """The hands of a box at the end of its actions; those without further actions stand."""
    deal_order_and_stake_checks.check_stake(box.stake, case.minimum)
    first_two = cards.check_all(box.cards, f"{box.id}.cards")
    if len(first_two) != 2:
        raise blackjack.refused("P.4", coded("box-cards-wrong", cards=len(first_two)), "L19")
    if box.insurance is not None:
        bet = parse(box.insurance, f"{box.id}.insurance")
        blackjack.check_insurance(rules, case.dealer[:1], box.stake, case.minimum, bet)
    hands: tuple[BlackjackHand, ...] = (BlackjackHand(cards=first_two, stake=box.stake),)
    for action in box.actions:
        hands = blackjack.act(rules, hands, action.hand, action.do, cards.check_all(action.cards, f"{box.id}.actions"))
    return hands


def _settled(
    rules: BlackjackRules, box: _Box, hands: Sequence[BlackjackHand], dealer: Sequence[str]
) -> tuple[dict[str, Any], Amount]:
    """One box's answer and its profit in all."""
    results = [(hand, *blackjack.settle_hand(rules, hand, dealer)) for hand in hands]
    net: Amount = sum((profit for _, _, profit in results), start=0)
    box_result: dict[str, Any] = {"box": box.id, "hands": [_hand(*result) for result in results]}
    if box.insurance is not None:
        outcome, profit = blackjack.settle_insurance(rules, parse(box.insurance), dealer)
        box_result["insurance"] = {"outcome": outcome, "profit": render(profit)}
        net += profit
    if box.trilux is not None:
        box_result["trilux"] = _bonus(rules, box.cards, dealer[0], box.trilux)
        net += box_result["trilux"]["profit"]
    if box.blazing:
        box_result["blazing"] = {"class": blazing7s.classify(box.cards, dealer[0])}
    return box_result, net


def _hand(hand: BlackjackHand, outcome: str, profit: Amount) -> dict[str, Any]:
    total, _ = blackjack.total(hand.cards)
    return {"cards": list(hand.cards), "total": total, "outcome": outcome, "profit": render(profit)}


def _bonus(rules: BlackjackRules, player: Sequence[str], dealer: str, stake: int) -> dict[str, Any]:
    if stake < 1:
        raise Invalid("trilux", coded("stake-not-positive"))
    hand = trilux.trilux_class(player, dealer)
    return {"hand": hand, "profit": trilux.settle_trilux(rules, hand, stake)}


def legal_actions(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _LegalActions)
    checked = cards.check_all(case.cards)
    if not checked or case.splits < 0:
        raise Invalid("cards" if not checked else "splits", coded("hand-without-cards"))
    hand = BlackjackHand(cards=checked, stake=1, from_split=case.from_split, doubled=case.doubled)
    return {"actions": list(blackjack.legal_actions(blackjack.rules(ruleset), hand, case.splits))}


def insurance(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case, rules = read(inputs, _Insurance), blackjack.rules(ruleset)
    bet = parse(case.bet, "bet")
    if not blackjack.insurance_offered([cards.check(case.dealer_up, "dealer_up")]):
        return {"offered": False}
    least, most = blackjack.insurance_band(rules, case.stake, case.minimum)
    return {"offered": True, "from": render(least), "to": render(most), "accepted": least <= bet <= most}


def dealer(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Return the dealer's hand, drawn from the next cards; unneeded cards stay in the shoe."""
    case, rules = read(inputs, _Dealer), blackjack.rules(ruleset)
    hand = [cards.check(case.first, "first")]
    for card in cards.check_all(case.next, "next"):
        if not blackjack.dealer_draws(rules, hand):
            break
        hand.append(card)
    if blackjack.dealer_draws(rules, hand):
        raise Invalid("next", coded("dealer-needs-cards", total=blackjack.total(hand)[0]))
    total, soft = blackjack.total(hand)
    answer = {"hand": hand, "total": total, "soft": soft}
    return answer | {"blackjack": blackjack.is_blackjack(hand), "bust": blackjack.is_bust(hand)}


def bonus(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _Trilux)
    player, up = cards.check_all(case.player, "player"), cards.check(case.dealer, "dealer")
    return _bonus(blackjack.rules(ruleset), player, up, case.stake)


def bonus_limits(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _BoxLimits)
    return {"valid": trilux.limits_valid(blackjack.rules(ruleset), case.minimum, case.maximum)}


def deal_order(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case, rules = read(inputs, _DealOrder), blackjack.rules(ruleset)
    order = deal_order_and_stake_checks.deal_order(rules, case.boxes)
    settlement = deal_order_and_stake_checks.bonus_settlement(rules, case.boxes)
    return {
        "deal": [to if to == deal_order_and_stake_checks.DEALER else f"box{to}" for to in order],
        "bonus_settlement": [f"box{box}" for box in settlement],
    }


_KINDS: Kinds = {
    "round": round_,
    "legal_actions": legal_actions,
    "insurance": insurance,
    "dealer": dealer,
    "trilux": bonus,
    "trilux_limits": bonus_limits,
    "deal_order": deal_order,
}


def kinds(ruleset: str) -> Kinds:
    """The same for all of the game's rulesets."""
    blackjack.rules(ruleset)
    return _KINDS
