"""Requests that wait for approval, so that a row does not offer a requested action again."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from events.runtime import clock
from projections.matters.models import ApprovalRequest


class OpenRequest(msgspec.Struct, frozen=True):
    """A request of an action that no one has decided; `position` is its event's, `fields` are the action's data."""

    stream: str
    person: str
    position: int
    fields: dict[str, Any]

    def is_for(self, places: Iterable[str], fields: Mapping[str, object]) -> bool:
        """Return whether its stream has these names, such as a gaming day, and its data these values."""
        names = self.stream.split("/")
        return all(place in names for place in places) and all(
            str(self.fields.get(name)) == str(value) for name, value in fields.items()
        )


def open_requests(action: str) -> list[OpenRequest]:
    """Return the requests of this action that wait, oldest first."""
    rows = ApprovalRequest.objects.filter(action=action, decided_at=None).order_by("position")
    return [
        OpenRequest(row.stream, row.person, row.position, msgspec.json.decode(row.input))
        for row in rows
        if not row.until or datetime.fromisoformat(row.until) > clock.moment()
    ]
