"""Alerts for programs."""

from backoffice.kit.page import Asked, Endpoint
from backoffice.people.open_to import WATCH
from backoffice.queries.alerts import ORDERS, PAGE, PAGE_MAX, STATUSES, AlertsPage, alerts
from backoffice.queries.filters import BIGGEST, whole
from events.alerts.rules import RULES
from events.errors import Invalid


def _alerts(asked: Asked) -> AlertsPage:
    """What there is not is refused at its field."""
    said = asked.parameters
    limit = whole(said, "limit")
    if limit is not None and not 1 <= limit <= PAGE_MAX:
        raise Invalid("limit", f"1 to {PAGE_MAX} alerts at a time")
    return alerts(
        day=said.get("day") or "",
        name=said.get("name") or "",
        status=said.get("status") or "",
        order=said.get("order") or ORDERS[0],
        after=whole(said, "after"),
        size=PAGE if limit is None else limit,
    )


ALERTS = Endpoint(
    name="alerts",
    path="alerts",
    answer=AlertsPage,
    meaning="What surveillance must look at, each alert with the events that prove it.",
    query=_alerts,
    parameters={
        "day": {"type": "string", "format": "date", "description": "Those of a gaming day"},
        "name": {"enum": [*RULES], "description": "Those of one rule"},
        "status": {"enum": [*STATUSES], "description": "How far they are"},
        "order": {"enum": [*ORDERS], "default": ORDERS[0], "description": "By the position of the raising event"},
        "after": {
            "type": "integer",
            "minimum": 0,
            "maximum": BIGGEST,
            "description": "Go on from here: `next` of a page before",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE},
    },
    open_to=WATCH,
)
