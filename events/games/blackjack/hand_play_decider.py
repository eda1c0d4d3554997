"""The play of blackjack: players' decisions about their hands, and the outcomes by the cards."""

from typing import Any

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Refused
from events.games.blackjack import rules as blackjack
from events.games.blackjack.action_structs import DoubleHand, SplitHand, StandHand, TakeInsurance
from events.games.blackjack.blackjack_table_state import (
    INSURANCE,
    MAIN,
    BettingBox,
    BlackjackCards,
    bets_on,
    cards_of,
    put,
    taken,
)
from events.games.blackjack.event_types import HandDoubled, HandSplit, HandStood, InsuranceTaken
from events.tables import round_and_bet_decider
from events.tables.event_types.rounds import BetSettled
from events.tables.table_session_state_structs import Bet, Events, Session, TableCase


def _hand(session: Session, box: int, index: int) -> tuple[BettingBox, blackjack.BlackjackHand]:
    at = cards_of(session).boxes.get(box)
    if at is None or index >= len(at.hands):
        raise Refused(f"{session.ruleset} P.8", coded("box-without-hand", box=box, hand=index), source="004 L75")
    return at, at.hands[index]


def stand(case: TableCase, data: StandHand) -> Events:
    """The player has enough."""
    case.phase("playing")
    at, hand = _hand(case.session, data.box, data.hand)
    blackjack.check_action(blackjack.rules(case.session.plays), hand, len(at.hands) - 1, "stand")
    stood = HandStood(**case.session.where(), box=data.box, hand=data.hand, player=_player(case.session, at))
    return [stood, *decided(hand_stood(case.session, stood))]


def _player(session: Session, at: BettingBox) -> str | None:
    bet = session.bets.get(at.bets[0])
    return bet.player if bet else None


def hand_stood(session: Session, event: HandStood) -> Session:
    return _with_hand(session, event.box or 0, event.hand, stood=True)


def _with_hand(session: Session, box: int, index: int, **changes: Any) -> Session:
    cards = cards_of(session)
    at = cards.boxes[box]
    hands = put(at.hands, index, replace(at.hands[index], **changes))
    return replace(session, play=replace(cards, boxes={**cards.boxes, box: replace(at, hands=hands)}))


def double(case: TableCase, data: DoubleHand) -> Events:
    """A second stake on a total of 2 to 11 (B.2)."""
    case.phase("playing")
    session = case.session
    at, hand = _hand(session, data.box, data.hand)
    bet = round_and_bet_decider.find_bet(session, at.bets[data.hand])
    try:
        blackjack.check_action(blackjack.rules(session.plays), hand, len(at.hands) - 1, "double")
    except Refused as refused:
        if hand.doubled:
            raise
        case.forbid("double", refused, box=data.box, player=bet.player, bet=bet.id, amount_minor=bet.stake)
    return [
        HandDoubled(
            **session.where(), box=data.box, hand=data.hand, bet=bet.id, player=bet.player, amount_minor=bet.stake
        )
    ]


def hand_doubled(session: Session, event: HandDoubled) -> Session:
    bet = session.bets[event.bet]
    doubled_bet = replace(bet, stake=bet.stake + event.amount_minor)
    session = replace(session, bets={**session.bets, bet.id: doubled_bet})
    return _with_hand(session, event.box or 0, event.hand, doubled=True, stake=doubled_bet.stake)


def split(case: TableCase, data: SplitHand) -> Events:
    """A second stake, and two hands of one (B.3)."""
    case.phase("playing")
    session = case.session
    at, hand = _hand(session, data.box, data.hand)
    blackjack.check_action(blackjack.rules(session.plays), hand, len(at.hands) - 1, "split")
    bet = session.bets[at.bets[data.hand]]
    new = f"{at.bets[0]}.{len(at.hands) + 1}"
    if new in session.used:
        raise Refused("house bet", coded("bet-id-used", bet=new))
    return [
        HandSplit(
            **session.where(),
            box=data.box,
            hand=data.hand,
            bet=bet.id,
            new_bet=new,
            player=bet.player,
            amount_minor=bet.stake,
        )
    ]


def hand_split(session: Session, event: HandSplit) -> Session:
    cards, number = cards_of(session), event.box or 0
    at = cards.boxes[number]
    hands = blackjack.split_hands(at.hands, event.hand)
    bets = (*at.bets[: event.hand + 1], event.new_bet, *at.bets[event.hand + 1 :])
    new = replace(session.bets[event.bet], id=event.new_bet, stake=event.amount_minor, voucher=0)
    play = replace(cards, boxes={**cards.boxes, number: BettingBox(hands, bets)})
    return replace(session, play=play, bets={**session.bets, new.id: new}, used=session.used | {new.id})


