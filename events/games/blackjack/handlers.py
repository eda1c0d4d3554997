"""Blackjack with Trilux and Blazing 7s as a procedure. Hands and their wins are in `rules.py`.

Phases: open, no more bets, dealing (the initial deal), playing, settled. Boxes are 1 to 7 from the dealer's left.
A box is played by its first player; the stakes of a second and third follow its first hand (BJ-19).
"""

from collections.abc import Mapping

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.games.blackjack import (
    betting_phase,
    deal_and_bonus_bets,
    hand_play_decider,
    late_progressive_hits,
    round_end_decider,
)
from events.games.blackjack.action_structs import DeclineRight, DoubleHand, SplitHand, StandHand, TakeInsurance
from events.games.blackjack.event_types import HandDoubled, HandSplit, HandStood, InsuranceTaken, RightDeclined
from events.games.blackjack.shoe_and_boxes import cards_of
from events.tables import physical_shoe_count_decider
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
from events.tables.bet_corrections import correcting
from events.tables.event_types.cards import CardDealt, CardMisdealt, CutCardReached, ShoeLoaded
from events.tables.event_types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.rounds import BetsClosed, BetSettled, RoundOpened, RoundVoided
from events.tables.table_session_state_structs import Evolver, Handler

HANDLERS: Mapping[type[ActionData], Handler] = {
    PostLimits: betting_phase.post_limits,
    LoadShoe: betting_phase.load_shoe,
    **physical_shoe_count_decider.HANDLERS,
    OpenRound: betting_phase.open_round,
    EndRound: round_end_decider.end_round,
    ReachCutCard: betting_phase.reach_cut_card,
    PlaceBet: betting_phase.place_bet,
    CorrectBet: correcting(betting_phase.place_bet),
    DeclineRight: betting_phase.decline_right,
    DeclareHitLate: late_progressive_hits.declare_hit_late,
    MakeBuyin: betting_phase.buy_in,
    WithdrawBet: betting_phase.take_back,
    RestakeBet: betting_phase.restake,
    CloseBets: betting_phase.close_bets,
    ArmProgressive: betting_phase.arm,
    DealCard: deal_and_bonus_bets.deal_card,
    DeclareHit: deal_and_bonus_bets.declare_hit,
    CompleteDeal: deal_and_bonus_bets.complete_deal,
    StandHand: hand_play_decider.stand,
    DoubleHand: hand_play_decider.double,
    SplitHand: hand_play_decider.split,
    TakeInsurance: hand_play_decider.insure,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    ShoeLoaded: betting_phase.shoe_loaded,
    RoundOpened: betting_phase.round_opened,
    CutCardReached: lambda session, event: replace(session, play=replace(cards_of(session), cut=True)),
    BetsClosed: lambda session, event: replace(session, phase="no_more_bets"),
    RightDeclined: betting_phase.right_declined,
    ProgressiveArmed: lambda session, event: replace(session, play=replace(cards_of(session), armed=True)),
    HitDeclaredLate: late_progressive_hits.hit_declared_late,
    RoundVoided: deal_and_bonus_bets.round_voided,
    CardDealt: deal_and_bonus_bets.card_dealt,
    CardMisdealt: deal_and_bonus_bets.card_misdealt,
    HitDeclared: deal_and_bonus_bets.hit_declared,
    DealCompleted: deal_and_bonus_bets.deal_completed,
    HandStood: hand_play_decider.hand_stood,
    HandDoubled: hand_play_decider.hand_doubled,
    HandSplit: hand_play_decider.hand_split,
    InsuranceTaken: hand_play_decider.insurance_taken,
    BetSettled: hand_play_decider.maybe_over,
}
