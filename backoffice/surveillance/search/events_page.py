"""The log: searched in one grammar, exported by it, and by single filters for programs."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps

import msgspec
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import COMPLETION, EXPORT, SEARCH
from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.filters import BIGGEST, OFFERED, read_filters, read_number
from backoffice.event_log.meter_totals import LEVEL_SUMS
from backoffice.event_log.sum_declarations_of_figures import sums
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import basis_at
from backoffice.kit import file_download_or_background_job, response_builders
from backoffice.kit.access_log_rules import AccessLogRule, part_of
from backoffice.kit.export_sent_as_stream_or_job_file import Export, Piece, answer
from backoffice.kit.page_declaration import CsvSheet, Endpoint, MenuEntry, Page, PageAddress, PageRequest, Schema
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people import staff_list_and_name_lookup
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance import log_page_queries
from backoffice.surveillance.search import full_export, page_content, saved_searches, search_question_from_query_string
from backoffice.surveillance.search.completion import completions, people_in
from backoffice.surveillance.search.english_translation_of_search import in_english
from backoffice.surveillance.search.grammar import LENGTH_MAX
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent, search_deadline
from backoffice.surveillance.search.position_spans_to_search import last_log_position
from backoffice.surveillance.search.search_to_log_conditions import Search
from backoffice.wording.error_code_sentences import error_sentence
from events.error_codes import coded
from events.errors import Invalid
from projections.eventlog.models import EventLog
from projections.eventlog.search_filter_vocabulary import Filter

JSON_LINES = "application/x-ndjson"


class Logged(msgspec.Struct, frozen=True):
    """An event with its place in the store, and its own bytes."""

    position: int
    event: msgspec.Raw


class Events(msgspec.Struct, frozen=True):
    """A page of the log, newest first; continue with `before=older` or `after=newer`, null where there is no longer."""

    events: tuple[Logged, ...]
    older: int | None
    newer: int | None


def _refuses_mistakes(view: Callable[[Visit], HttpResponseBase]) -> Callable[[Visit], HttpResponseBase]:
    """Answer a search that cannot be understood with a line of text."""

    @wraps(view)
    def answered(visit: Visit) -> HttpResponseBase:
        try:
            return view(visit)
        except Invalid as error:
            text = f"{error.field}: {error_sentence(error)}"
            return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")

    return answered


# --- the page ---------------------------------------------------------------------------------------------------------


def _log(visit: Visit) -> HttpResponse:
    """Show a page of a search's results. A position or an event's id leads to that event."""
    query = visit.page_request.text("q", LENGTH_MAX + 1)
    if (position := _exactly(query)) is not None:
        return HttpResponseRedirect(reverse("event", args=[position]))
    try:
        if (english := in_english(query, _language(visit))) != query:
            parameters = visit.request.GET.copy()
            parameters["q"] = english
            return HttpResponseRedirect(f"{reverse('events')}?{parameters.urlencode()}")
        context = page_content.search_context(
            visit, search_question_from_query_string.read(visit.page_request.parameters)
        )
        visit.looking.entry_count = len(context["log"].rows)
        return visit.render(**context)
    except Invalid as error:
        return visit.render(status=400, **page_content.mistaken(query, error))


def _language(visit: Visit) -> str:
    return str(visit.request.LANGUAGE_CODE)


@_refuses_mistakes
def _live(visit: Visit) -> HttpResponse:
    """Answer with the part of the page that updates itself. A reader who follows a search has one line in the access
    log."""
    if visit.has_seen_all:
        return HttpResponse(status=204)
    if visit.has_seen_figures:
        return visit.how_old()
    question = search_question_from_query_string.read(visit.page_request.parameters)
    return visit.render("pages/events_live.html", **page_content.search_context(visit, question))


def _find(visit: Visit) -> HttpResponse:
    """Redirect to the address of a search; it has ids in the place of names."""
    form = visit.request.POST
    typed = str(form.get("q", ""))[: LENGTH_MAX + 1].strip()
    if (position := _exactly(typed)) is not None:
        return HttpResponseRedirect(reverse("event", args=[position]))
    try:
        typed = in_english(typed, _language(visit))
        named = page_content.without_names(visit.reader, typed)
    except Invalid as error:
        return visit.render(status=400, **page_content.mistaken(typed, error))
    pairs = {"q": named.text, "who": ",".join(named.people)}
    pairs |= {name: str(form.get(name, ""))[:120] for name in ("order", "sum", "meter")}
    query = urlencode({name: value for name, value in pairs.items() if value})
    return HttpResponseRedirect(f"{reverse('events')}{'?' if query else ''}{query}")


def _complete(visit: Visit) -> HttpResponse:
    """Return completions for the text at the cursor. Posted, since the text may hold a name, which is neither kept nor
    written down: the access log has the ids that are offered."""
    form = visit.request.POST
    at = str(form.get("at", ""))
    typed = str(form.get("q", ""))[:LENGTH_MAX]
    place = int(at) if at.isascii() and at.isdecimal() and len(at) < 9 else len(typed)
    names, hidden_streams = (
        staff_list_and_name_lookup.names_for(visit.reader),
        figures_hidden_before_counts.sorted_streams(visit.reader.roles),
    )
    offered_completions = completions(
        typed, place, names, hidden_streams, language=_language(visit), until=search_deadline()
    )
    logged_completions = visit.looking.at(offered_completions)
    return visit.render("pages/events/completions.html", completions=logged_completions)


@_refuses_mistakes
def _saved(visit: Visit) -> HttpResponse:
    """The searches that are kept, and a form that keeps the one of this address."""
    query = search_question_from_query_string.read(visit.page_request.parameters).query()
    template = "pages/events/saved.html"
    return visit.render(template, saved=saved_searches.searches_of(visit.reader), share_with=TABLES.roles, query=query)


def _save(visit: Visit) -> HttpResponse:
    """Keep the search under a name, for oneself or for a role; everything is no search."""
    form = visit.request.POST
    if not form.get("query"):
        return HttpResponseRedirect(reverse("events"))
    try:
        query = page_content.stored_query(visit, str(form.get("query", ""))[: 4 * LENGTH_MAX])
        saved_searches.save_search(visit.reader, str(form.get("name", "")), query, str(form.get("role", "")))
    except Invalid as error:
        return visit.render(status=400, **page_content.mistaken("", error))
    return HttpResponseRedirect(f"{reverse('events')}?{query}")


def _forget(visit: Visit) -> HttpResponse:
    """Let a search of one's own go."""
    form = visit.request.POST
    number = str(form.get("id", ""))
    if number.isascii() and number.isdecimal() and len(number) < 19:
        saved_searches.forget(visit.reader, int(number))
    back = str(form.get("back", ""))[: 4 * LENGTH_MAX]
    return HttpResponseRedirect(f"{reverse('events')}?{QueryDict(back).urlencode()}")


