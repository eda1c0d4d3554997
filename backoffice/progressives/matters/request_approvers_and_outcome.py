"""Requests at a progressive: the missing approvers, the results, and the action that approves."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from backoffice.forms.approval_requests_and_approvers import Approvers, RequestedHit, agreeing
from backoffice.forms.request_and_action_wording import SummaryLine, action_lines
from backoffice.kit.due_action_and_link_structs import DueAction, People, pairs
from backoffice.progressives.matters.rows_shown_with_open_items import DONE_SHOWN, MatterRows
from backoffice.progressives.matters.unpaid_and_late_hit_rows import is_over
from backoffice.progressives.open_item_rows_and_counts import OpenMatters, address
from backoffice.tables.action_address_of_table_day import table_address
from projections.matters.models import ApprovalRequest


class RequestShown(msgspec.Struct, frozen=True):
    """A request: waiting, decided (`decided_at`), superseded by an event (`why`), or `ended` by a person (`why`)."""

    request: str
    action: str
    input: str
    lines: tuple[SummaryLine, ...]
    content: str
    people: People
    position: int
    time: datetime | None
    who: Approvers | None = None
    do: DueAction | None = None
    why: str = ""
    decided_at: int | None = None
    decided: datetime | None = None
    ended: str = ""
    ended_by: str = ""
    until: datetime | None = None


def impossible_requests(now: OpenMatters) -> list[ApprovalRequest]:
    return [row for row in now.requests if now.overtaken(row)][-DONE_SHOWN:][::-1]


def shown_request(rows: MatterRows, row: ApprovalRequest) -> RequestShown:
    now, data = rows.open, msgspec.json.decode(row.input)
    why = _why_ended(row) if row.ended else "" if row.decided_at is not None else now.overtaken(row)
    is_open = row.decided_at is None and not why
    people = msgspec.json.decode(row.people, type=People)
    approvers = agreeing(row.action, data, people, _dealer_and_limit(now, row, data)) if is_open else None
    return RequestShown(
        request=row.request,
        action=row.action,
        input=msgspec.json.format(row.input, indent=2),
        lines=action_lines(row.action, data, now.progressive.currency),
        content=row.content,
        people=pairs(row.people),
        position=row.position,
        time=rows.times.get(row.position),
        who=approvers,
        do=_agree(now, row, len(pairs(row.people))) if is_open else None,
        why=why,
        decided_at=row.decided_at,
        decided=rows.times.get(row.decided_at or 0),
        ended=_ENDED[row.ended]() if row.ended else "",
        ended_by=ended_by(row) if row.ended else "",
        until=datetime.fromisoformat(row.until) if row.until else None,
    )


_ENDED: dict[str, Callable[[], str]] = {
    "declined": lambda: _("declined"),
    "withdrawn": lambda: _("withdrawn"),
    "lapsed": lambda: _("expired"),
}
_LAPSED: dict[str, Callable[[], str]] = {
    "time": lambda: _("not approved in time"),
    "role": lambda: _("the requester no longer has the role for it"),
    "cage closed": lambda: _("the cage closed"),
}


def request_outcome(row: ApprovalRequest) -> tuple[str, str]:
    """Return the outcome of a request, and its reason."""
    return (_ENDED[row.ended](), _why_ended(row)) if row.ended else (_("approved"), "")


def _why_ended(row: ApprovalRequest) -> str:
    is_lapsed = row.ended == "lapsed" and row.reason in _LAPSED
    return _LAPSED[row.reason]() if is_lapsed else row.reason


def ended_by(row: ApprovalRequest) -> str:
    """Return the person who refused or withdrew it; "" for no one."""
    return "" if row.ended == "lapsed" else row.ended_by


def _dealer_and_limit(now: OpenMatters, row: ApprovalRequest, data: dict[str, Any]) -> RequestedHit | None:
    if row.session:
        return RequestedHit(now.dealers.get((row.session, data.get("round", 0)), ""), is_over_limit=False)
    hit = now.requested_hits.get(data.get("hit") or "")
    if (paid := _handed_out(now, row.action, data)) is not None:
        return RequestedHit(hit.dealer if hit else "", paid > now.progressive.surveillance_over_minor)
    return None if hit is None else RequestedHit(hit.dealer, is_over(now, hit))


def _handed_out(now: OpenMatters, action: str, data: dict[str, Any]) -> int | None:
    """Return the amount that the house would pay out of its own money; None for another action."""
    if action == "house.pay":
        return int(data["amount_minor"])
    amounts = (abs(variance.variance_minor) for variance in now.variances if variance.case == data.get("case"))
    return next(amounts, None) if action == "variance.close" else None


def _agree(now: OpenMatters, row: ApprovalRequest, spoken: int) -> DueAction:
    to, query = table_address(row.session) if row.session else (address(now), "")
    return DueAction(
        label=_("Approve request"),
        who="",
        to=to,
        query=query,
        key=f"agree:{row.content[:12]}:{spoken + 1}",
        type="approval.give",
        data={"request": row.request, "content": row.content},
    )
