"""Blackjack with Trilux and Blazing 7s as a procedure: the handlers and evolvers of all its phases.

The end of a round and late hits are decided here. The other phases have modules of their own. Hands and their wins are
in `rules.py`.

Phases: open, no more bets, dealing (the initial deal), playing, settled. Boxes are 1 to 7 from the dealer's left.
A box is played by its first player; the stakes of a second and third follow its first hand (BJ-19).
"""

from collections.abc import Mapping

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Refused
from events.games.blackjack import betting_phase_decider, deal_and_bonus_decider, hand_play_decider
from events.games.blackjack.action_structs import DeclineRight, DoubleHand, SplitHand, StandHand, TakeInsurance
from events.games.blackjack.blackjack_table_state import BlackjackCards, cards_of
from events.games.blackjack.event_types import HandDoubled, HandSplit, HandStood, InsuranceTaken, RightDeclined
from events.games.blazing7s import rules as blazing7s
from events.tables import physical_shoe_count_decider, round_and_bet_decider
from events.tables.actions.buyins_fills_credits_drop import MakeBuyin
from events.tables.actions.card_action_structs import DealCard, LoadShoe, ReachCutCard
from events.tables.actions.progressive_stake_and_hit_structs import (
    ArmProgressive,
    CompleteDeal,
    DeclareHit,
    DeclareHitLate,
)
from events.tables.actions.round_action_structs import (
    CloseBets,
    CorrectBet,
    EndRound,
    OpenRound,
    PlaceBet,
    RestakeBet,
    WithdrawBet,
)
from events.tables.actions.session_action_structs import PostLimits
from events.tables.armed_round_rebuilt_from_events import armed_round
from events.tables.bet_corrections import correcting
from events.tables.event_types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.rounds import BetsClosed, BetSettled, RoundOpened, RoundVoided
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, CardMisdealt, CutCardReached, ShoeLoaded
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase, at_hand
from events.tables.voided_rounds_and_days_decider import require_two


def end_round(case: TableCase, data: EndRound) -> Events:
    """End the round after the last card; a missing card leaves the bets of the hands unsettled (P.4, P.7).

    An armed round without a deal ends its deal as well: the progressive bets that depend on a card are returned.
    """
    session = case.session
    if session.phase == "playing":
        return round_and_bet_decider.end_undecided_round(
            case, Refused(f"{session.ruleset} P.7", coded("card-due"), source="004 L71")
        )
    is_armed = cards_of(session).armed
    if session.phase == "dealing" or (is_armed and session.phase == "no_more_bets"):
        lacks = Refused(f"{session.ruleset} P.4", coded("initial-deal-incomplete"), source="004 L19")
        return _end_deal(case, data, lacks) if is_armed else round_and_bet_decider.end_undecided_round(case, lacks)
    return round_and_bet_decider.end_round(case, data)


def _end_deal(case: TableCase, data: EndRound, lacks: Refused) -> Events:
    if case.action.intent == "ask":
        raise Refused(lacks.clause, coded("armed-deal-incomplete"), source=lacks.source)
    dealt = deal_and_bonus_decider.complete_deal(case, CompleteDeal())
    for event in dealt:
        case.session = _after_deal_event(case.session, event)
    return [*dealt, *end_round(case, data)]


def _after_deal_event(session: Session, event: EventData) -> Session:
    if isinstance(event, DealCompleted):
        return deal_and_bonus_decider.deal_completed(session, event)
    assert isinstance(event, BetSettled), "a deal is completed, and settles bets"
    return hand_play_decider.maybe_over(round_and_bet_decider.bet_settled(session, event), event)


