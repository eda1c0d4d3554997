"""The end of a blackjack round, also of one that is reported ended before its cards have decided it."""

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Refused
from events.games.blackjack.deal_and_bonus_bets import complete_deal, deal_completed
from events.games.blackjack.hand_play_decider import maybe_over
from events.games.blackjack.shoe_and_boxes import cards_of
from events.tables import round_and_bet_decider
from events.tables.actions.progressive_stake_and_hit_structs import CompleteDeal
from events.tables.actions.round_action_structs import EndRound
from events.tables.event_types.progressive import DealCompleted
from events.tables.event_types.rounds import BetSettled
from events.tables.table_session_state_structs import Events, Session, TableCase


def end_round(case: TableCase, data: EndRound) -> Events:
    """End the round after the last card; a missing card leaves the bets of the hands unsettled (P.4, P.7).

    An armed round without a deal ends its deal as well: the progressive bets that depend on a card are returned.
    """
    session = case.session
    if session.phase == "playing":
        return round_and_bet_decider.undecided(
            case, Refused(f"{session.ruleset} P.7", coded("card-due"), source="004 L71")
        )
    is_armed = cards_of(session).armed
    if session.phase == "dealing" or (is_armed and session.phase == "no_more_bets"):
        lacks = Refused(f"{session.ruleset} P.4", coded("initial-deal-incomplete"), source="004 L19")
        return _end_deal(case, data, lacks) if is_armed else round_and_bet_decider.undecided(case, lacks)
    return round_and_bet_decider.end_round(case, data)


def _end_deal(case: TableCase, data: EndRound, lacks: Refused) -> Events:
    if case.action.intent == "ask":
        raise Refused(lacks.clause, coded("armed-deal-incomplete"), source=lacks.source)
    dealt = complete_deal(case, CompleteDeal())
    for event in dealt:
        case.session = _after(case.session, event)
    return [*dealt, *end_round(case, data)]


def _after(session: Session, event: EventData) -> Session:
    if isinstance(event, DealCompleted):
        return deal_completed(session, event)
    assert isinstance(event, BetSettled), "a deal is completed, and settles bets"
    return maybe_over(round_and_bet_decider.bet_settled(session, event), event)
