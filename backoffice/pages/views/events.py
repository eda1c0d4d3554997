"""The log: found by any filter, opened event by event, exported."""

from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from backoffice.pages.views.render import render
from backoffice.queries import currencies, log
from backoffice.queries.filters import Filters, counting, label, read_filters, whole
from backoffice.queries.floor import days
from backoffice.readers import reads
from events.catalogue import event_types
from events.errors import Invalid


class Chip(msgspec.Struct, frozen=True):
    """A filter in force, with the query string without it."""

    label: str
    value: str
    without: str


@reads("events")
def index(request: HttpRequest) -> HttpResponse:
    """A page of the log, newest first. A position or an event's id in the search leads to that event."""
    filters, errors = read_filters(request.GET)
    if (position := _exactly(filters.q)) is not None:
        return HttpResponseRedirect(reverse("event", args=[position]))
    before, after = _places(request, errors)
    known = currencies.by_place()
    found = log.page(filters, before, after, known=known)
    context: dict[str, Any] = {
        "filters": filters,
        "given": filters.given,
        "errors": errors,
        "page": found,
        "totals": log.totals(filters, log.TOTAL_AT_ONCE),
        "sum": counting(filters.sum, filters.meter) if filters.sum else None,
        "types": sorted(event_types()),
        "days": days().days,
        "query": filters.query(),
        "chips": [Chip(label(name), value, filters.without(name)) for name, value in filters.given.items()],
        "kept": filters.beyond_the_form(),
        "currency": currencies.only(known),
    }
    return render(request, "pages/events.html", here="events", status=400 if errors else 200, **context)


@reads("events")
def total(request: HttpRequest) -> HttpResponse:
    """The sum over a filter that finds more than the page adds up at once."""
    filters, _errors = read_filters(request.GET)
    context: dict[str, Any] = {
        "totals": log.totals(filters, log.TOTAL_MAX),
        "sum": counting(filters.sum, filters.meter) if filters.sum else None,
        "is_whole": True,
    }
    return render(request, "pages/events_total.html", here="events", filters=filters, **context)


@reads("events")
def show(request: HttpRequest, position: int) -> HttpResponse:
    """One event: its bytes set out to be read, and its place in the chain."""
    found = log.event(position)
    if found is None:
        raise Http404(_("There is no event at position %(position)d.") % {"position": position})
    pretty = msgspec.json.format(found.raw, indent=2).decode()
    template = "pages/event_detail.html" if request.headers.get("HX-Request") else "pages/event.html"
    return render(request, template, here="events", event=found, pretty=pretty)


@reads("events")
def export(request: HttpRequest) -> StreamingHttpResponse | HttpResponse:
    """The filtered log as CloudEvents, one JSON object a line, oldest first: the bytes of the store."""
    filters, errors = read_filters(request.GET)
    if errors:
        text = "\n".join(f"{field}: {message}" for field, message in errors.items())
        return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")
    response = StreamingHttpResponse(log.export(filters), content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(filters)}"'
    return response


def _exactly(words: str) -> int | None:
    """The position that a search names: by number, or by the event's id."""
    if words.isascii() and words.isdecimal() and len(words) < 19:
        return int(words)
    return log.position_of(words) if "@" in words else None


def _places(request: HttpRequest, errors: dict[str, str]) -> tuple[int | None, int | None]:
    try:
        return whole(request.GET, "before"), whole(request.GET, "after")
    except Invalid as error:
        errors["before"] = error.message
        return None, None


def _file_name(filters: Filters) -> str:
    parts = [filters.table, filters.gaming_day, filters.sum, *filters.types[:1]]
    kept = "".join(c if c.isalnum() or c in "-." else "-" for c in "-".join(part for part in parts if part))
    return f"pitledger-events{'-' if kept else ''}{kept}.jsonl"
