"""Queries for all events that name a person or a thing.

Players, dealers and tables are columns of the log. Other names are in a field of the event: a drop box, a slip, a die,
a progressive. They are searched in the few types that have the field. A shoe's cards are those of its table until the
next shoe is loaded there. A name is searched in both spellings of Unicode, as old events may have either.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from django.db.models import Q, QuerySet

from events.catalogue import event_types
from events.settings.settings_from_environment import settings
from events.tables.event_types.progressive import HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.shoe_and_dealt_cards import ShoeLoaded
from events.text.id_spelling_normalization import spellings
from projections.eventlog.models import EventLog

MOST = 5_000  # events of a timeline; by day there is more
LOOKED_AT = 20_000  # of the types that may name a thing, the newest

Log: TypeAlias = "QuerySet[EventLog, EventLog]"
# The events of the log for a name, and whether the search covered all.
Asks: TypeAlias = Callable[[Log, str], tuple[Q, bool]]


def types_with(*fields: str) -> list[str]:
    """Return the types of events with one of these fields."""
    return [name for name, shape in event_types().items() if set(fields) & set(shape.__struct_fields__)]


def _equal(column: str) -> Asks:
    """Return the condition for events with this value in a column of the log."""
    return lambda _log, name: (Q(**{f"{column}__in": spellings(name)}), True)


def _saying(*fields: str) -> Asks:
    """Return the condition for events with this name in one of these fields, alone or among others."""

    def asks(log: Log, name: str) -> tuple[Q, bool]:
        return _name_condition(log.filter(type__in=types_with(*fields)), fields, name)

    return asks


def _name_condition(rows_searched: Log, fields: Sequence[str], name: str) -> tuple[Q, bool]:
    rows = rows_searched.order_by("-position").values_list("position", "raw")[: LOOKED_AT + 1]
    naming, looked_at = list[int](), 0
    for position, raw in rows.iterator():
        looked_at += 1
        if _has_name(bytes(raw), fields, name):
            naming.append(position)
    return Q(position__in=naming[: MOST + 1]), looked_at <= LOOKED_AT and len(naming) <= MOST


def _of_progressive(log: Log, name: str) -> tuple[Q, bool]:
    """Return the condition for a progressive: its own events, and table events about it, as armed rounds and hits."""
    at_tables = [shape.TYPE for shape in (ProgressiveArmed, HitDeclared, HitDeclaredLate)]
    naming, is_whole = _name_condition(log.filter(type__in=at_tables), ("progressive",), name)
    return naming | Q(stream=f"{settings().property_}/progressives/{name}"), is_whole


def _has_name(raw: bytes, fields: Sequence[str], name: str) -> bool:
    data = msgspec.json.decode(raw)["data"]
    return any(is_said(data.get(field), spelling) for field in fields for spelling in spellings(name))


def is_said(value: Any, name: str) -> bool:
    """Return whether a name is this value, or in it, also of values with a serial. Results of dice do not count."""
    return name in names_of(value) if isinstance(value, list) else value is not None and str(value) == name


def names_of(value: Any) -> list[str]:
    """Return the names in a list, also of things with a serial. The faces of dice are no names."""
    named = (
        [item.get("serial") if isinstance(item, dict) else item for item in value] if isinstance(value, list) else []
    )
    return [name for name in named if isinstance(name, str)]


def of_shoe(log: Log, name: str) -> tuple[Q, bool]:
    """Return its loading, and the cards of its table until the next one is loaded there."""
    return of_shoes(log, lambda shoe: shoe in spellings(name))


def of_shoes(log: Log, is_meant: Callable[[str], bool]) -> tuple[Q, bool]:
    """Return the condition for events of several shoes."""
    loaded = log.filter(type=ShoeLoaded.TYPE).order_by("position").values_list("stream", "position", "raw")
    cards, since = Q(position__in=[]), dict[str, int]()
    for stream, position, raw in loaded:
        if (began := since.pop(stream, None)) is not None:
            cards |= _cards(stream, began) & Q(position__lt=position)
        if is_meant(str(msgspec.json.decode(bytes(raw))["data"].get("shoe"))):
            since[stream] = position
    for stream, began in since.items():
        cards |= _cards(stream, began)
    return cards, True


def _of_slip(log: Log, name: str) -> tuple[Q, bool]:
    """Return the condition for a slip, by its name, fill-2026-1, or by its number in any series."""
    condition, is_whole = _name_condition(log.filter(type__in=types_with("slip")), ("slip",), name)
    return condition | Q(correlation__in=spellings(name)), is_whole


def _cards(stream: str, began: int) -> Q:
    return Q(stream=stream, position__gte=began, type__in=types_with("card", "shoe"))


KINDS: Mapping[str, Asks] = {
    "player": _equal("player"),
    "dealer": _equal("dealer"),
    "table": _equal("table"),
    "shoe": of_shoe,
    "dice": _saying("dice", "serials"),
    "drop-box": _saying("drop_box"),
    "slip": _of_slip,
    "progressive": _of_progressive,
}
