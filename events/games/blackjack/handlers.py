"""Blackjack with Trilux and Blazing 7s as a procedure. Hands and their wins are in `rules.py`.

Phases: open, no more bets, dealing (the initial deal), playing, settled. Boxes are 1 to 7 from the dealer's left.
A box is played by its first player; the stakes of a second and third follow its first hand (BJ-19).
"""

from collections.abc import Mapping

from events.envelope import ActionData, EventData
from events.games.blackjack.actions import DeclineRight, DoubleHand, SplitHand, StandHand, TakeInsurance
from events.games.blackjack.betting_phase import (
    arm,
    armed,
    bets_closed,
    buy_in,
    close_bets,
    cut_card_reached,
    decline_right,
    load_shoe,
    open_round,
    place_bet,
    post_limits,
    reach_cut_card,
    restake,
    right_declined,
    round_opened,
    shoe_loaded,
    take_back,
)
from events.games.blackjack.deal_and_bonus_bets import (
    card_dealt,
    card_misdealt,
    complete_deal,
    deal_card,
    deal_completed,
    declare_hit,
    hit_declared,
    round_voided,
)
from events.games.blackjack.event_types import HandDoubled, HandSplit, HandStood, InsuranceTaken, RightDeclined
from events.games.blackjack.late_progressive_hits import declare_hit_late, hit_declared_late
from events.games.blackjack.player_decisions import (
    double,
    hand_doubled,
    hand_split,
    hand_stood,
    insurance_taken,
    insure,
    maybe_over,
    split,
    stand,
)
from events.games.blackjack.undecided_round_end import end_round
from events.tables import shoe_count_down
from events.tables.actions.buyins_fills_credits_drop import MakeBuyin
from events.tables.actions.cards import DealCard, LoadShoe, ReachCutCard
from events.tables.actions.progressive import ArmProgressive, CompleteDeal, DeclareHit, DeclareHitLate
from events.tables.actions.rounds import CloseBets, CorrectBet, EndRound, OpenRound, PlaceBet, RestakeBet, WithdrawBet
from events.tables.actions.session import PostLimits
from events.tables.bet_corrections import correcting
from events.tables.event_types.cards import CardDealt, CardMisdealt, CutCardReached, ShoeLoaded
from events.tables.event_types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.rounds import BetsClosed, BetSettled, RoundOpened, RoundVoided
from events.tables.state import Evolver, Handler

HANDLERS: Mapping[type[ActionData], Handler] = {
    PostLimits: post_limits,
    LoadShoe: load_shoe,
    **shoe_count_down.HANDLERS,
    OpenRound: open_round,
    EndRound: end_round,
    ReachCutCard: reach_cut_card,
    PlaceBet: place_bet,
    CorrectBet: correcting(place_bet),
    DeclineRight: decline_right,
    DeclareHitLate: declare_hit_late,
    MakeBuyin: buy_in,
    WithdrawBet: take_back,
    RestakeBet: restake,
    CloseBets: close_bets,
    ArmProgressive: arm,
    DealCard: deal_card,
    DeclareHit: declare_hit,
    CompleteDeal: complete_deal,
    StandHand: stand,
    DoubleHand: double,
    SplitHand: split,
    TakeInsurance: insure,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    ShoeLoaded: shoe_loaded,
    RoundOpened: round_opened,
    CutCardReached: cut_card_reached,
    BetsClosed: bets_closed,
    RightDeclined: right_declined,
    ProgressiveArmed: armed,
    HitDeclaredLate: hit_declared_late,
    RoundVoided: round_voided,
    CardDealt: card_dealt,
    CardMisdealt: card_misdealt,
    HitDeclared: hit_declared,
    DealCompleted: deal_completed,
    HandStood: hand_stood,
    HandDoubled: hand_doubled,
    HandSplit: hand_split,
    InsuranceTaken: insurance_taken,
    BetSettled: maybe_over,
}