@_refuses_mistakes
def _total(visit: Visit) -> HttpResponse:
    """The sum over a search that finds more than the page adds up at once."""
    return visit.render("pages/events_total.html", **page_content.added_up(visit))


@_refuses_mistakes
def _facets(visit: Visit) -> HttpResponse:
    """Show the facets of a search by type, table, dealer and player, each with a link."""
    return visit.render("pages/events/facets.html", **page_content.facets_and_chart(visit))


def _exactly(words: str) -> int | None:
    """The position that a search names: by number, or by the event's id."""
    if words.isascii() and words.isdecimal() and len(words) < 19:
        return int(words)
    return log_page_queries.position_of(words) if "@" in words and ":" not in words and "\x00" not in words else None


# --- exports ----------------------------------------------------------------------------------------------------------


@_refuses_mistakes
def _export_json_lines(visit: Visit) -> HttpResponseBase:
    """Export a search as CloudEvents, one JSON object on a line, oldest first: the bytes of the store."""
    return _exported(
        visit, page_content.search_of_visit(visit), "jsonl", kind=JSON_LINES, content=full_export.json_lines
    )


@_refuses_mistakes
def _sheet(visit: Visit) -> HttpResponseBase:
    """Export a search as CSV, oldest first."""
    search = page_content.search_of_visit(visit)
    sheet = CsvSheet("Events", ("search", str(response_builders.cell(search.text))), full_export.COLUMNS, ())
    return _exported(
        visit,
        search,
        "csv",
        kind="text/csv; charset=utf-8",
        content=lambda events: response_builders.sheet_lines(full_export.rows(events)),
        head=lambda position: response_builders.sheet_head(sheet, position),
        foot=response_builders.sheet_end,
    )


