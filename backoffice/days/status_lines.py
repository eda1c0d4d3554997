"""Report of a gaming day around its canonical figures: status, digest, checklist."""

from typing import Any

import msgspec

from events.accounting.report import day_reports
from events.accounting.report.checklist import Checked, checklist
from events.accounting.report.day_reports import Made
from events.accounting.report.program_reports import Around
from events.store import Past

# In the order in which people look for them.
_FIRST = ("layout", "day", "currency", "as_of", "restatement")


def report(past: Past, property_: str, gaming_day: str, position: int, programs: Around) -> dict[str, Any]:
    """Return the whole report, as JSON. Raises Unknown for a day without events by then."""
    return whole(day_reports.make(past, property_, gaming_day, position), programs)


def whole(report_made: Made, programs: Around) -> dict[str, Any]:
    """Return the canonical figures with status, digest and checklist."""
    day = report_made.figures["day"]
    first = {name: report_made.figures[name] for name in _FIRST}
    rest = {name: value for name, value in report_made.figures.items() if name not in _FIRST}
    items = [_item(check) for check in checklist(report_made.ledger, day, programs)]
    return {**first, "status": report_made.basis.status, "digest": report_made.digest, **rest, "checklist": items}


def _item(check: Checked) -> dict[str, Any]:
    return dict(msgspec.to_builtins(check))
