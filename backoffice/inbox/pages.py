"""The inbox: open items of its reader, over all streams, and the results of the reader's requests."""

from datetime import datetime
from typing import Any

import msgspec
from django.http import HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from backoffice.access.personal_data_access_log import PERSON
from backoffice.event_log.times_by_position import times_of
from backoffice.forms.request_and_action_wording import ActionPlace, SummaryLine, action_lines
from backoffice.inbox.case_tasks_requests_and_recordings import case_matters, own_case_requests
from backoffice.inbox.matter import Matter, place_of
from backoffice.inbox.open_items import HouseMatters, house_matters
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import LiveUpdate, MenuEntry, Page, PageAddress
from backoffice.kit.reader_and_read_rule_types import AUDITOR, Reader, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.current_roles import of_all
from backoffice.progressives.matters import request_approvers_and_outcome
from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events.settings.settings_from_environment import settings
from projections.matters.models import ApprovalRequest

SHOWN = 20
LINES = 4  # of a request: its subject comes first, and its event has all of it


class EndedRequest(msgspec.Struct, frozen=True):
    """Outcome of a request."""

    action: str
    place: ActionPlace
    summary_lines: tuple[SummaryLine, ...]
    outcome: str
    ended_by: str
    why: str
    position: int
    decided_at: int
    decided: datetime | None


def ended_requests(person: str) -> tuple[EndedRequest, ...]:
    """Return the outcomes of a person's requests, the last first. Three queries."""
    requests = ApprovalRequest.objects.filter(person=person, stream__startswith=f"{settings().property_}/")
    rows = list(requests.exclude(decided_at=None).order_by("-decided_at")[:SHOWN])
    places, times = stream_currencies.by_place(), times_of([row.decided_at or 0 for row in rows])
    return tuple(_ended_request(places, row, times) for row in rows)


def _ended_request(places: Places, row: ApprovalRequest, times: dict[int, datetime]) -> EndedRequest:
    at = row.decided_at or 0
    outcome, why = request_approvers_and_outcome.request_outcome(row)
    by = request_approvers_and_outcome.ended_by(row) if row.ended else ""
    place = place_of(places, row.stream)
    summary_lines = action_lines(row.action, msgspec.json.decode(row.input), place.currency)[:LINES]
    return EndedRequest(row.action, place, summary_lines, outcome, by, why, row.position, at, times.get(at))


OPEN_TO = roles(
    "inspector", "pit boss", "cage", "count", "accountant", "progressive manager", "surveillance", "security",
    "administrator",
)  # fmt: skip


def _own_matters(visit: Visit, house: HouseMatters) -> dict[str, Any]:
    """Return the matters for this reader, and those that they requested. An auditor sees all."""
    person = visit.reader.person
    own = [*own_case_requests(visit.reader), *(matter for matter in house.matters if matter.requester == person)]
    return {"mine": _matters_of(visit.reader, house), "own": own, "became": ended_requests(person)}


def _matters_of(reader: Reader, house: HouseMatters) -> list[Matter]:
    """Return the matters for this reader. Those of cases are of the reader alone, and in no list of the house."""
    of_cases = case_matters(reader)
    if AUDITOR in reader.roles:
        return [*of_cases, *house.matters]
    return [*of_cases, *(matter for matter in house.matters if matter.is_for(reader.person, reader.roles))]


def _count_badge(visit: Visit) -> HttpResponse:
    """Return the number of matters for this reader, for the header of every page."""
    matters = _matters_of(visit.reader, house_matters(of_all()))
    state = "red" if any(matter.state == "red" for matter in matters) else "amber"
    words = ngettext("%d item for you", "%d items for you", len(matters)) % len(matters)
    badge = format_html('<b class="count {}" title="{}">{}</b>', state, words, len(matters))
    return HttpResponse(badge if matters else "")


INBOX = Page(
    name="inbox",
    path="inbox",
    title=_("Inbox"),
    open_to=OPEN_TO,
    template="pages/inbox.html",
    query=lambda _request: house_matters(of_all()),
    shown_as="house",
    add_context=_own_matters,
    menu=MenuEntry(_("Inbox"), "m", _("go to inbox"), count="inbox-count"),
    follows=LiveUpdate("pages/inbox_live.html"),
    looks=AccessLogRule(PERSON),
    also=(PageAddress("inbox-count", "inbox/count", _count_badge),),
)
