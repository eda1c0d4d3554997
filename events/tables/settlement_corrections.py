"""Corrections of a bet's settlement after its round is over, by two people.

Nothing is edited: one more event has the old and the true settlement, and the changes of stake, loss and amount due. A
payment is a separate event. After the close of a gaming day the correction changes its report at the next restatement.
"""

from collections.abc import Iterable
from fractions import Fraction

from msgspec.structs import replace

from events.envelope import ActionData, AnyEnvelope, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused, require_reason
from events.tables.actions.round_action_structs import CorrectSettlement
from events.tables.bet_corrections import corrected_voucher
from events.tables.event_types.rounds import BetSettled, SettlementCorrected, SettlementVoided
from events.tables.table_session_state_structs import (
    Bet,
    DueWinnings,
    Events,
    Evolver,
    Handler,
    Session,
    SettlementCorrection,
    TableCase,
    name_in_day,
    paid_ahead,
)
from events.tables.voided_rounds_and_days_decider import require_two

CLAUSE = "house correction"


def correct_settlement(case: TableCase, data: CorrectSettlement) -> Events:
    """Correct a settlement. It is judged by the round's own events of any age (`TableContext.dealt`), and by later
    corrections.

    Raises Refused for a running round and a bet that it did not finally settle, Invalid for an impossible correction,
    NotApproved.
    """
    session = case.session
    if session.status == "open" and session.phase != "idle" and data.settled_in == session.round:
        raise Refused(
            CLAUSE,
            coded("round-being-played", round=data.settled_in),
            field="data.settled_in",
        )
    require_reason(data.reason, CLAUSE)
    settled = _final_settlement(case.context.dealt, data)
    event = _corrected(case, data, settled)
    require_two(case, settled.data.dealer, case.context.acted)
    return [event]


def _final_settlement(events: Iterable[AnyEnvelope], data: CorrectSettlement) -> AnyEnvelope:
    """The event by which the round has settled the bet for good."""
    settlements: list[AnyEnvelope] = []
    for event in events:
        if isinstance(event.data, BetSettled) and event.data.bet == data.bet:
            settlements.append(event)
        elif isinstance(event.data, SettlementVoided) and event.data.bet == data.bet:
            settlements.pop()
    if not settlements or (last := settlements[-1]).data.outcome == "void":
        raise Refused(CLAUSE, coded("bet-not-decided-in-round", bet=data.bet, round=data.settled_in), field="data.bet")
    if last.data.remaining_minor:
        raise Refused(
            CLAUSE,
            coded("bet-not-decided-for-good", wager=last.data.wager, bet=data.bet, round=data.settled_in),
            field="data.bet",
        )
    if last.data.progressive is not None:
        raise Refused(CLAUSE, coded("stakes-moved-meters"), field="data.bet")
    return last


def _corrected(case: TableCase, data: CorrectSettlement, settlement_event: AnyEnvelope) -> SettlementCorrected:
    session, settlement = case.session, settlement_event.data
    before = _settlement_in_force(session, settlement_event)
    profit = profit_of(before.stake, before.profit, data)
    vouchers = min(max(0, -profit), _voucher(session, settlement, data.amount_minor))
    if (data.amount_minor, profit) == (before.stake, before.profit) and not data.commission_minor:
        raise Invalid("data.amount_minor", coded("value-is-current"))
    now = SettlementCorrection(settlement_event.id, data.amount_minor, profit, vouchers)
    return SettlementCorrected(
        **{**session.where(), "round": data.settled_in, "dealer": settlement.dealer, "inspector": settlement.inspector},
        corrects=settlement_event.id,
        bet=settlement.bet,
        wager=settlement.wager,
        reason=data.reason,
        stake_before_minor=before.stake,
        stake_minor=now.stake,
        profit_before_minor=before.profit,
        profit_minor=profit,
        vouchers_minor=vouchers,
        amount_minor=now.stake - before.stake,
        lost_minor=_lost_chips(now) - _lost_chips(before),
        due_minor=max(0, profit) - max(0, before.profit),
        promotional_minor=vouchers - before.promotional,
        commission_minor=data.commission_minor,
        player=settlement.player,
        seat=settlement.seat,
        box=settlement.box,
        after_close=session.status != "open",
        approvals=case.people,
    )


def _settlement_in_force(session: Session, settled: AnyEnvelope) -> SettlementCorrection:
    """Return the settlement in force: the round's, or its last correction."""
    settlement = settled.data
    as_settled = SettlementCorrection(
        settled.id, settlement.amount_minor, settlement.profit_minor, settlement.promotional_minor
    )
    return next((correction for correction in session.corrected if correction.settlement == settled.id), as_settled)


def profit_of(stake_before: int, profit_before: int, data: CorrectSettlement) -> int:
    """Return the player's win, below zero the loss: as entered, or else in proportion to the recorded settlement.

    Raises Invalid.
    """
    profit, stake = data.profit_minor, data.amount_minor
    if profit is None:
        proportional = Fraction(profit_before * stake, stake_before) if stake_before else Fraction(0)
        if proportional.denominator != 1 or (stake and not stake_before):
            raise Invalid("data.profit_minor", coded("profit-not-whole"))
        profit = int(proportional)
    if profit < -stake or (profit and not stake):
        raise Invalid("data.profit_minor", coded("profit-impossible", stake=stake, profit=profit))
    return profit


def _voucher(session: Session, settlement: BetSettled, stake: int) -> int:
    """Return the part of the true stake that was laid with a voucher, whatever the bet was settled as."""
    voucher = session.settled_vouchers.get(name_in_day(settlement.bet, settlement.round), 0)
    return corrected_voucher(voucher, settlement.amount_minor, stake) if voucher else 0


def _lost_chips(correction: SettlementCorrection) -> int:
    """Return the loss in chips, without vouchers."""
    return max(0, -correction.profit) - correction.promotional


def settlement_corrected(session: Session, event: SettlementCorrected) -> Session:
    """Correct the tray by the true loss, unless it was counted since; amounts due and unpaid are corrected too."""
    difference, unpaid_minor = _unpaid(session, event)
    before = session.ahead.get(name_in_day(event.bet, event.round), 0)
    now = SettlementCorrection(event.corrects, event.stake_minor, event.profit_minor, event.vouchers_minor)
    others = (correction for correction in session.corrected if correction.settlement != event.corrects)
    return replace(
        session,
        corrected=(*others, now),
        float_minor=session.float_minor + (0 if event.after_close else event.lost_minor + event.commission_minor),
        unpaid=unpaid_minor,
        ahead=paid_ahead(session, event.bet, event.round or 0, max(0, -difference) - before),
    )


def _unpaid(session: Session, event: SettlementCorrected) -> tuple[int, tuple[DueWinnings, ...]]:
    """Return the amount left to pay for the bet, below zero an overpayment; and all amounts left at the table."""
    bet_key = (event.bet, event.round)
    others = [due for due in session.unpaid if (due.bet.id, due.won_in) != bet_key]
    left = sum(due.amount for due in session.unpaid if (due.bet.id, due.won_in) == bet_key) + event.due_minor
    left -= session.ahead.get(name_in_day(event.bet, event.round), 0)
    if left <= 0:
        return left, tuple(others)
    bet = Bet(event.bet, event.wager, 0, event.player or "", event.seat, event.box)
    return left, (*others, DueWinnings(bet, left, event.round))


HANDLERS: dict[type[ActionData], Handler] = {CorrectSettlement: correct_settlement}
EVOLVERS: dict[type[EventData], Evolver] = {SettlementCorrected: settlement_corrected}
