"""The deal of blackjack: cards in their order, hits at their deciding card, the bonus bets."""

from msgspec.structs import asdict, replace

from events.error_codes import coded, recorded_text
from events.errors import Refused
from events.games.blackjack import rules as blackjack
from events.games.blackjack import trilux
from events.games.blackjack.blackjack_table_state import (
    BLAZING,
    LATE_ROUNDS,
    MAIN,
    TRILUX,
    BettingBox,
    BlackjackCards,
    bets_on,
    cards_of,
    name_of,
    progressive_rules,
    put,
    taken,
)
from events.games.blackjack.deal_order_and_stake_checks import bonus_settlement, deal_order
from events.games.blackjack.hand_play_decider import box_done, dealer_needed, decided
from events.games.blazing7s import rules as blazing7s
from events.tables import round_and_bet_decider
from events.tables.actions.card_action_structs import DealCard
from events.tables.actions.progressive_stake_and_hit_structs import CompleteDeal, DeclareHit
from events.tables.armed_round_rebuilt_from_events import CARDS, UNDECLARED, ArmedRoundPeople, DealtStake
from events.tables.event_types.progressive import DealCompleted, HitDeclared
from events.tables.event_types.rounds import BetSettled, RoundVoided
from events.tables.event_types.session import IrregularityRecorded, Outcome
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, CardMisdealt
from events.tables.table_session_state_structs import Bet, Events, Session, TableCase


def deal_card(case: TableCase, data: DealCard) -> Events:
    """Put each card in its place. A card without a place is set aside with an irregularity, or refused."""
    session = case.session
    case.phase("no_more_bets", "dealing", "playing")
    cards = cards_of(session)
    if cards.seen.get(data.card, 0) >= cards.packs:
        refusal = Refused("house shoe", coded("card-not-in-shoe", card=data.card, times=cards.packs), source="004 L9")
        case.forbid("card not in the shoe", refusal, box=data.box)
    if not cards.dealt and bets_on(session, BLAZING) and not cards.armed:
        # With the first card the progressive is closed for the round: its stakes go back when the deal is complete.
        case.forbid("order of work", Refused("blazing7s P.1", coded("round-not-armed"), source="004 L15"))
    try:
        _check_place(session, cards, data)
    except Refused as refusal:
        case.forbid("wrong card", refusal, box=data.box)
        return [CardMisdealt(**session.where(), card=data.card, to=data.to, box=data.box)]
    dealt = CardDealt(**session.where(), **asdict(data), index=cards.dealt + 1)
    return [dealt, *decided(card_dealt(session, dealt))]


def _check_place(session: Session, cards: BlackjackCards, data: DealCard) -> None:
    """Raise Refused unless the next card belongs there."""
    rules = blackjack.rules(session.plays)
    if session.phase == "playing":
        _check_play(rules, session, cards, data)
        return
    order = deal_order(rules, taken(session))
    place = data.box if data.to == "box" else data.to
    if cards.dealt >= len(order):
        raise Refused(f"{session.ruleset} P.4", coded("initial-deal-complete"), source="004 L19")
    if place != order[cards.dealt] or data.hand:
        raise Refused(
            f"{session.ruleset} P.4",
            coded("card-for-another-place", place=name_of(order[cards.dealt])),
            source="004 L19",
        )


def _is_missing(session: Session, cards: BlackjackCards, data: DealCard) -> bool:
    """Return whether the card is the first of a place that the initial deal has left without any."""
    if data.to == "dealer":
        return not cards.dealer
    return data.box in taken(session) and data.box not in cards.boxes and not data.hand


def _check_play(rules: blackjack.BlackjackRules, session: Session, cards: BlackjackCards, data: DealCard) -> None:
    if _is_missing(session, cards, data):
        return
    if data.to == "dealer":
        waiting = [box for box, at in cards.boxes.items() if not box_done(rules, at)]
        if waiting:
            raise Refused(f"{session.ruleset} P.7", coded("box-not-finished", box=min(waiting)), source="004 L71")
        if not dealer_needed(rules, session, cards):
            raise Refused(f"{session.ruleset} P.7", coded("dealer-takes-no-more"), source="004 L71")
        return
    box = cards.boxes.get(data.box or 0)
    if data.to != "box" or box is None or data.hand >= len(box.hands):
        raise Refused(
            f"{session.ruleset} P.4", coded("hand-unknown", hand=data.hand, place=name_of(data.box)), source="004 L19"
        )
    hand = box.hands[data.hand]
    if not blackjack.cards_due(hand):
        blackjack.check_action(rules, hand, len(box.hands) - 1, "hit")


