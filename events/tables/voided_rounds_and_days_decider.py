"""A void round: two people, a reason, and every stake of the round returned.

The round has no due amounts any more. Payments stay as money paid with nothing due: the event names those bets, and an
irregularity asks a person to settle them. Bets from earlier rounds stay on the layout as before this one.
"""

from collections.abc import Collection

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded, recorded_text
from events.errors import Refused, require_reason
from events.people import authority
from events.tables.actions.round_action_structs import VoidRound
from events.tables.actions.session_action_structs import VoidSession
from events.tables.event_types.rounds import RoundVoided, SettlementVoided
from events.tables.event_types.session import IrregularityRecorded, SessionVoided
from events.tables.roles import RULES
from events.tables.round_and_bet_decider import settled
from events.tables.table_session_state_structs import (
    Bet,
    BetSettlement,
    DueWinnings,
    Events,
    Evolver,
    Handler,
    Session,
    TableCase,
    paid_ahead,
    without,
)

CLAUSE = "house void"


def require_two(case: TableCase, dealer: str | None, acted: Collection[str]) -> None:
    """An inspector or pit boss and surveillance must have agreed, neither the dealer nor one who acted in the round.

    Raises NotApproved, or Refused for a person who would judge the own round.
    """
    kind = case.action.type
    rule = RULES[kind]
    if case.action.intent == "fact":
        raise Refused(rule.clause, coded("fact-of-a-decision", why=None))
    excluded = {dealer or "", *acted}
    authority.require_apart(kind, case.who.person, excluded)
    authority.require(rule, case.people, excluded)


def void_round(case: TableCase, data: VoidRound) -> Events:
    """Void a round: a misdeal, a throw that could not be judged (001 4.2). None of its results is valid."""
    session = case.session
    if data.round != session.round or session.phase == "idle":
        raise Refused(CLAUSE, coded("round-not-being-played", round=data.round), field="data.round")
    require_reason(data.reason, CLAUSE)
    require_two(case, session.dealer, session.acted)
    undone = [taken_back(session, settlement) for settlement in reversed(session.settled)]
    before = session
    for event in undone:
        before = settlement_voided(before, event)
    round_bets = [bet for bet in before.bets.values() if bet.placed_in == session.round]
    back = [settled(before, bet, "void", 0, bet.stake, commission=-bet.commission) for bet in round_bets]
    paid_bets = tuple(session.paid)
    if paid_bets:
        case.irregularities.append(
            IrregularityRecorded(
                **session.where(),
                kind="paid before the void",
                clause=CLAUSE,
                **recorded_text(coded("paid-before-void", bets=paid_bets), session.currency),
            )
        )
    voided = RoundVoided(
        **session.where(),
        reason=data.reason,
        progressive=session.progressive,
        approvals=case.people,
        kept_bets=paid_bets,
    )
    return [*undone, *back, voided]


def taken_back(session: Session, bet_settlement: BetSettlement) -> SettlementVoided:
    """Return the event that voids a settlement."""
    bet, decision = bet_settlement.bet, bet_settlement.event
    return SettlementVoided(
        **session.where(),
        bet=bet.id,
        wager=bet.wager,
        amount_minor=bet.stake,
        profit_minor=decision.profit_minor,
        returned_minor=decision.returned_minor,
        remaining_minor=decision.remaining_minor,
        commission_minor=decision.commission_minor,
        rounded_millionths=decision.rounded_millionths,
        kept_millionths=decision.kept_millionths,
        promotional_minor=decision.promotional_minor,
        player=bet.player,
        seat=bet.seat,
        box=bet.box,
    )


def void_session(case: TableCase, data: VoidSession) -> Events:
    """Void a gaming day that was opened by mistake: no play, no money moved, another day is meant."""
    session = case.session
    if session.status not in ("open", "closed") or session.round or session.is_moved:
        reason = coded("day-not-voidable")
        raise Refused(CLAUSE, reason)
    require_two(case, session.dealer, session.acted)
    closer = session.float_minor if session.status == "closed" else None
    return [
        SessionVoided(
            **session.where(),
            reason=data.reason,
            opener_minor=session.opener_minor,
            closer_minor=closer or 0,
            variance_minor=0 if closer is None else closer - session.opener_minor,
            approvals=case.people,
        )
    ]


def session_voided(session: Session, event: SessionVoided) -> Session:
    """Return the session as before its opening, with its requests, so that none is decided twice."""
    return Session(
        stream=session.stream,
        table=session.table,
        pit=session.pit,
        game=session.game,
        plays=session.plays,
        currency=session.currency,
        gaming_day=session.gaming_day,
        progressive=session.progressive,
        status="void",
        requests=session.requests,
    )


def settlement_voided(session: Session, event: SettlementVoided) -> Session:
    """Put the stake of the bet's last settlement back on the layout, and take its loss out of the tray.

    Its win is not due any more, and any part of it that was paid is paid too much. A stake left on the layout may have
    been raised, lowered or taken back since: that holds.
    """
    place = max(place for place, settlement in enumerate(session.settled) if settlement.bet.id == event.bet)
    bet, decision = session.settled[place].bet, session.settled[place].event
    session = _no_longer_due(session, bet, max(0, decision.profit_minor))
    lies = session.bets.get(bet.id)
    stake = bet.stake - decision.remaining_minor + (lies.stake if lies else 0)
    now = replace(bet, stake=stake, commission=lies.commission if lies else bet.commission)
    return replace(
        session,
        settled=(*session.settled[:place], *session.settled[place + 1 :]),
        bets={**session.bets, bet.id: now} if stake else session.bets,
        float_minor=session.float_minor
        - max(0, -decision.profit_minor)
        + decision.promotional_minor
        - decision.commission_minor,
    )


def _no_longer_due(session: Session, bet: Bet, win: int) -> Session:
    """Take back an amount due: the unpaid part first, the remainder was paid with nothing due."""
    unpaid = session.due[bet.id].amount if bet.id in session.due else 0
    left, excess = max(0, unpaid - win), max(0, win - unpaid)
    due = {**session.due, bet.id: DueWinnings(bet, left)} if left else without(session.due, bet.id)
    ahead = paid_ahead(session, bet.id, session.round, excess) if excess else session.ahead
    return replace(session, due=due, ahead=ahead)


HANDLERS: dict[type[ActionData], Handler] = {VoidRound: void_round, VoidSession: void_session}
EVOLVERS: dict[type[EventData], Evolver] = {
    SettlementVoided: settlement_voided,
    RoundVoided: lambda session, event: replace(session, phase="idle", due={}, settled=(), paid={}, returned={}),
    SessionVoided: session_voided,
}
