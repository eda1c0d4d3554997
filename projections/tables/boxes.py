"""The drop boxes of a table's day, by the fold of the accounts: what is counted as counted, the rest as recorded.

So the floor and the accountant's day say the same of a drop, wherever its boxes were counted.
"""

import msgspec

from events.accounting import tables
from events.accounting.boxes import contents
from events.accounting.happened import Happened
from events.accounting.lines import drop_of, is_counted
from events.accounting.shifts import TableDay as Tray
from events.accounting.types.count import CountSettled
from projections.engine.events import Event
from projections.tables.models import TableDay

_decoder = msgspec.json.Decoder(Tray)


def stream_of(event: Event) -> str:
    """The stream of the table that an event is about: a box's count stands in that of the day."""
    return tables.stream_of(_fact(event))


def take(row: TableDay, event: Event) -> None:
    """The row after one more event of the tray or of a box."""
    tray = tables.evolve_day(_decoder.decode(row.boxes) if row.boxes else None, _fact(event))
    row.boxes = "" if tray is None else msgspec.json.encode(tray).decode()
    row.by_count_room = row.by_count_room or isinstance(event.data, CountSettled)
    if tray is not None:
        _drop(row, tray)


def _drop(row: TableDay, tray: Tray) -> None:
    counted = [is_counted(tray, shift) for shift in tray.shifts]
    drop = contents(drop_of(shift, counted=done) for shift, done in zip(tray.shifts, counted, strict=True))
    row.beyond_record_minor = drop.net - row.buyins_cash_minor - row.buyins_marker_minor
    row.drop_minor = row.drop_promotional_minor = None
    if all(counted):
        row.drop_minor, row.drop_promotional_minor = drop.net + drop.promotional, drop.promotional
        row.status = "counted"


def _fact(event: Event) -> Happened:
    return Happened(event.position, event.stream, event.envelope.actor, event.data, event.id)
