"""What the cage may do, by the books at its own position: pure.

One gaming day is open at a time. Nothing is judged by what the cage should hold: the books may be wrong, what was given
was there (docs/adr/0094).
"""

from collections.abc import Callable, Mapping
from typing import Any

from events import approvals
from events.accounting.actions.cage import (
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
from events.accounting.books import Books
from events.accounting.kept import Decided
from events.approvals import ApprovalLapsed, Moment, Requests
from events.cage import counts, slips, window
from events.cage.case import CLAUSE, Case, Events
from events.envelope import Action, ActionData, Who
from events.errors import Refused
from events.kinds import Target

Handler = Callable[[Case, Any], Events]
_HANDLERS: Mapping[type[ActionData], Handler] = {
    OpenCage: counts.open_cage,
    CountCage: counts.count_cage,
    CloseCage: counts.close_cage,
    CashOut: window.cash_out,
    CashIn: window.cash_in,
    RedeemMarker: window.redeem,
    IssueSlip: slips.issue,
    ReceiveCredit: slips.receive,
    VoidSlip: slips.void,
}


def decide(
    books: Books, property_: str, target: Target, action: Action, data: ActionData, who: Who, moment: Moment
) -> Decided:
    """What the action makes happen, on which day. Raises Refused, Invalid, Forbidden, Unknown, Conflict."""
    day = _day(books, target, data)

    def judge(action: Action, asked: ActionData, before: approvals.Pairs) -> Events:
        case = Case(books, property_, day, action, who, before, moment)
        return [*_HANDLERS[type(asked)](case, asked), *case.found]

    stream = f"{property_}/cage/{day}"
    requests = books.requests.get(stream, {})
    happened = approvals.decide(
        "cage", requests, action, data, who, moment, _of_this_kind(judge), where=lambda: {"gaming_day": day}
    )
    return Decided(stream, [*happened, *_closing(requests, data, day)])


def _closing(requests: Requests, data: ActionData, day: str) -> list[ApprovalLapsed]:
    """Nothing waits in a closed cage: what is asked of it then belongs to its next day."""
    if not isinstance(data, CloseCage):
        return []
    waiting = [key for key, one in requests.items() if not one.done]
    return [ApprovalLapsed(request=key, why="cage closed", gaming_day=day) for key in waiting]


def _of_this_kind(judge: Any) -> approvals.Judge:
    """Refuses what is nothing that a cage does."""

    def judged(action: Action, data: ActionData, before: approvals.Pairs) -> Any:
        if type(data) not in _HANDLERS:
            raise Refused(CLAUSE, f"{action.type} is nothing that is done in the cage")
        return judge(action, data, before)

    return judged


def _day(books: Books, target: Target, data: ActionData) -> str:
    """The gaming day that an action belongs to: the one that is open. Raises Refused."""
    cage = books.cage
    day = data.gaming_day if isinstance(data, OpenCage) else cage.gaming_day
    if not isinstance(data, OpenCage) and not cage.is_open:
        why = f"closed {cage.gaming_day}: what it does now belongs to its next day" if day else "never been opened"
        raise Refused(CLAUSE, f"the cage has {why}: open it first (cage.open)")
    if target.gaming_day not in (None, day):
        raise Refused(CLAUSE, f"the cage's gaming day is {day}, not {target.gaming_day}")
    return day
