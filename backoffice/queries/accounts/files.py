"""The report of a closed day, to be given out: the figures that it was closed with, or restated with last."""

from collections.abc import Collection
from typing import Any

from backoffice.queries.accounts import blind
from backoffice.queries.accounts.report import report
from events.errors import Unknown


def said_last(day: str, roles: Collection[str]) -> dict[str, Any]:
    """The canonical figures but for the progressives and the journal, which no row has, with status and the digest that
    was said of all. Raises Unknown for a day that is not closed, and while it holds
    what somebody in these roles must not see."""
    found = report(day)
    if found.status == "open":
        raise Unknown(f"{day} is not closed yet: its report is given out when it is")
    counts = blind.may_count(roles)
    if any(blind.is_sealed(box, counts=counts) for box in found.beside.boxes):
        raise Unknown(f"a box of {day} is sealed: its report is given out when it is counted")
    last = found.ledger.closings.days[day].last
    return {**found.said, "layout": last.layout, "status": found.status, "digest": last.digest}
