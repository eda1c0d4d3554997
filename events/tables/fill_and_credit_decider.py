"""Fills and credits (NJ 1.22, 1.23): requested, received and sent by slips.

A house whose cage was never opened writes its own numbers. After the first opening the cage issues every slip
(`TableContext.slip`); another one is only reported, with a discrepancy.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from events.controls import discrepancy_event_and_severity
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import RULE, SlipIssued, Way, name_of
from events.envelope import ActionData, EventData
from events.error_codes import ErrorText, coded
from events.errors import Full, Invalid, Refused
from events.rules.chip_sums_by_denomination import chips_minor, worth
from events.tables.actions.buyins_fills_credits_drop import ReceiveFill, RequestCredit, RequestFill, SendCredit
from events.tables.event_types.money import CreditRequested, CreditReturned, CreditSent, FillReceived, FillRequested
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase

MAX_SLIPS = 10_000  # fills and credits of one table's day


def request_fill(case: TableCase, data: RequestFill) -> Events:
    """A supervisor asks for chips."""
    amount = _requested_minor(data.chips)
    return [FillRequested(**case.session.where(), request=case.action.key, chips=data.chips, amount_minor=amount)]


def request_credit(case: TableCase, data: RequestCredit) -> Events:
    """Request a credit: a supervisor wants to give chips back. The counter does not see the expected tray."""
    amount = _requested_minor(data.chips)
    return [CreditRequested(**case.session.where(), request=case.action.key, chips=data.chips, amount_minor=amount)]


def receive_fill(case: TableCase, data: ReceiveFill) -> Events:
    """Receive chips from the cage, as counted at the table. A difference from the slip is a discrepancy."""
    amount = _slip_amount(case, "fill", data.slip, data.chips)
    slip = _slip(case, "fill", data.slip, amount)
    discrepancies = _slip_discrepancy(case, slip, data.chips) if slip is not None else []
    year = slip.year if slip is not None else ""
    received = FillReceived(**case.session.where(), slip=data.slip, chips=data.chips, amount_minor=amount, year=year)
    return [received, *discrepancies]


def send_credit(case: TableCase, data: SendCredit) -> Events:
    """Chips to the cage, which compares them with the slip."""
    amount = _slip_amount(case, "credit", data.slip, data.chips)
    slip = _slip(case, "credit", data.slip, amount)
    year = slip.year if slip is not None else ""
    return [CreditSent(**case.session.where(), slip=data.slip, chips=data.chips, amount_minor=amount, year=year)]


def _used(session: Session, kind: Way, event: FillReceived | CreditSent, float_minor: int) -> Session:
    """A slip of the cage is known by its name, one of earlier days by its number."""
    if session.status == "open":  # a tray that was counted at the close holds the counted chips
        session = replace(session, float_minor=float_minor)
    session = replace(session, is_moved=True)
    if not event.year:
        return replace(session, slips=session.slips | {event.slip})
    return replace(session, by_cage=session.by_cage | {name_of(kind, event.year, event.slip)})


def _requested_minor(chips: Mapping[int, int]) -> int:
    amount = chips_minor(chips, "data.chips")
    if amount == 0:
        raise Invalid("data.chips", coded("slip-empty"))
    return amount


def _slip_amount(case: TableCase, kind: Way, number: int, chips: Mapping[int, int]) -> int:
    """Return the amount moved by the slip, in minor units. Without chips it is refused, or noted on a fact."""
    if case.action.intent == "ask":
        return _requested_minor(chips)
    amount = chips_minor(chips, "data.chips")
    if amount == 0:
        refused = Refused(RULE[kind], coded("slip-without-chips", paper=kind, number=number), field="data.chips")
        case.forbid("empty slip", refused)
    return amount


# --- which slip -------------------------------------------------------------------------------------------------------


def _slip(case: TableCase, kind: Way, number: int, amount: int) -> SlipIssued | None:
    """The cage's slip of this number; None: the number is the house's own, or one that the cage does not know.

    Raises Refused, where that is not reported as a fact.
    """
    if not case.context.has_cage:
        _must_be_new(case, number)
        return None
    slip = case.context.slip
    reason = _why_not(case.session, kind, number, slip, is_settled=case.context.is_settled)
    if reason is None:
        _must_have_dealer(case, kind)
        return slip
    case.forbid("unknown_slip", Refused(RULE[kind], reason, field="data.slip"))
    case.irregularities.append(_unknown_slip(case, number, amount))
    return None


def _must_be_new(case: TableCase, number: int) -> None:
    if number in case.session.slips:
        case.forbid("slip twice", Refused(RULE["fill"], coded("slip-used", number=number), field="data.slip"))
    if len(case.session.slips) >= MAX_SLIPS:
        raise Full(RULE["fill"], coded("too-many-slips", most=MAX_SLIPS))


def _why_not(
    session: Session, kind: Way, number: int, slip: SlipIssued | None, *, is_settled: bool
) -> ErrorText | None:
    if slip is None:
        return coded("slip-never-issued", paper=kind, number=number)
    if slip.table != session.table:
        return coded("slip-of-another-table", paper=kind, number=number, table=slip.table)
    if is_settled or name_of(kind, slip.year, slip.slip) in session.by_cage:
        settled = "slip-received-already" if kind == "fill" else "slip-sent-already"
        return coded(settled, paper=kind, number=number)
    return None


def _must_have_dealer(case: TableCase, kind: Way) -> None:
    """Dealer and supervisor are two people."""
    dealer = case.session.dealer
    if dealer in (None, case.who.person):
        case.forbid("slip_alone", Refused(RULE[kind], coded("slip-needs-two-signatures")))


def _unknown_slip(case: TableCase, number: int, amount: int) -> DiscrepancyFound:
    fields = {**case.session.where(), "slip": str(number), "counted_by": (case.who.person,)}
    return discrepancy_event_and_severity.discrepancy_event("unknown_slip", 0, amount, case.context.settings, **fields)


def _slip_discrepancy(case: TableCase, slip: SlipIssued, chips: Mapping[int, int]) -> Events:
    """One discrepancy a slip, by denomination: other pieces of equal money are one."""
    expected, actual = discrepancy_event_and_severity.differing(slip.chips, dict(chips))
    if not expected and not actual:
        return []
    details: dict[str, Any] = {
        **case.session.where(),
        "slip": name_of("fill", slip.year, slip.slip),
        "counted_by": tuple(person for person in (case.session.dealer, case.who.person) if person),
        "expected": expected,
        "counted": actual,
    }
    return [
        discrepancy_event_and_severity.discrepancy_event(
            "fill", slip.amount_minor, worth(chips), case.context.settings, **details
        )
    ]


HANDLERS: dict[type[ActionData], Handler] = {
    RequestFill: request_fill,
    RequestCredit: request_credit,
    ReceiveFill: receive_fill,
    SendCredit: send_credit,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    FillReceived: lambda session, event: _used(session, "fill", event, session.float_minor + event.amount_minor),
    CreditSent: lambda session, event: _used(session, "credit", event, session.float_minor - event.amount_minor),
    CreditReturned: lambda session, event: replace(session, float_minor=session.float_minor + event.amount_minor),
}
