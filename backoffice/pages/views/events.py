"""The log: found by any filter, opened event by event, exported."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.http import Http404, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from backoffice.access.looks import SEARCH
from backoffice.kit.acts import may_send
from backoffice.kit.looking import AN_EXPORT, Looks
from backoffice.kit.page import Address, Asked, Endpoint, Menu, Page, Schema
from backoffice.kit.visit import Visit
from backoffice.people import directory
from backoffice.people.open_to import TABLES
from backoffice.queries import about, currencies, log
from backoffice.queries.accounts import blind
from backoffice.queries.filters import BIGGEST, OFFERED, Filters, counting, label, read_filters, whole
from backoffice.queries.floor import days
from backoffice.queries.meters import LEVEL_SUMS
from backoffice.queries.sums import SUMS
from backoffice.queries.words import word, words
from events import kinds
from events.catalogue import event_types
from events.errors import Invalid
from events.tables.types.money import BuyinMade
from projections.eventlog.filters import Filter
from projections.eventlog.models import EventLog

PEOPLE = frozenset({"actor", "dealer", "inspector"})
CODED = frozenset({"wager", "tender", "actorrole"})


class Chip(msgspec.Struct, frozen=True):
    """A filter in force, with the query string without it."""

    label: str
    value: str
    words: str
    without: str


class Logged(msgspec.Struct, frozen=True):
    """An event with its place in the store, and its own bytes."""

    position: int
    event: msgspec.Raw


class Events(msgspec.Struct, frozen=True):
    """A page of the log, newest first; go on with `before=older` or `after=newer`, null where there is no more."""

    events: tuple[Logged, ...]
    older: int | None
    newer: int | None


def _log(visit: Visit) -> HttpResponse:
    """A page of the log, newest first. A position or an event's id in the search leads to that event."""
    filters, errors = _filters_of(visit.asked)
    if (position := _exactly(filters.q)) is not None:
        return HttpResponseRedirect(reverse("event", args=[position]))
    before, after = _places(visit.asked, errors)
    known = currencies.by_place()
    page = log.page(filters, before, after, known=known)
    visit.looking.found = len(page.rows)
    context: dict[str, Any] = {
        "filters": filters,
        "given": filters.given,
        "errors": errors,
        "log": page,
        "totals": log.totals(filters, log.TOTAL_AT_ONCE),
        "sum": counting(filters.sum, filters.meter) if filters.sum else None,
        "types": _types(filters.types),
        "only": filters.types if len(filters.types) == 1 else (),
        "days": days().days,
        "query": filters.query(),
        "chips": list(_chips(visit, filters)),
        "kept": filters.beyond_the_form(),
        "currency": currencies.only(known),
    }
    return visit.render(status=400 if errors else 200, **context)


def _filters_of(asked: Asked) -> tuple[Filters, dict[str, str]]:
    """What is asked for, without what is kept from who asks, and what of it could not be read."""
    filters, errors = read_filters(asked.parameters)
    return msgspec.structs.replace(filters, kept_back=tuple(sorted(blind.streams(asked.reader.roles)))), errors


def _chips(visit: Visit, filters: Filters) -> Iterator[Chip]:
    """The filters in force in words: codes as people say them, people by name for who may know it."""
    names = directory.names_for(visit.reader) if PEOPLE.intersection(filters.given) else {}
    for name, value in filters.given.items():
        said = names.get(value, value) if name in PEOPLE else in_words(name, value, filters)
        yield Chip(label(name), value, said, filters.without(name))


def in_words(name: str, value: str, filters: Filters) -> str:
    """What a filter is set to, as people say it."""
    if name == "type":
        return words(filters.types)
    if name == "sum":
        return str(counting(filters.sum, filters.meter).label)
    return word(value, name) if name in CODED else value


