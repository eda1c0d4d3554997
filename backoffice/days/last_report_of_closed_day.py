"""The report of a closed day, to be issued: the figures that it was closed with, or restated with last."""

from collections.abc import Collection
from typing import Any

from backoffice.days.day_report_from_rows import report
from backoffice.event_log import figures_hidden_before_counts
from events.error_codes import coded
from events.errors import Unknown


def last_report(day: str, roles: Collection[str]) -> dict[str, Any]:
    """Return the canonical figures with status and digest, without those of the progressives and the journal.

    Raises Unknown for a day that is not closed, and while it contains figures hidden from these roles.
    """
    day_report = report(day)
    if day_report.status == "open":
        raise Unknown(coded("day-report-not-closed", day=day))
    counts = figures_hidden_before_counts.may_count(roles)
    if any(figures_hidden_before_counts.is_sealed(box, counts=counts) for box in day_report.other_rows.boxes):
        raise Unknown(coded("day-report-sealed", day=day))
    last = day_report.ledger.closings.days[day].last
    return {**day_report.figures, "layout": last.layout, "status": day_report.status, "digest": last.digest}
