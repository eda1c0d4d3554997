"""The cage issues slips, takes credits in, and declares slips void (NJ 1.22, 1.23). The system gives the numbers."""

from typing import Any

from events.accounting.event_types.cage import CreditReceived, SlipVoided
from events.accounting.fill_and_credit_slip_states import Slip, SlipRequest
from events.cage.action_structs import IssueSlip, ReceiveCredit, VoidSlip
from events.cage.decision_context import CageCase, Events
from events.cage.roles import RULES, VOID
from events.controls import discrepancy_event_and_severity, refused_fact_reasons
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import RULE, SlipIssued, Way, business_year, name_of
from events.error_codes import ErrorText, coded
from events.errors import Refused, Unknown
from events.people import authority
from events.rules.chip_sums_by_denomination import Pieces, chips_minor, worth
from events.streams.stream_kind_declaration import ForeignEvent
from events.tables.event_types.money import CreditReturned


def issue(case: CageCase, data: IssueSlip) -> Events:
    """The next number of its series. The chips of a fill leave with it."""
    request = case.books.slips.requests.get(data.request)
    if request is None:
        detail = coded("slip-not-requested", request=data.request)
        if case.action.intent == "fact":
            raise refused_fact_reasons.fact_refusal("no request", RULE["fill"], detail, field="data.request")
        raise Unknown(detail)
    year = business_year(case.gaming_day, case.books.settings)
    _must_carry(case, request, data.runner)
    return [
        SlipIssued(
            kind=request.kind,
            year=year,
            slip=case.books.slips.next(request.kind, year),
            gaming_day=case.gaming_day,
            table=request.table,
            request=data.request,
            chips=request.chips,
            amount_minor=worth(request.chips),
            runner=data.runner,
        )
    ]


def _must_carry(case: CageCase, request: SlipRequest, runner: str | None) -> None:
    """Require a runner of security, other than the issuer of the slip. The runner may be left out."""
    if runner is None:
        return
    if runner == case.who.person:
        message = coded("runner-issues-slip", runner=runner)
    elif "security" not in case.moment.roles.get(runner, ()):
        message = coded("runner-not-security", runner=runner)
    else:
        return
    refused = Refused(RULE[request.kind], message, field="data.runner")
    case.forbid("wrong runner", refused, table=request.table, amount_minor=worth(request.chips))


def receive(case: CageCase, data: ReceiveCredit) -> Events:
    """Receive a credit as counted here; one discrepancy a slip."""
    amount = chips_minor(data.chips, "data.chips")
    slip = _find(case, "credit", data.slip, data.year)
    try:
        if slip is None:
            raise _unknown_slip("credit", data.slip)
        _must_be_open(slip)
    except (Refused, Unknown) as error:
        if case.action.intent == "ask":
            raise
        return _unissued(case, data, slip, amount, error.text)
    if slip.sent is None:
        text = coded("credit-not-sent", table=slip.table, number=slip.number)
        case.forbid("credit not sent", Refused(RULE["credit"], text, field="data.slip"), table=slip.table)
    received = CreditReceived(
        gaming_day=case.gaming_day,
        table=slip.table,
        slip=slip.number,
        year=slip.year,
        chips=data.chips,
        amount_minor=amount,
    )
    sent = slip.sent if slip.sent is not None else data.chips
    return [received, *_receipt_discrepancy(case, slip, data.chips, sent)]


def _unissued(case: CageCase, data: ReceiveCredit, slip: Slip | None, amount: int, text: str | ErrorText) -> Events:
    """Chips by a slip that the cage does not know, or that is settled: they leave transit at once, with a discrepancy.

    The event names no business year: it is about no slip of a series.
    """
    table = slip.table if slip is not None else ""
    refused = Refused(RULE["credit"], text, field="data.slip")
    case.forbid("unknown_slip", refused, table=table or None, amount_minor=amount)
    received = CreditReceived(
        gaming_day=case.gaming_day, table=table, slip=data.slip, year="", chips=data.chips, amount_minor=amount
    )
    about: dict[str, Any] = {"slip": str(data.slip), "counted_by": (case.who.person,), "table": table or None}
    discrepancy = discrepancy_event_and_severity.discrepancy_event(
        "unknown_slip", 0, amount, case.books.settings, gaming_day=case.gaming_day, **about
    )
    return [received, discrepancy]


def void(case: CageCase, data: VoidSlip) -> Events:
    """Void a slip before its receipt, by two people. A credit in transit goes back to its table."""
    slip = _slip(case, data.kind, data.slip, data.year)
    _must_be_open(slip)
    authority.require(RULES[VOID], case.people)
    event = SlipVoided(
        gaming_day=case.gaming_day,
        kind=slip.kind,
        table=slip.table,
        slip=slip.number,
        year=slip.year,
        amount_minor=worth(slip.chips),
        reason=data.reason,
        approvals=case.people,
        was_sent=slip.sent is not None,
    )
    return [event, *_returned(slip, data.reason)]


def _returned(slip: Slip, reason: str) -> Events:
    if slip.kind == "fill" or slip.sent is None:
        return []
    back = CreditReturned(
        **slip.where,
        slip=slip.number,
        year=slip.year,
        chips=slip.sent,
        amount_minor=worth(slip.sent),
        reason=reason,
    )
    return [ForeignEvent(slip.sent_in, back)]


def _slip(case: CageCase, kind: Way, number: int, year: str | None) -> Slip:
    """The slip of this number, of this business year or of the last one that has it. Raises Unknown."""
    slip = _find(case, kind, number, year)
    if slip is None:
        raise _unknown_slip(kind, number)
    return slip


def _unknown_slip(kind: Way, number: int) -> Unknown:
    return Unknown(coded("slip-not-issued", paper=kind, number=number))


def _find(case: CageCase, kind: Way, number: int, year: str | None) -> Slip | None:
    slips = case.books.slips.slips
    years = (year,) if year is not None else _years(case)
    return next((slips[name] for slip_year in years if (name := name_of(kind, slip_year, number)) in slips), None)


def _years(case: CageCase) -> tuple[str, ...]:
    year = business_year(case.gaming_day, case.books.settings)
    return year, str(int(year) - 1)


def _must_be_open(slip: Slip) -> None:
    if slip.status != "open":
        status = "void already" if slip.void else "received already"
        raise Refused(
            RULE[slip.kind],
            coded("slip-settled", paper=slip.kind, number=slip.number, status=status),
            field="data.slip",
        )


def _receipt_discrepancy(case: CageCase, slip: Slip, received: Pieces, sent: Pieces) -> list[DiscrepancyFound]:
    """Received against the slip, or where these agree, sent against it."""
    for pieces_counted in (received, sent):
        pieces = discrepancy_event_and_severity.differing(slip.chips, dict(pieces_counted))
        if any(pieces):
            return [_slip_discrepancy(case, slip, pieces_counted, pieces)]
    return []


def _slip_discrepancy(
    case: CageCase, slip: Slip, pieces_counted: Pieces, pieces: tuple[dict[int, int], dict[int, int]]
) -> DiscrepancyFound:
    return discrepancy_event_and_severity.discrepancy_event(
        "credit",
        worth(slip.chips),
        worth(pieces_counted),
        case.books.settings,
        gaming_day=case.gaming_day,
        table=slip.table,
        slip=name_of(slip.kind, slip.year, slip.number),
        expected=pieces[0],
        counted=pieces[1],
        counted_by=(case.who.person,),
    )
