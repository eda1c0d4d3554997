"""The one currency of a property: that of the setting, else of its first table, else of its first progressive.

A store of earlier days may hold tables in two currencies. The property's is then that of the first.
"""

from collections.abc import Iterator

from events import catalogue
from events.envelope import AnyEnvelope
from events.money.single_currency_rule import DEFAULT
from events.store import EventReader, everything
from events.streams.stream_kind_declaration import StreamView

# Types are named by their stable names: floor, house and progressives ask this module.
_SET, _INSTALLED, _OPENED = "setting.changed.v1", "table.installed.v1", "progressive.opened.v1"


def of_property(history: EventReader, property_: str) -> str:
    """Return the present currency of a property; EUR where none is established."""
    return established(history, property_) or DEFAULT


def established(history: EventReader, property_: str, until: int | None = None) -> str:
    """Return the currency of a property by position `until` (None: now); "" where it is not set yet."""
    changes = [event.data for event in _events(history, property_, "house", _SET, until)]
    values = [change.value for change in changes if change.setting == "currency"]
    if values and values[-1]:
        return str(values[-1])
    first = next(_events(history, property_, "floor", _INSTALLED, until), None)
    return str(first.data.currency) if first is not None else first_opened(history, property_, until)


def first_opened(history: EventReader, property_: str, until: int | None = None) -> str:
    """Return the currency of a property's first progressive; "" without one."""
    first = next(_events(history, property_, "progressives", _OPENED, until), None)
    return "" if first is None else str(first.data.currency)


def streams_in_other_currency(history: EventReader, property_: str, currency: str) -> frozenset[str]:
    """Return the streams, without days, of tables and progressives in another currency than this one of the property's.

    Only a store of earlier days has any.
    """
    tables = _events(history, property_, "floor", _INSTALLED, None)
    opened = _events(history, property_, "progressives", _OPENED, None)
    currencies = {f"{property_}/tables/{event.data.table}": event.data.currency for event in tables}
    currencies |= {f"{property_}/progressives/{event.data.progressive}": event.data.currency for event in opened}
    return frozenset(stream for stream, of in currencies.items() if of != currency)


def left_out(history: EventReader, property_: str) -> str:
    """Return a sentence about places in another currency, which no total of the property includes; "" without such
    places.
    """
    currency = of_property(history, property_)
    names = sorted(stream.partition("/")[2] for stream in streams_in_other_currency(history, property_, currency))
    return f"not in {currency}, and in no sum of it: {', '.join(names)}" if names else ""


def is_below(stream: str, places: frozenset[str]) -> bool:
    """Say whether a stream is one of these places', with or without a day."""
    return stream in places or stream.rpartition("/")[0] in places


def _events(
    history: EventReader, property_: str, kind: str, event_type: str, until: int | None
) -> Iterator[AnyEnvelope]:
    place = f"{property_}/{kind}"
    for stored in everything(history, types=(event_type,), until=until):
        if stored.stream == place or stored.stream.startswith(f"{place}/"):
            yield catalogue.decode(stored.type, stored.raw)


def bound(view: StreamView) -> str:
    """Return the same for a decision: its append fails where house or floor have changed since."""
    return (
        view.property_state("house").settings.currency or view.property_state("floor").currency or opened_by_now(view)
    )


def opened_by_now(view: StreamView) -> str:
    """Return the currency of the first progressive, read once; "" without one.

    The opening of the first one records its ruleset on the floor, so a decision that depends on the floor sees it.
    """
    return (
        view.read_once(f"{view.property}: first progressive", lambda: first_opened(view.store, view.property) or None)
        or ""
    )
