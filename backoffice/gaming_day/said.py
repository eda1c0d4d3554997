"""What the report of a gaming day says besides its canonical figures: its status, its digest, its checklist."""

from typing import Any

import msgspec

from events.accounting.report import made
from events.accounting.report.around import Around
from events.accounting.report.checklist import Checked, checklist
from events.accounting.report.made import Made
from events.store import Past

# In the order in which people look for them.
_FIRST = ("layout", "day", "currency", "as_of", "restatement")


def report(past: Past, property_: str, gaming_day: str, position: int, around: Around) -> dict[str, Any]:
    """All of it, as JSON. Raises Unknown for a day of which there is nothing by then."""
    return whole(made.make(past, property_, gaming_day, position), around)


def whole(found: Made, around: Around) -> dict[str, Any]:
    """The canonical figures with what stands beside them."""
    day = found.figures["day"]
    first = {name: found.figures[name] for name in _FIRST}
    rest = {name: value for name, value in found.figures.items() if name not in _FIRST}
    items = [_item(one) for one in checklist(found.ledger, day, around)]
    return {**first, "status": found.basis.status, "digest": found.digest, **rest, "checklist": items}


def _item(one: Checked) -> dict[str, Any]:
    return dict(msgspec.to_builtins(one))
