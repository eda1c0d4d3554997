"""The table inventory sheet (the stiff sheet): for each shift, the opener of a tray, its movements, and its closer."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from events import catalogue
from events.envelope import AnyEnvelope
from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.counts import ShiftCounted
from events.tables.event_types.money import CreditReturned, CreditSent, FillReceived
from events.tables.event_types.session import SessionClosed, SessionOpened, SessionRolled
from projections.eventlog.models import EventLog

_SHAPES = (SessionOpened, ShiftCounted, SessionClosed, SessionRolled, FillReceived, CreditSent, CreditReturned)
Pieces = dict[int, int]


class TraySheet(msgspec.Struct, kw_only=True):
    """A table's shift in pieces. `end` is None while it runs; `counted` are the counters of both, where they are
    named.
    """

    table: str
    shift: str
    begin: Pieces
    fills: Counter[int] = msgspec.field(default_factory=Counter)
    credits: Counter[int] = msgspec.field(default_factory=Counter)
    end: Pieces | None = None
    counted: tuple[str, str] = ("", "")

    @property
    def chips(self) -> list[int]:
        """Every denomination of it, the highest first."""
        return sorted({*self.begin, *self.fills, *self.credits, *(self.end or {})}, reverse=True)


def trays(of: ReportSubject) -> Iterator[Row]:
    """Yield a line for each denomination, and one for their total."""
    for sheet in sheets(of.day):
        yield from (_chip(sheet, chip) for chip in sheet.chips)
        yield _total(sheet)


def sheets(day: str) -> list[TraySheet]:
    """Return the sheets by table, in the order of their shifts. One query."""
    by_stream: dict[str, list[TraySheet]] = {}
    rows = EventLog.objects.filter(gaming_day=day, type__in=[shape.TYPE for shape in _SHAPES]).order_by("position")
    for stream, type_, raw in rows.values_list("stream", "type", "raw"):
        _take(by_stream.setdefault(stream, []), catalogue.decode(type_, bytes(raw)))
    return sorted(
        (sheet for table_sheets in by_stream.values() for sheet in table_sheets), key=lambda sheet: sheet.table
    )


def _take(sheets: list[TraySheet], event: AnyEnvelope) -> None:
    data: Any = event.data
    if isinstance(data, SessionOpened):
        sheets.append(
            TraySheet(table=data.table, shift=data.shift, begin=data.opener, counted=(_counters_of(event), ""))
        )
    elif isinstance(data, ShiftCounted):
        _add_end_count(sheets[-1], data.chips, event)
        sheets.append(
            TraySheet(table=data.table, shift=data.next_shift, begin=data.chips, counted=(_counters_of(event), ""))
        )
    elif isinstance(data, SessionClosed | SessionRolled):
        _add_end_count(sheets[-1], data.closer, event)
    elif isinstance(data, FillReceived):
        sheets[-1].fills.update(data.chips)
    elif isinstance(data, CreditSent):
        sheets[-1].credits.update(data.chips)
    else:
        sheets[-1].credits.subtract(data.chips)


def _add_end_count(sheet: TraySheet, pieces: Pieces, event: AnyEnvelope) -> None:
    sheet.end, sheet.counted = pieces, (sheet.counted[0], _counters_of(event))


def _counters_of(event: AnyEnvelope) -> str:
    """Return the counters: the actor and the second person; at a close without one, the dealer on duty."""
    data: Any = event.data
    second = data.witness or (data.dealer if isinstance(data, SessionClosed | SessionRolled) else None)
    return ", ".join(dict.fromkeys(person for person in (event.actor, second) if person))


def _chip(sheet: TraySheet, chip: int) -> Row:
    end = None if sheet.end is None else sheet.end.get(chip, 0)
    pieces = {
        "opener": sheet.begin.get(chip, 0),
        "fills": sheet.fills[chip],
        "credits": sheet.credits[chip],
        "closer": end,
    }
    return {
        "table": sheet.table,
        "shift": sheet.shift,
        "chip_minor": chip,
        **{f"{name}_pieces": number for name, number in pieces.items()},
        **{f"{name}_minor": None if number is None else chip * number for name, number in pieces.items()},
        "opener_counted_by": "",
        "closer_counted_by": "",
    }


def _total(sheet: TraySheet) -> Row:
    opener_by, closer_by = sheet.counted
    return {
        "table": sheet.table,
        "shift": sheet.shift,
        "chip_minor": "total",
        **{f"{name}_pieces": None for name in ("opener", "fills", "credits", "closer")},
        "opener_minor": worth(sheet.begin),
        "fills_minor": worth(sheet.fills),
        "credits_minor": worth(sheet.credits),
        "closer_minor": None if sheet.end is None else worth(sheet.end),
        "opener_counted_by": opener_by,
        "closer_counted_by": closer_by,
    }
