"""Actions refused by the desk at a table during a round: lines of the access log.

They are no events: no chain and no head covers them, and they are kept for a limited number of days. A refusal without
effect on its sender has no line. A line names the table and not the round, so it belongs to a round by its time alone.
"""

from datetime import datetime

import msgspec
from django.utils import timezone

from backoffice.access.models import Access

SHOWN = 50


class Refusal(msgspec.Struct, frozen=True):
    """Refused action: person, and status, clause and sentence as answered."""

    at: datetime
    person: str
    outcome: str


def refusals(table: str, since: datetime, until: datetime | None) -> tuple[Refusal, ...]:
    """Return the refusals between two moments of the house's clock, or until now. One query."""
    lines = Access.objects.filter(what=f"action tables/{table}", at__gte=since, at__lte=until or timezone.now())
    return tuple(Refusal(line.at, line.person, line.outcome) for line in lines.order_by("at")[:SHOWN])
