"""Changes of a bet after its decision, or in play: no one requests them, but they may have happened.

A decision and its due amount stay. A lost stake that the player took back is chips paid with nothing due. A stake that
grew, or moved, has no effect beyond its irregularity.
"""

from events.error_codes import coded
from events.errors import Refused
from events.tables.actions.round_action_structs import CorrectBet
from events.tables.event_types.rounds import BetSettled
from events.tables.round_and_bet_decider import paid
from events.tables.table_session_state_structs import Bet, DueWinnings, Events, Session, TableCase

CLAUSE = "house bet"
LATE_BET, LATE_CHANGE = "late bet", "late change"
_OF_THE_BET = ("wager", "numbers", "which", "number")  # the stake and the outcome that it is laid on


def taken_back(case: TableCase, name: str) -> Events | None:
    """A stake that this round took, taken back; None where nothing of that name was lost."""
    decision = _last_settlement(case.session, name)
    lost = max(0, -decision.profit_minor) - decision.promotional_minor if decision else 0
    if decision is None or lost == 0 or name in case.session.paid:
        return None
    refused = Refused(CLAUSE, coded("bet-lost", wager=decision.wager, bet=name), field="data.bet")
    case.forbid(LATE_CHANGE, refused, **_whose(decision), amount_minor=lost)
    return [paid(case.session, DueWinnings(_bet(decision), 0), lost)]


def restaked(case: TableCase, name: str, stake: int) -> Events | None:
    """Record the raise or reduction of a bet that this round decided; None for a bet still on the layout."""
    decision = _last_settlement(case.session, name)
    if decision is None:
        return None
    kind = LATE_BET if stake > decision.amount_minor else LATE_CHANGE
    refused = Refused(
        CLAUSE,
        coded("bet-decided-with-stake", wager=decision.wager, bet=name, amount=decision.amount_minor, stake=stake),
    )
    case.forbid(kind, refused, **_whose(decision), amount_minor=stake - decision.amount_minor)
    return []


def corrected(case: TableCase, data: CorrectBet) -> Events | None:
    """Record a reported correction of a decided bet or a bet in play; None where it is judged like a new bet."""
    session, lies = case.session, case.session.bets.get(data.bet)
    decision = None if lies else _last_settlement(session, data.bet)
    if case.action.intent != "fact" or (decision is None and (lies is None or not in_play(session, lies))):
        return None
    bet = lies or next(settlement.bet for settlement in reversed(session.settled) if settlement.bet.id == data.bet)
    stake = bet.stake
    now = stake if data.amount_minor is None else data.amount_minor
    moves = any(getattr(data, name) not in (None, getattr(bet, name)) for name in _OF_THE_BET)
    refused = Refused(
        "house correction", coded("bet-in-play-with-stake", wager=bet.wager, bet=bet.id, stake=stake, amount=now)
    )
    about = {"bet": bet.id, "player": bet.player, "seat": bet.seat, "box": bet.box}
    case.forbid(LATE_BET if moves or now != stake else "bet changed", refused, **about, amount_minor=now - stake)
    return []


def in_play(session: Session, bet: Bet) -> bool:
    """Return whether an event has affected a bet on the layout, or its cards."""
    is_dealt = session.phase in ("dealing", "playing", "settled")
    return is_dealt or bet.placed_in != session.round or bet.number != laid_on(bet)


def laid_on(bet: Bet) -> int | None:
    """The number that it was laid on; one that travels is laid on none."""
    return None if bet.wager in ("come", "dont_come") else bet.number


def _last_settlement(session: Session, name: str) -> BetSettled | None:
    """Return the last settlement in this round of a bet that has left the layout."""
    if name in session.bets:
        return None
    return next((settlement.event for settlement in reversed(session.settled) if settlement.bet.id == name), None)


def _bet(decision: BetSettled) -> Bet:
    return Bet(decision.bet, decision.wager, 0, decision.player or "", decision.seat, decision.box)


def _whose(decision: BetSettled) -> dict[str, str | int | None]:
    return {"bet": decision.bet, "player": decision.player, "seat": decision.seat, "box": decision.box}
