"""The decider of the cage, by the books at its own position: pure.

One gaming day is open at a time. No action is refused for the expected content of the cage: the books may be wrong, and
paid-out chips or cash were there (docs/adr/0094).
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import asdict

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.event_types.cage import CashedIn, CashedOut, MarkerCarried, MarkerRedeemed
from events.accounting.live_books_for_decisions import DecidedEvents
from events.cage import cage_count_decisions, slip_issue_receipt_void_decider
from events.cage.action_structs import (
    CarryMarker,
    CashIn,
    CashOut,
    CloseCage,
    CountCage,
    IssueSlip,
    OpenCage,
    ReceiveCredit,
    RedeemMarker,
    VoidSlip,
)
from events.cage.decision_context import CLAUSE, CageCase, Events
from events.controls import refused_fact_reasons
from events.envelope import Action, ActionData, Who
from events.error_codes import ErrorText, coded
from events.errors import Invalid, Refused
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import ApprovalLapsed, Moment, Requests
from events.rules.chip_sums_by_denomination import Pieces, chips_minor
from events.streams.stream_kind_declaration import Target

# Players change chips and money at the cage's window, and take their markers back.
# Nothing is compared with the cage's expected content: its counter would learn it from a refusal (docs/adr/0094).
MARKER = "house marker"


def cash_out(case: CageCase, data: CashOut) -> Events:
    """Chips in, cash of the same value out."""
    amount = _positive_worth(data.chips)
    return [CashedOut(gaming_day=case.gaming_day, chips=data.chips, amount_minor=amount, player=data.player)]


def cash_in(case: CageCase, data: CashIn) -> Events:
    """Cash in, chips of the same value out."""
    amount = _positive_worth(data.chips)
    return [CashedIn(gaming_day=case.gaming_day, chips=data.chips, amount_minor=amount, player=data.player)]


def redeem(case: CageCase, data: RedeemMarker) -> Events:
    """A marker goes back for cash, or for chips of the same value."""
    if data.chips is not None and _positive_worth(data.chips) != data.amount_minor:
        raise Invalid("data.chips", coded("chips-differ-from-marker"))
    if case.books.is_redeemed(data.marker):
        refused = Refused(MARKER, coded("marker-redeemed-already", marker=data.marker), field="data.marker")
        case.forbid("marker twice", refused, player=data.player, amount_minor=data.amount_minor)
    carried = case.books.markers.get(data.marker)
    if carried is not None and (carried.player, carried.amount_minor) != (data.player, data.amount_minor):
        message = coded("marker-differs", marker=data.marker)
        refused = Refused(MARKER, message, field="data.marker")
        case.forbid("marker differs", refused, player=data.player, amount_minor=data.amount_minor)
    return [MarkerRedeemed(gaming_day=case.gaming_day, **asdict(data))]


def carry(case: CageCase, data: CarryMarker) -> Events:
    """A marker of before the books becomes known, once: it moves no money, the cage's first count has it."""
    if data.marker in case.books.markers or case.books.is_redeemed(data.marker):
        raise Refused(MARKER, coded("marker-known", marker=data.marker), field="data.marker")
    return [MarkerCarried(gaming_day=case.gaming_day, **asdict(data))]


def _positive_worth(chips: Pieces) -> int:
    if not (amount := chips_minor(chips, "data.chips")):
        raise Invalid("data.chips", coded("chips-none"))
    return amount


Handler = Callable[[CageCase, Any], Events]
_HANDLERS: Mapping[type[ActionData], Handler] = {
    OpenCage: cage_count_decisions.open_cage,
    CountCage: cage_count_decisions.count_cage,
    CloseCage: cage_count_decisions.close_cage,
    CashOut: cash_out,
    CashIn: cash_in,
    RedeemMarker: redeem,
    CarryMarker: carry,
    IssueSlip: slip_issue_receipt_void_decider.issue,
    ReceiveCredit: slip_issue_receipt_void_decider.receive,
    VoidSlip: slip_issue_receipt_void_decider.void,
}


def decide(
    books: Books, property_: str, target: Target, action: Action, data: ActionData, actor: Who, moment: Moment
) -> DecidedEvents:
    """Return the events that an action makes, and their day. Raises Refused, Invalid, Forbidden, Unknown, Conflict."""
    day = _day(books, target, action, data, moment.time)
    is_between = not books.cage.is_open and not isinstance(data, OpenCage)

    def judge(action: Action, request_data: ActionData, before: approval_request_lifecycle.Pairs) -> Events:
        case = CageCase(books, property_, day, action, actor, before, moment, [])
        events = _record_report(case, request_data)
        if is_between:
            case.forbid("cage not open", Refused(CLAUSE, _not_open(books)))
        return [*events, *case.irregularities]

    stream = f"{property_}/cage/{day}"
    requests = books.requests.get(stream, {})
    events = approval_request_lifecycle.decide(
        "cage", requests, action, data, actor, moment, _of_this_kind(judge), fields=lambda: {"gaming_day": day}
    )
    return DecidedEvents(stream, [*events, *_closing(requests, data, day)])


def _record_report(case: CageCase, request_data: ActionData) -> Events:
    """Record a report in any state of the cage. Raises Refused for a reason on the list
    (`events/controls/refused_fact_reasons.py`)."""
    if case.action.intent == "fact" and refused_fact_reasons.is_decision(case.action.type):
        raise refused_fact_reasons.fact_refusal("decision", authority.rules_of(case.action.type)[0].clause)
    if isinstance(request_data, CountCage | CloseCage) and not case.books.cage.is_known:
        raise refused_fact_reasons.fact_refusal("first count", CLAUSE)
    return _HANDLERS[type(request_data)](case, request_data)


def _closing(requests: Requests, data: ActionData, day: str) -> list[ApprovalLapsed]:
    """Let requests lapse at the close of the cage: later requests belong to its next day."""
    if not isinstance(data, CloseCage):
        return []
    waiting = [key for key, request in requests.items() if not request.done]
    return [ApprovalLapsed(request=key, why="cage closed", gaming_day=day) for key in waiting]


def _of_this_kind(judge: Any) -> approval_request_lifecycle.Judge:
    """Refuse actions that a cage does not have."""

    def judged(action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> Any:
        if type(data) not in _HANDLERS:
            raise Refused(CLAUSE, coded("not-an-action-of-the-cage", action=action.type))
        return judge(action, data, before)

    return judged


def _day(books: Books, target: Target, action: Action, data: ActionData, now: str) -> str:
    """The gaming day that an action belongs to: the one that is open. Raises Refused.

    A report between two days belongs to the next one.
    """
    if isinstance(data, OpenCage):
        day = data.gaming_day
    elif books.cage.is_open:
        day = books.cage.gaming_day
    elif action.intent == "ask":
        raise Refused(CLAUSE, _not_open(books))
    else:
        day = cage_count_decisions.next_day(books, now)
    if target.gaming_day not in (None, day):
        raise refused_fact_reasons.fact_refusal(
            "other day", CLAUSE, coded("cage-on-another-day", day=day, asked=target.gaming_day)
        )
    return day


def _not_open(books: Books) -> ErrorText:
    day = books.cage.gaming_day
    return coded("cage-closed", day=day) if day else coded("cage-never-opened")
