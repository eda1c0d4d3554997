"""Report of a gaming day around its canonical figures: status, digest, checklist."""

from typing import Any

from events.accounting.report import day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import CheckedItem, checklist
from events.accounting.report.day_reports import MadeReport
from events.error_codes import json_params
from events.store import EventReader

# In the order in which people look for them.
_FIRST = ("layout", "day", "currency", "as_of", "restatement")


def report(
    history: EventReader, property_: str, gaming_day: str, position: int, programs: SystemState
) -> dict[str, Any]:
    """Return the whole report, as JSON. Raises Unknown for a day without events by then."""
    return whole(day_reports.make(history, property_, gaming_day, position), programs)


def whole(report_made: MadeReport, programs: SystemState) -> dict[str, Any]:
    """Return the canonical figures with status, digest and checklist."""
    day = report_made.figures["day"]
    first = {name: report_made.figures[name] for name in _FIRST}
    rest = {name: value for name, value in report_made.figures.items() if name not in _FIRST}
    items = [_item(check) for check in checklist(report_made.ledger, day, programs)]
    return {**first, "status": report_made.basis.status, "digest": report_made.digest, **rest, "checklist": items}


def _item(check: CheckedItem) -> dict[str, Any]:
    """`detail` is English; people read the sentence of its code."""
    code, params = (check.text.code, json_params(check.text)) if check.text is not None else ("", {})
    return {"item": check.item, "holds": check.holds, "detail": check.detail, "code": code, "params": params}
