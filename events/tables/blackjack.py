"""Blackjack with Trilux and Blazing 7s as a procedure. What a hand is and wins, `events/games/blackjack` knows.

Phases: open, no more bets, dealing (the initial deal), playing, settled. Boxes are 1 to 7 from the dealer's left.
A box is played by its first player; the stakes of a second and third follow its first hand (BJ-19).
"""

from collections.abc import Mapping

from events.envelope import ActionData, EventData
from events.tables import actions as do
from events.tables import types as was
from events.tables.blackjack_bets import (
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
    right_declined,
    round_opened,
    shoe_loaded,
    take_back,
)
from events.tables.blackjack_boxes import (
    Cards,
    new_play,
)
from events.tables.blackjack_deal import (
    card_dealt,
    card_misdealt,
    complete_deal,
    deal_card,
    deal_completed,
    declare_hit,
    hit_declared,
    round_voided,
)
from events.tables.blackjack_late import declare_hit_late, hit_declared_late
from events.tables.blackjack_play import (
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
from events.tables.corrections import correcting
from events.tables.state import Evolver, Handler

__all__ = ["EVOLVERS", "HANDLERS", "Cards", "new_play"]


HANDLERS: Mapping[type[ActionData], Handler] = {
    do.PostLimits: post_limits,
    do.LoadShoe: load_shoe,
    do.OpenRound: open_round,
    do.ReachCutCard: reach_cut_card,
    do.PlaceBet: place_bet,
    do.CorrectBet: correcting(place_bet),
    do.DeclineRight: decline_right,
    do.DeclareHitLate: declare_hit_late,
    do.MakeBuyin: buy_in,
    do.WithdrawBet: take_back,
    do.CloseBets: close_bets,
    do.ArmProgressive: arm,
    do.DealCard: deal_card,
    do.DeclareHit: declare_hit,
    do.CompleteDeal: complete_deal,
    do.StandHand: stand,
    do.DoubleHand: double,
    do.SplitHand: split,
    do.TakeInsurance: insure,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    was.ShoeLoaded: shoe_loaded,
    was.RoundOpened: round_opened,
    was.CutCardReached: cut_card_reached,
    was.BetsClosed: bets_closed,
    was.RightDeclined: right_declined,
    was.ProgressiveArmed: armed,
    was.HitDeclaredLate: hit_declared_late,
    was.RoundVoided: round_voided,
    was.CardDealt: card_dealt,
    was.CardMisdealt: card_misdealt,
    was.HitDeclared: hit_declared,
    was.DealCompleted: deal_completed,
    was.HandStood: hand_stood,
    was.HandDoubled: hand_doubled,
    was.HandSplit: hand_split,
    was.InsuranceTaken: insurance_taken,
    was.BetSettled: maybe_over,
}
