"""Look up a slip for a table, once: the slip that the cage issued under its number, and whether it is settled.

An action of this kind occurs a few times an hour and costs two look-ups by key. A house without a cage is recognised
first.
"""

from events import catalogue
from events.accounting.event_types.cage import CageOpened
from events.controls.slip_issued_event import SlipIssued, Way, business_year, issued_key, name_of, settled_key
from events.streams.stream_kind_declaration import StreamView
from events.tables.actions.buyins_fills_credits_drop import ReceiveFill, SendCredit
from events.tables.table_session_state_structs import NOTHING, Session, TableContext


def slip_context(view: StreamView, table: Session, data: ReceiveFill | SendCredit) -> TableContext:
    """The slip that is received or sent."""
    if not has_cage(view):
        return NOTHING
    slip = _issued_slip(view, table, data)
    name = name_of(_slip_kind(data), slip.year, slip.slip) if slip is not None else ""
    is_settled = bool(slip is not None and view.store.keys([settled_key(view.property, name)]))
    return TableContext(settings=view.property_state("house").settings, has_cage=True, slip=slip, is_settled=is_settled)


def has_cage(view: StreamView) -> bool:
    """Return whether the house has ever opened one. Reports of a cage's earlier work open none."""
    return view.read_once("the cage was opened", lambda: _first_opening(view)) is not None


def _first_opening(view: StreamView) -> int | None:
    if view.store.last_stream(f"{view.property}/cage/") is None:
        return None
    return next((event.position for event in view.store.after(0, 1, (CageOpened.TYPE,))), None)


def _slip_kind(data: ReceiveFill | SendCredit) -> Way:
    return "fill" if isinstance(data, ReceiveFill) else "credit"


def _issued_slip(view: StreamView, table: Session, data: ReceiveFill | SendCredit) -> SlipIssued | None:
    """Return the slip of the series of the table's day, or of the one before."""
    year = business_year(table.gaming_day, view.property_state("house").settings)
    years = (data.year,) if data.year is not None else (year, str(int(year) - 1))
    candidates = (_of_the_series(view, name_of(_slip_kind(data), series_year, data.slip)) for series_year in years)
    return next((slip for slip in candidates if slip is not None), None)


def _of_the_series(view: StreamView, name: str) -> SlipIssued | None:
    """Return the slip of a series. An issued slip never changes."""
    return view.read_once(name, lambda: _read_slip(view, name))


def _read_slip(view: StreamView, name: str) -> SlipIssued | None:
    """Return the event under whose key the slip was issued."""
    key = view.store.keys([issued_key(view.property, name)]).get(issued_key(view.property, name))
    if key is None:
        return None
    read = view.store.stream(key.stream, after=key.first - 1, limit=key.count)
    data = [catalogue.decode(stored.type, stored.raw).data for stored in read]
    return next((event for event in data if isinstance(event, SlipIssued)), None)