def insure(case: TableCase, data: TakeInsurance) -> Events:
    """Against the dealer's ace, from half the minimum to half the first stake (B.4)."""
    case.phase("playing")
    session = case.session
    at, hand = _hand(session, data.box, 0)
    bet = session.bets.get(at.bets[0])
    if bet is None or len(at.hands) > 1 or hand.doubled:
        raise Refused(f"{session.ruleset} B.4", coded("insurance-too-late"), source="004 L87")
    if bets_on(session, INSURANCE, data.box):
        raise Refused(f"{session.ruleset} B.4", coded("insured-already", box=data.box), source="004 L87")
    rules, dealer = blackjack.rules(session.plays), cards_of(session).dealer
    try:
        blackjack.check_insurance(rules, dealer, bet.stake, session.minimum, data.amount_minor)
    except Refused as refused:
        case.forbid("insurance", refused, box=data.box, player=bet.player, bet=bet.id, amount_minor=data.amount_minor)
    return [
        InsuranceTaken(
            **session.where(),
            box=data.box,
            bet=f"{bet.id}.insurance",
            player=bet.player,
            amount_minor=data.amount_minor,
        )
    ]


def insurance_taken(session: Session, event: InsuranceTaken) -> Session:
    bet = Bet(
        id=event.bet,
        wager=INSURANCE,
        stake=event.amount_minor,
        player=event.player or "",
        box=event.box,
        placed_in=session.round,
    )
    return replace(session, bets={**session.bets, bet.id: bet}, used=session.used | {bet.id})


def box_done(rules: blackjack.BlackjackRules, box: BettingBox) -> bool:
    return all(blackjack.is_complete(rules, hand, len(box.hands) - 1) for hand in box.hands)


def dealer_needed(rules: blackjack.BlackjackRules, session: Session, cards: BlackjackCards) -> bool:
    hands = [hand for box in cards.boxes.values() for hand in box.hands]
    insured = bool(bets_on(session, INSURANCE))
    return blackjack.dealer_needed(rules, hands, cards.dealer, insured=insured)


def decided(session: Session) -> Events:
    """Return the settlements of the hands that this card or decision settled: busts at once, all others with the
    dealer's last."""
    if session.phase != "playing":
        return []
    rules, cards = blackjack.rules(session.plays), cards_of(session)
    is_dealt = cards.boxes.keys() >= {*taken(session)}  # a deal may have been completed with cards missing
    is_done = is_dealt and all(box_done(rules, box) for box in cards.boxes.values())
    is_done = is_done and not dealer_needed(rules, session, cards)
    events: Events = []
    for number, box in sorted(cards.boxes.items(), reverse=True):
        for index, hand in enumerate(box.hands):
            if is_done or blackjack.is_bust(hand.cards):
                events += _settle_hand(session, number, box, index, hand)
    if is_done:
        events += [_settle_insurance(session, bet) for bet in bets_on(session, INSURANCE)]
    return events


def _settle_hand(session: Session, number: int, box: BettingBox, index: int, hand: blackjack.BlackjackHand) -> Events:
    """The main bets on one hand: its own, and on the first hand those of the other players of the box."""
    rules, dealer = blackjack.rules(session.plays), cards_of(session).dealer
    outcome = blackjack.outcome(rules, hand, dealer)
    names = {box.bets[index]}
    if index == 0:
        names |= {bet.id for bet in bets_on(session, MAIN, number) if bet.id not in box.bets}
    events: Events = []
    for bet in session.bets.values():
        if bet.id in names:
            profit = blackjack.profit(rules, outcome, bet.stake)
            events.append(round_and_bet_decider.settled(session, bet, outcome, profit, bet.stake if profit >= 0 else 0))
    return events


def _settle_insurance(session: Session, bet: Bet) -> BetSettled:
    rules, dealer = blackjack.rules(session.plays), cards_of(session).dealer
    outcome, profit = blackjack.settle_insurance(rules, bet.stake, dealer)
    return round_and_bet_decider.settled(session, bet, outcome, profit, bet.stake if profit > 0 else 0)


def maybe_over(session: Session, event: BetSettled) -> Session:
    """Wait only for payments when the last stake is settled."""
    if session.phase == "playing" and not session.bets:
        return replace(session, phase="settled")
    return session