def card_dealt(session: Session, event: CardDealt) -> Session:
    cards = cards_of(session)
    seen_cards = {**cards.seen, event.card: cards.seen.get(event.card, 0) + 1}
    phase = "playing" if session.phase == "playing" else "dealing"
    if event.to == "dealer":
        play = replace(cards, seen=seen_cards, dealt=event.index, dealer=(*cards.dealer, event.card))
        return replace(session, phase=phase, play=play)
    number = event.box or 0
    box = cards.boxes.get(number) or _new_box(session, number)
    hand = box.hands[event.hand]
    hands = put(box.hands, event.hand, replace(hand, cards=(*hand.cards, event.card)))
    boxes = {**cards.boxes, number: replace(box, hands=hands)}
    return replace(session, phase=phase, play=replace(cards, seen=seen_cards, dealt=event.index, boxes=boxes))


def _new_box(session: Session, number: int) -> BettingBox:
    first = bets_on(session, MAIN, number)[0]
    return BettingBox(hands=(blackjack.BlackjackHand(cards=(), stake=first.stake),), bets=(first.id,))


def card_misdealt(session: Session, event: CardMisdealt) -> Session:
    cards = cards_of(session)
    seen = {**cards.seen, event.card: cards.seen.get(event.card, 0) + 1}
    return replace(session, play=replace(cards, seen=seen))


def declare_hit(case: TableCase, data: DeclareHit) -> Events:
    """Declare a hit while its deciding card is on the layout. A declaration that differs from the cards is an
    irregularity.
    """
    session = case.session
    case.phase("dealing")
    cards = cards_of(session)
    stakes = bets_on(session, BLAZING, data.box)
    if not cards.armed or not stakes or session.progressive is None:
        raise Refused("blazing7s P.1", coded("box-without-armed-bet", box=data.box), source="004 L15")
    if data.box in cards.hits:
        raise Refused("blazing7s B", coded("hit-declared-already", box=data.box), reading="BLZ-16")
    if (refused := _against_cards(cards, data)) is not None:
        case.forbid("hit against the cards", refused, box=data.box, player=stakes[0].player)
    hit = HitDeclared(
        **session.where(),
        progressive=session.progressive,
        hit=f"{session.table}-{session.gaming_day}-{session.round}-{data.box}",
        level=data.level,
        box=data.box,
        player=stakes[0].player,
        amount_minor=stakes[0].stake,
    )
    return [hit]


def _against_cards(cards: BlackjackCards, data: DeclareHit) -> Refused | None:
    """Return why the cards of the box are not the declared hit; None where they are."""
    if (three := _three(cards, data.box)) is None:
        return Refused("blazing7s P.3", coded("cards-not-there-yet", box=data.box), source="004 L23")
    lies = blazing7s.classify(*three)
    if lies == data.level:
        return None
    return Refused(
        "blazing7s B", coded("cards-make-another-level", box=data.box, lies=lies, level=data.level), source="004 L39"
    )


def hit_declared(session: Session, event: HitDeclared) -> Session:
    cards = cards_of(session)
    return replace(session, play=replace(cards, hits={**cards.hits, event.box or 0: event.level}))


def complete_deal(case: TableCase, data: CompleteDeal) -> Events:
    """Complete the deal: two cards on every box, one for the dealer. Trilux is paid, then the fixed pays, right to left
    (P.5).

    A reported deal with missing cards is complete too, also for the progressive: no later hit is declared in it. Bets
    that depend on a missing card are returned. The round's contributions stay in the meters, as after a void round.
    """
    session, rules = case.session, blackjack.rules(case.session.plays)
    case.phase("dealing", *(("no_more_bets",) if case.action.intent == "fact" else ()))
    cards = cards_of(session)
    wanted = deal_order(rules, taken(session))
    if cards.dealt < len(wanted):
        message = coded("initial-deal-lacks", cards=len(wanted) - cards.dealt)
        case.forbid("card not drawn", Refused(f"{session.ruleset} P.4", message, source="004 L19"))
    completed = DealCompleted(**session.where(), progressive=session.progressive)
    after = deal_completed(session, completed)
    order = bonus_settlement(rules, taken(session))
    bonus = [_settle_trilux(session, bet) for box in order for bet in bets_on(session, TRILUX, box)]
    fixed = [_settle_blazing(session, bet) for box in order for bet in bets_on(session, BLAZING, box)]
    _alert_undeclared(case, cards)
    return [completed, *bonus, *fixed, *decided(after)]