def _types(asked_for: Sequence[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every type of event, and what somebody asks for besides, with its word: by where it happens."""
    found: dict[str, list[tuple[str, str]]] = {}
    for type_ in (*event_types(), *(one for one in asked_for if one not in event_types())):
        found.setdefault(_where(type_), []).append((type_, word(type_)))
    return [(where, sorted(several, key=lambda one: one[1])) for where, several in found.items()]


def _where(type_: str) -> str:
    """The kind of stream that a type of event belongs to, by its title."""
    shape = event_types().get(type_)
    kind = next((one for one in kinds.declared().values() if shape and shape.__module__ in one.types), None)
    return _("Of every kind") if kind is None else gettext(kind.title)


def _logged(asked: Asked) -> Events:
    """The same for programs, with the events' bytes; what cannot be read is refused."""
    filters, errors = _filters_of(asked)
    for field, message in errors.items():
        raise Invalid(field, message)
    asked_for = whole(asked.parameters, "limit")
    size = log.PAGE if asked_for is None else asked_for
    if not 1 <= size <= log.PAGE_MAX:
        raise Invalid("limit", f"1 to {log.PAGE_MAX} events at a time")
    page = log.page(filters, whole(asked.parameters, "before"), whole(asked.parameters, "after"), size)
    positions = [row.position for row in page.rows]
    raw = dict(EventLog.objects.filter(position__in=positions).values_list("position", "raw"))
    found = tuple(Logged(position, msgspec.Raw(bytes(raw[position]))) for position in positions)
    return Events(found, page.older, page.newer)


def _total(visit: Visit) -> HttpResponse:
    """The sum over a filter that finds more than the page adds up at once."""
    filters, _errors = _filters_of(visit.asked)
    context: dict[str, Any] = {
        "totals": log.totals(filters, log.TOTAL_MAX),
        "sum": counting(filters.sum, filters.meter) if filters.sum else None,
        "is_whole": True,
    }
    return visit.render("pages/events_total.html", filters=filters, **context)


def _event(visit: Visit) -> HttpResponse:
    """One event: its bytes set out to be read, and its place in the chain."""
    position = visit.place("position")
    found = log.event(position)
    if found is None:
        raise Http404(_("There is no event at position %(position)d.") % {"position": position})
    if found.row.type == BuyinMade.TYPE and found.row.stream in blind.streams(visit.reader.roles):
        raise Http404(_("What was bought in there is told when it is counted."))
    pretty = msgspec.json.format(found.raw, indent=2).decode()
    template = "pages/event_detail.html" if visit.request.headers.get("HX-Request") else ""
    dos, hit = about.event(position)
    mine = [one for one in dos if may_send(visit.reader, one.kind, one.type)]
    return visit.render(template, event=found, pretty=pretty, dos=mine, hit=hit)


def _export(visit: Visit) -> StreamingHttpResponse | HttpResponse:
    """The filtered log as CloudEvents, one JSON object a line, oldest first: the bytes of the store."""
    filters, errors = _filters_of(visit.asked)
    if errors:
        text = "\n".join(f"{field}: {message}" for field, message in errors.items())
        return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")
    response = StreamingHttpResponse(visit.looking.sent(log.export(filters)), content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(filters)}"'
    return response


def _exactly(words: str) -> int | None:
    """The position that a search names: by number, or by the event's id."""
    if words.isascii() and words.isdecimal() and len(words) < 19:
        return int(words)
    return log.position_of(words) if "@" in words else None


def _places(asked: Asked, errors: dict[str, str]) -> tuple[int | None, int | None]:
    try:
        return whole(asked.parameters, "before"), whole(asked.parameters, "after")
    except Invalid as error:
        errors["before"] = error.message
        return None, None


def _file_name(filters: Filters) -> str:
    parts = [filters.table, filters.gaming_day, filters.sum, *filters.types[:1]]
    kept = "".join(c if c.isalnum() or c in "-." else "-" for c in "-".join(part for part in parts if part))
    return f"pitledger-events{'-' if kept else ''}{kept}.jsonl"


_WHOLE = {"type": "integer", "minimum": 0, "maximum": BIGGEST}
_PAGE = {
    "before": _WHOLE | {"description": "Events in front of this position, newest first"},
    "after": _WHOLE | {"description": "The events right behind this position"},
    "limit": {"type": "integer", "minimum": 1, "maximum": log.PAGE_MAX, "default": log.PAGE},
}


def _filters() -> dict[str, Schema]:
    """What the log is filtered by, in the words of its vocabulary."""
    found = {name: _shape(one) | {"description": one.sentence} for name, one in OFFERED.items()}
    found["type"] = {"type": "array", "items": {"type": "string"}, "description": "Only events of these types"}
    found["sum"] = {"enum": [*SUMS, *LEVEL_SUMS], "description": OFFERED["sum"].sentence}
    return found


def _shape(one: Filter) -> Schema:
    return _WHOLE if one.is_number else {"type": "string"}


EVENTS = Page(
    name="events",
    path="events",
    title=gettext_lazy("Events"),
    open_to=TABLES,
    template="pages/events.html",
    view=_log,
    menu=Menu(gettext_lazy("Events"), "e", gettext_lazy("go to the events")),
    endpoint=Endpoint(
        name="events",
        path="events",
        answer=Events,
        meaning="A page of the log by the filters of the log's page, `before`, `after` and `limit`.",
        query=_logged,
        parameters=_filters() | _PAGE,
    ),
    looks=Looks(SEARCH, lambda found: len(found.events)),
    also=(
        Address("events-total", "events/total", _total),
        Address("events-export", "events/export.jsonl", _export, looks=AN_EXPORT),
    ),
)
EVENT = Page(
    name="event",
    path="events/<int:position>",
    title=gettext_lazy("Event"),
    open_to=TABLES,
    template="pages/event.html",
    view=_event,
    under="events",
)