def declare_hit_late(case: TableCase, data: DeclareHitLate) -> Events:
    """Declare a hand that was missed or keyed wrongly: two people who looked at the cards do so after the deal.

    The session keeps the last armed rounds. For an earlier one, or for an earlier day, the caller reads the round's
    events from the stream. The progressive decides whether an earlier declaration blocks it, or is void.
    """
    session = case.session
    dealt = (event.data for event in case.context.dealt)
    armed = at_hand(session, data.round) or armed_round(dealt, data.round, case.context.acted)
    stake = armed.stakes.get(data.box) if armed else None
    if armed is None or stake is None or session.progressive is None:
        raise Refused("blazing7s P.1", coded("box-had-no-armed-bet", box=data.box, round=data.round), source="004 L15")
    lies = blazing7s.classify(stake.cards, stake.up) if stake.is_whole else data.level  # they have seen the cards
    if lies != data.level:
        raise Refused(
            "blazing7s B",
            coded("cards-make-another-level", box=data.box, lies=lies, level=data.level),
            source="004 L39",
        )
    require_two(case, armed.dealer, armed.acted)
    place = {**session.where(), "round": data.round, "dealer": armed.dealer}
    return [
        HitDeclaredLate(
            **place,
            progressive=session.progressive,
            hit=f"{session.table}-{session.gaming_day}-{data.round}-{data.box}-late{_earlier_hit_count(session, data)}",
            level=data.level,
            box=data.box,
            player=stake.player,
            amount_minor=stake.stake,
            approvals=case.people,
        )
    ]


def _earlier_hit_count(session: Session, data: DeclareHitLate) -> str:
    """Return the number of earlier hits on this box. All are void, or the progressive would have refused."""
    times = cards_of(session).late_hits.get(_place(data.round, data.box), 0)
    return f"-{times + 1}" if times else ""


def _place(round_: int | None, box: int | None) -> str:
    return f"{round_}-{box}"


def hit_declared_late(session: Session, event: HitDeclaredLate) -> Session:
    cards: BlackjackCards = cards_of(session)
    place = _place(event.round, event.box)
    return replace(
        session, play=replace(cards, late_hits={**cards.late_hits, place: cards.late_hits.get(place, 0) + 1})
    )


HANDLERS: Mapping[type[ActionData], Handler] = {
    PostLimits: betting_phase_decider.post_limits,
    LoadShoe: betting_phase_decider.load_shoe,
    **physical_shoe_count_decider.HANDLERS,
    OpenRound: betting_phase_decider.open_round,
    EndRound: end_round,
    ReachCutCard: betting_phase_decider.reach_cut_card,
    PlaceBet: betting_phase_decider.place_bet,
    CorrectBet: correcting(betting_phase_decider.place_bet),
    DeclineRight: betting_phase_decider.decline_right,
    DeclareHitLate: declare_hit_late,
    MakeBuyin: betting_phase_decider.buy_in,
    WithdrawBet: betting_phase_decider.take_back,
    RestakeBet: betting_phase_decider.restake,
    CloseBets: betting_phase_decider.close_bets,
    ArmProgressive: betting_phase_decider.arm,
    DealCard: deal_and_bonus_decider.deal_card,
    DeclareHit: deal_and_bonus_decider.declare_hit,
    CompleteDeal: deal_and_bonus_decider.complete_deal,
    StandHand: hand_play_decider.stand,
    DoubleHand: hand_play_decider.double,
    SplitHand: hand_play_decider.split,
    TakeInsurance: hand_play_decider.insure,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    ShoeLoaded: betting_phase_decider.shoe_loaded,
    RoundOpened: betting_phase_decider.round_opened,
    CutCardReached: lambda session, event: replace(session, play=replace(cards_of(session), cut=True)),
    BetsClosed: lambda session, event: replace(session, phase="no_more_bets"),
    RightDeclined: betting_phase_decider.right_declined,
    ProgressiveArmed: lambda session, event: replace(session, play=replace(cards_of(session), armed=True)),
    HitDeclaredLate: hit_declared_late,
    RoundVoided: deal_and_bonus_decider.round_voided,
    CardDealt: deal_and_bonus_decider.card_dealt,
    CardMisdealt: deal_and_bonus_decider.card_misdealt,
    HitDeclared: deal_and_bonus_decider.hit_declared,
    DealCompleted: deal_and_bonus_decider.deal_completed,
    HandStood: hand_play_decider.hand_stood,
    HandDoubled: hand_play_decider.hand_doubled,
    HandSplit: hand_play_decider.hand_split,
    InsuranceTaken: hand_play_decider.insurance_taken,
    BetSettled: hand_play_decider.maybe_over,
}
