"""The vocabulary of filters: search fields of events in the log, the store, on pages, in the API and the docs.

Each filter is one object. It has one name for all uses, its kind of value and its place in an event. It also has its
query on the log's columns, and the sentence that explains it. All offers of filters use these objects.
`in_log` and `in_store` find the events of any mix of filters.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.store import EventReader, everything
from projections.eventlog.models import EventLog

Kind: TypeAlias = Literal["text", "day", "number", "amount"]
Compare: TypeAlias = Literal["", "gte", "lte"]


class Filter(msgspec.Struct, frozen=True):
    """`field` is the envelope's where `in_data` is False; `column` the log's ("": no column holds it).

    A filter with `has_versions` takes a name, for every version, or one version: "roulette-french@1". An event without
    a version has the first one.
    """

    name: str
    label: str | Promise
    sentence: str
    kind: Kind = "text"
    field: str = ""
    column: str = ""
    in_data: bool = True
    compare: Compare = ""
    has_versions: bool = False

    @property
    def lookup(self) -> str:
        """Return Django's lookup of the log's column; with `__in` for one of several values."""
        ranged = "position" if self.kind == "number" else "amount_minor"
        return f"{ranged}__{self.compare}" if self.compare else self.column

    @property
    def is_number(self) -> bool:
        """Return whether its values are whole numbers; people write amounts in major units."""
        return self.kind == "number"

    def asks(self, wanted: Sequence[Any]) -> Q:
        """Return the query for rows with one of these values."""
        if not self.has_versions:
            return Q(**({self.lookup: wanted[0]} if self.compare else {f"{self.lookup}__in": wanted}))
        names = [stamp.partition("@")[0] for stamp in wanted if taken_ruleset(stamp.partition("@")[0]).stamp == stamp]
        condition = Q(**{f"{self.lookup}__in": [*wanted, *names]})
        for stamp in wanted:
            condition |= Q() if "@" in stamp else Q(**{f"{self.lookup}__startswith": f"{stamp}@"})
        return condition

    def finds(self, event: Mapping[str, Any], wanted: Sequence[Any]) -> bool:
        """Return whether an event has one of these values."""
        return self.means(self.value_in(event), wanted)

    def means(self, field_value: Any, wanted: Sequence[Any]) -> bool:
        """Return whether a field's value matches one of those wanted."""
        if not self.has_versions or not isinstance(field_value, str):
            return field_value in wanted
        return not {field_value, field_value.partition("@")[0], taken_ruleset(field_value).stamp}.isdisjoint(wanted)

    def value_in(self, event: Mapping[str, Any]) -> Any:
        """Return an event's value of this field; None where it does not have one."""
        return (event["data"] if self.in_data else event).get(self.field)


def _in_data(name: str, label: str | Promise, sentence: str, kind: Kind = "text") -> Filter:
    return Filter(name, label, sentence, kind, field=name, column=name)


def _in_envelope(name: str, label: str | Promise, sentence: str, field: str = "") -> Filter:
    return Filter(name, label, sentence, field=field or name, column=name, in_data=False)


# In the order of the log's columns: the projector fills them by it.
OF_DATA = (
    _in_data("pit", _("pit"), "Only events of this pit"),
    _in_data("table", _("table"), "Only events of this table"),
    _in_data("gaming_day", _("gaming day"), "Only events of this gaming day, as 2026-11-20", "day"),
    _in_data("shift", _("shift"), "Only events of this shift"),
    _in_data("round", _("round"), "Only events of this round of its table", "number"),
    _in_data("dealer", _("dealer"), "Only events while this person dealt"),
    _in_data("inspector", _("inspector"), "Only events while this person inspected"),
    _in_data("seat", _("seat"), "Only events of this seat", "number"),
    _in_data("box", _("box"), "Only events of this betting box", "number"),
    _in_data("player", _("player"), "Only events about this player"),
    _in_data("amount_minor", _("amount"), "Only of exactly this amount, in minor units", "number"),
    _in_data("tender", _("tender"), "Only events with this tender: cash, chips, promotional or marker"),
    Filter(
        "ruleset",
        _("ruleset"),
        "Only events under this ruleset: any version as craps-gr, one version as craps-gr@1",
        field="ruleset",
        column="ruleset",
        has_versions=True,
    ),
    _in_data("corrects", _("corrects"), "Only corrections of the event with this id"),
    _in_data("wager", _("wager"), "Only events about this kind of bet"),
    _in_data("outcome", _("outcome"), "Only bets with this outcome"),
)
OF_ENVELOPE = (
    _in_envelope("type", _("type"), "Only events of this type"),
    _in_envelope("stream", _("stream"), "Only of this stream", "subject"),
    _in_envelope("actor", _("actor"), "Only events of this person"),
    _in_envelope("actorrole", _("role"), "Only events in this role"),
    _in_envelope("device", _("device"), "Only events of this device", "actordevice"),
    _in_envelope("correlation", _("belongs to"), "Only events of this round, hit or slip"),
    _in_envelope("causation", _("key"), "Only events of the action with this key"),
)
RANGES = (
    Filter("first", _("from event"), "Only events at this position and after it", "number", compare="gte"),
    Filter("last", _("to event"), "Only events up to this position", "number", compare="lte"),
    Filter(
        "from",
        _("amount from"),
        "Smallest amount, in units of its currency: 1250.50",
        "amount",
        compare="gte",
    ),
    Filter(
        "to",
        _("amount to"),
        "Largest amount, in units of its currency: 1250.50",
        "amount",
        compare="lte",
    ),
)
# Filters without a column of their own; each place that offers one brings its own query.
BEYOND = (
    Filter("q", _("search"), "Part of the name of an event type, or a whole name that an event contains"),
    Filter("sum", _("what counts as"), "Only events that are part of this sum"),
    Filter("meter", _("meter"), "PROGRESSIVE/LEVEL, for sums of a level's meter"),
)
EXACT = (*OF_ENVELOPE, *OF_DATA)
VOCABULARY = {searchable.name: searchable for searchable in (*EXACT, *RANGES, *BEYOND)}

PAGE = 1_000
Filters = Mapping[str, Any]  # by name: a value, or a list of which one is meant
PositionedEvent = tuple[int, bytes]  # position and the event's own bytes


def in_log(
    filters: Filters, after: int = 0, until: int | None = None, using: str = "default"
) -> Iterator[PositionedEvent]:
    """Events of the log beyond a position, oldest first: a query a page, none deeper than its page."""
    rows = EventLog.objects.using(using).filter(
        *(VOCABULARY[name].asks(_wanted_values(value)) for name, value in filters.items())
    )
    if until is not None:
        rows = rows.filter(position__lte=until)
    while page := list(rows.after(after).values_list("position", "raw")[:PAGE]):
        for position, raw in page:
            yield position, bytes(raw)
        after = page[-1][0]


def in_store(store: EventReader, filters: Filters, after: int = 0) -> Iterator[PositionedEvent]:
    """Return the same from the store, by type, from a position to its end."""
    types = _wanted_values(filters.get("type", ()))
    for event in everything(store, after, types):
        if _matches(event.raw, filters):
            yield event.position, event.raw


def _wanted_values(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _matches(raw: bytes, filters: Filters) -> bool:
    if not filters:
        return True
    try:
        event = msgspec.json.decode(raw)
        return all(VOCABULARY[name].finds(event, _wanted_values(value)) for name, value in filters.items())
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError):
        return False  # a record that is no event is found without filters only