def _exported(
    visit: Visit,
    search: Search,
    suffix: str,
    *,
    kind: str,
    content: Callable[[Sequence[FoundEvent]], bytes],
    head: Callable[[int], bytes] = lambda _position: b"",
    foot: Callable[[str], bytes] = lambda _digest: b"",
) -> HttpResponseBase:
    """Answer with an export of a search; the events hidden from the reader are part of the question."""

    def pieces(after: int, until: int) -> Iterator[Piece]:
        return (
            Piece(content(events), len(events), at) for events, at in full_export.result_batches(search, after, until)
        )

    def basis(position: int) -> Basis:
        return basis_at(installation().store, position or last_log_position(search.using))

    counting = search.counting.name if search.counting else ""
    question = ("export", suffix, search.text, counting, visit.page_request.text("meter"), *search.hidden_streams)
    name = f"{full_export.file_name(search)}.{suffix}"
    export = Export(question=question, pieces=pieces, basis=basis, kind=kind, name=name, head=head, end=foot)
    is_small = last_log_position(search.using) < file_download_or_background_job.LONG_EVENTS
    return answer(
        visit,
        export,
        is_short=is_small or (not file_download_or_background_job.begun_at(visit) and full_export.is_short(search)),
    )


# --- for programs, by single filters ----------------------------------------------------------------------------------


def _logged(request: PageRequest) -> Events:
    """Return a page of the log by the names of its filters, with the events' bytes. Raises Invalid for a wrong
    filter."""
    filters, errors = read_filters(request.parameters)
    filters = msgspec.structs.replace(
        filters, hidden_streams=figures_hidden_before_counts.sorted_streams(request.reader.roles)
    )
    for field, message in errors.items():
        raise Invalid(field, message)
    requested_size = read_number(request.parameters, "limit")
    size = log_page_queries.PAGE if requested_size is None else requested_size
    if not 1 <= size <= log_page_queries.PAGE_MAX:
        raise Invalid("limit", coded("events-limit", most=log_page_queries.PAGE_MAX))
    page = log_page_queries.page(
        filters, read_number(request.parameters, "before"), read_number(request.parameters, "after"), size
    )
    raw = dict(EventLog.objects.filter(position__in=page.positions).values_list("position", "raw"))
    events = tuple(Logged(position, msgspec.Raw(bytes(raw[position]))) for position in page.positions)
    return Events(events, page.older, page.newer)


_WHOLE = {"type": "integer", "minimum": 0, "maximum": BIGGEST}
_PAGE = {
    "before": _WHOLE | {"description": "Events before this position, newest first"},
    "after": _WHOLE | {"description": "The events directly after this position"},
    "limit": {"type": "integer", "minimum": 1, "maximum": log_page_queries.PAGE_MAX, "default": log_page_queries.PAGE},
}


def _filters() -> dict[str, Schema]:
    """Return the schemas of the log's filters, with the descriptions of its vocabulary."""
    schemas = {name: _filter_schema(filter_) | {"description": filter_.sentence} for name, filter_ in OFFERED.items()}
    schemas["type"] = {"type": "array", "items": {"type": "string"}, "description": "Only events of these types"}
    schemas["sum"] = {"enum": [*sums(), *LEVEL_SUMS], "description": OFFERED["sum"].sentence}
    return schemas


def _filter_schema(filter_: Filter) -> Schema:
    return _WHOLE if filter_.is_number else {"type": "string"}


LOOKS = AccessLogRule(SEARCH, lambda page: len(page.events))
EVENTS = Page(
    name="events",
    path="events",
    title=gettext_lazy("Events"),
    open_to=TABLES,
    template="pages/events.html",
    view=_log,
    menu=MenuEntry(gettext_lazy("Events"), "e", gettext_lazy("go to events")),
    endpoint=Endpoint(
        name="events",
        path="events",
        answer=Events,
        meaning="A page of the log by single filters, `before`, `after` and `limit`.",
        query=_logged,
        parameters=_filters() | _PAGE,
    ),
    looks=LOOKS,
    also=(
        PageAddress("events-live", "events/live", _live, looks=part_of(LOOKS)),
        PageAddress("events-find", "events/find", _find, does=True),
        PageAddress(
            "events-complete", "events/complete", _complete, does=True, looks=AccessLogRule(COMPLETION, shown=people_in)
        ),
        PageAddress("events-saved", "events/saved", _saved),
        PageAddress("events-save", "events/save", _save, does=True),
        PageAddress("events-forget", "events/forget", _forget, does=True),
        PageAddress("events-total", "events/total", _total, looks=part_of(LOOKS)),
        PageAddress("events-facets", "events/facets", _facets, looks=part_of(LOOKS)),
        PageAddress("events-export", "events/export.jsonl", _export_json_lines, looks=AccessLogRule(EXPORT)),
        PageAddress("events-sheet", "events/export.csv", _sheet, looks=AccessLogRule(EXPORT)),
    ),
)
