"""A payment that is discovered after its round, or after its gaming day was closed: recorded as a fact.

It is checked against the round's own events of any age (`TableContext.dealt`).
"""

from events.controls import refused_fact_reasons
from events.envelope import ActionData
from events.error_codes import coded
from events.errors import Refused, require_reason
from events.people import authority
from events.tables.actions.round_action_structs import ReportPayment
from events.tables.mispaid_round_lookup import settled_as
from events.tables.roles import REPORT_LATE, RULES
from events.tables.round_and_bet_decider import judged, paid, unknown_bet
from events.tables.table_session_state_structs import DueWinnings, Events, Handler, TableCase

CLAUSE = "house payment"


def report_payment(case: TableCase, data: ReportPayment) -> Events:
    """Record the payment by a pit boss, with the reason; with an irregularity if it differs from the amount due.

    Once accounting has closed the gaming day, surveillance or an accountant must agree too (NotApproved): the closed
    report can only be restated with it.
    """
    session = case.session
    if case.action.intent != "fact":
        raise Refused(CLAUSE, coded("payment-is-a-fact"))
    require_reason(data.reason, CLAUSE)
    if session.status == "open" and data.won_in == session.round:
        detail = coded("round-is-current", round=data.won_in)
        raise refused_fact_reasons.fact_refusal("current round", CLAUSE, detail, field="data.won_in")
    due = (_unpaid(case, data) if data.amount_minor >= 0 else None) or _nothing_due(case, data)
    judged(case, due, data.amount_minor)
    if case.context.is_day_closed:
        authority.require(RULES[REPORT_LATE], case.people)
    return [paid(session, due, data.amount_minor, reason=data.reason)]


def _unpaid(case: TableCase, data: ReportPayment) -> DueWinnings | None:
    """Return the amount that the round left unpaid on the bet."""
    wanted = (data.bet, data.won_in)
    return next((due for due in case.session.unpaid if (due.bet.id, due.won_in) == wanted), None)


def _nothing_due(case: TableCase, data: ReportPayment) -> DueWinnings:
    """Return the bet as its round settled it, with nothing due; or a bet that was never recorded."""
    if data.won_in > case.session.round:
        detail = coded("bet-not-settled-in-round", bet=data.bet, round=data.won_in)
        raise refused_fact_reasons.fact_refusal("future round", CLAUSE, detail, field="data.won_in")
    bet = settled_as(case.context.dealt, data.bet) or unknown_bet(data.bet)
    return DueWinnings(bet, 0, data.won_in)


HANDLERS: dict[type[ActionData], Handler] = {ReportPayment: report_payment}