def deal_completed(session: Session, event: DealCompleted) -> Session:
    cards = cards_of(session)
    if not cards.armed:
        return replace(session, phase="playing")
    armed_rounds = (*cards.past[-(LATE_ROUNDS - 1) :], _armed_round(session, cards))
    return replace(session, phase="playing", play=replace(cards, past=armed_rounds))


def _armed_round(session: Session, cards: BlackjackCards) -> ArmedRoundPeople:
    up = cards.dealer[0] if cards.dealer else ""
    stakes = {
        bet.box or 0: DealtStake(bet.player, bet.stake, _first_two(cards, bet.box), up)
        for bet in bets_on(session, BLAZING)
    }
    return ArmedRoundPeople(session.round, session.dealer, stakes, session.acted)


def round_voided(session: Session, event: RoundVoided) -> Session:
    """Void the hits of the round. No later hit can be found in it."""
    cards = cards_of(session)
    return replace(
        session,
        play=replace(cards, past=tuple(armed_round for armed_round in cards.past if armed_round.round != event.round)),
    )


def _first_two(cards: BlackjackCards, box: int | None) -> tuple[str, ...]:
    lies = cards.boxes.get(box or 0)
    return lies.hands[0].cards if lies is not None else ()


def _three(cards: BlackjackCards, box: int | None) -> tuple[tuple[str, ...], str] | None:
    """The three cards that decide a box's bonus bets; None where one of them is missing."""
    player_cards = _first_two(cards, box)
    return (player_cards, cards.dealer[0]) if len(player_cards) == CARDS and cards.dealer else None


def _settle_trilux(session: Session, bet: Bet) -> BetSettled:
    rules = blackjack.rules(session.plays)
    if (three := _three(cards_of(session), bet.box)) is None:
        return round_and_bet_decider.settled(session, bet, "void", 0, bet.stake)
    profit = trilux.settle_trilux(rules, trilux.trilux_class(*three), bet.stake)
    won = profit > 0
    return round_and_bet_decider.settled(session, bet, "win" if won else "lose", profit, bet.stake if won else 0)


def _settle_blazing(session: Session, bet: Bet) -> BetSettled:
    """The fixed pays; of a hit the stake stays with the house and the device pays the share (P.4)."""
    cards = cards_of(session)
    if (three := _three(cards, bet.box)) is None or not cards.armed:
        return _undecided(session, bet, cards.hits.get(bet.box or 0))
    lies = blazing7s.classify(*three)
    if blazing7s.is_progressive(lies):
        return round_and_bet_decider.settled(session, bet, "hit", -bet.stake, progressive=session.progressive)
    profit, _ = blazing7s.settle_fixed(progressive_rules(session), lies, bet.stake)
    returned = bet.stake if profit >= 0 else 0
    outcome: Outcome = "win" if profit > 0 else "lose" if profit < 0 else "push"
    return round_and_bet_decider.settled(session, bet, outcome, profit, returned, progressive=session.progressive)


def _undecided(session: Session, bet: Bet, declared: str | None) -> BetSettled:
    """A progressive bet without its cards goes back; of a hit that was declared the stake stays with the house."""
    if declared is not None:
        return round_and_bet_decider.settled(session, bet, "hit", -bet.stake, progressive=session.progressive)
    return round_and_bet_decider.settled(session, bet, "void", 0, bet.stake)


def _alert_undeclared(case: TableCase, cards: BlackjackCards) -> None:
    """Record cards that make an undeclared hit, whatever the intent of the action."""
    for bet in bets_on(case.session, BLAZING):
        three = _three(cards, bet.box)
        lies: blazing7s.Class = blazing7s.classify(*three) if three is not None and cards.armed else "none"
        if blazing7s.is_progressive(lies) and (bet.box or 0) not in cards.hits:
            case.irregularities.append(
                IrregularityRecorded(
                    **case.session.where(),
                    kind=UNDECLARED,
                    clause="blazing7s B",
                    source="004 L39",
                    **recorded_text(coded("hit-undeclared", box=bet.box, level=lies), case.session.currency),
                    box=bet.box,
                    player=bet.player,
                    bet=bet.id,
                )
            )
