"""Outcomes of a person's requests."""

from datetime import datetime

import msgspec

from backoffice.event_log.event_times import times_of
from backoffice.forms.summaries import ActionPlace, SummaryLine, action_lines
from backoffice.inbox.matter import place_of
from backoffice.progressives.matters import requests
from backoffice.wording import currencies
from backoffice.wording.currencies import Places
from events.settings.settings import settings
from projections.matters.models import ApprovalRequest

SHOWN = 20
LINES = 4  # of a request: its subject comes first, and its event has all of it


class EndedRequest(msgspec.Struct, frozen=True):
    """Outcome of a request."""

    action: str
    place: ActionPlace
    says: tuple[SummaryLine, ...]
    outcome: str
    ended_by: str
    why: str
    position: int
    decided_at: int
    decided: datetime | None


def became_of(person: str) -> tuple[EndedRequest, ...]:
    """Return the outcomes of a person's requests, the last first. Three queries."""
    requests = ApprovalRequest.objects.filter(person=person, stream__startswith=f"{settings().property_}/")
    rows = list(requests.exclude(decided_at=None).order_by("-decided_at")[:SHOWN])
    known, times = currencies.by_place(), times_of([row.decided_at or 0 for row in rows])
    return tuple(_ended(known, row, times) for row in rows)


def _ended(known: Places, row: ApprovalRequest, times: dict[int, datetime]) -> EndedRequest:
    at = row.decided_at or 0
    outcome, why = requests.request_outcome(row)
    by = requests.ended_by(row) if row.ended else ""
    place = place_of(known, row.stream)
    says = action_lines(msgspec.json.decode(row.input), place.currency)[:LINES]
    return EndedRequest(row.action, place, says, outcome, by, why, row.position, at, times.get(at))
