"""Content of the log's page for a search: rows, total, facets, and suggestions for its words."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.filters import label
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people import staff_list_and_name_lookup
from backoffice.surveillance.search import (
    deadline_of_database_statements,
    facets,
    people_names_to_ids,
    totals,
    word_interpretations,
)
from backoffice.surveillance.search.event_rows import EventRow, row
from backoffice.surveillance.search.grammar import Clause, ClauseGroup, Mistake, narrowed
from backoffice.surveillance.search.paged_search_within_time_limit import (
    PAGE,
    FoundEvent,
    ResultPage,
    page,
    search_deadline,
)
from backoffice.surveillance.search.search_question_from_query_string import SearchQuestion, read
from backoffice.surveillance.search.search_to_log_conditions import Search
from backoffice.wording import stream_currencies
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import error_sentence
from backoffice.wording.stream_currencies import Places
from events.error_codes import coded
from events.errors import Invalid


class ResultList(msgspec.Struct, frozen=True):
    """Rows in their order; `before` and `after` are positions from which to continue, None at the end.

    `before` leads to older events, `after` to newer ones. `came_to` is the position reached within the time.
    """

    rows: tuple[EventRow, ...]
    before: int | None
    after: int | None
    came_to: int | None


def result_list(
    search: Search, question: SearchQuestion, places: Places, size: int = PAGE, until: float | None = None
) -> ResultList:
    """Return the requested page. `places`: currencies by place."""
    is_back = (question.after if question.is_newest_first else question.before) is not None
    newest = question.is_newest_first != is_back
    start = question.after if not newest else question.before
    hits = page(search, newest=newest, after=start, size=size, until=until)
    events = hits.events[::-1] if is_back else hits.events
    older, newer = _older_and_newer(hits, newest=newest, start=start)
    adds = _adds(search, events)
    rows = tuple(row(event, places, adds.get(event.position)) for event in events)
    return ResultList(rows, older, newer, hits.came_to)


def _older_and_newer(result_page: ResultPage, *, newest: bool, start: int | None) -> tuple[int | None, int | None]:
    """Return the positions from which older and newer events follow; None past the end at which a page begins."""
    first = result_page.events[0].position if result_page.events else result_page.next
    back = first if start is not None else None
    return (result_page.next, back) if newest else (back, result_page.next)


def _adds(search: Search, events: Sequence[FoundEvent]) -> dict[int, int]:
    """Return the amount that each event adds to the search's sum. One query, or none."""
    if search.counting is None:
        return {}
    page_rows = search.looked_at().filter(position__in=[event.position for event in events])
    columns = ("position", "counts")
    return dict(page_rows.values_list(*columns))


CODED = frozenset({"type", "wager", "queued", "tender", "actorrole", "outcome", "irregularity"})
PEOPLE_MAX = 20
# Names of search fields that are no filter of the log, since a word of the house may mean another thing.
LABELS = {
    "time": gettext_lazy("time"),
    "around": gettext_lazy("around event"),
    "has": gettext_lazy("has"),
    "irregularity": gettext_lazy("irregularity"),
    "alert": gettext_lazy("alert"),
    "case": gettext_lazy("case"),
    "position": gettext_lazy("position"),
    "slip": gettext_lazy("slip"),
    "die": gettext_lazy("die"),
    "shoe": gettext_lazy("shoe"),
    "queued": gettext_lazy("without signal"),
    "due": gettext_lazy("due"),
    "paid": gettext_lazy("paid"),
    "OR": gettext_lazy("either of"),
}
LISTING = 0.7  # part of a page's time, for its rows; the rest is for their totals
AT_ONCE = 10_000  # events are added up before the page is answered
AT_MOST = 500_000
AT_MOST_S = 5.0  # so long are events added up afterwards that have to be read one by one
NONE = ResultList((), None, None, None)


class SearchChip(msgspec.Struct, frozen=True):
    """A part of the search in words, or the people that it names, by id; with the query string without it."""

    label: str
    value: str
    words: str
    without: str
    people: tuple[str, ...] = ()


def search_context(visit: Visit, question: SearchQuestion) -> dict[str, Any]:
    """Return the page's context for a search. Raises Invalid; Mistake, which names the column."""
    until = search_deadline()
    hidden_streams = figures_hidden_before_counts.sorted_streams(visit.reader.roles)
    search = question.to_search(hidden_streams)
    by_place = stream_currencies.by_place()
    people = _people_found(visit)
    log = (
        NONE
        if people
        else result_list(
            search,
            question,
            by_place,
            until=deadline_of_database_statements.monotonic_time() + _left_s(until) * LISTING,
        )
    )
    total = None if people else _total(search, question, log, until)
    suggestions = list(_suggestions(search, question, people, until))
    return {
        "question": question,
        "typed": question.text,
        "query": question.query(),
        "turned": question.query(order="oldest" if question.is_newest_first else "newest"),
        "followed": question.query(follow=not question.is_live),
        "chips": list(_chips(search, question)),
        "offers": suggestions,
        "kept": [(name, value) for name in ("order", "sum", "meter") if (value := getattr(question, name))],
        "people": people,
        "log": log,
        "totals": total,
        "is_summable": is_summable(search),
        "sum": search.counting,
        "hidden_days": sum(not stream.endswith("/") for stream in hidden_streams),  # of the others no one needs to know
        "currency": by_place.house,
        "is_late": deadline_of_database_statements.monotonic_time() > until,
    }


def _total(search: Search, question: SearchQuestion, log: ResultList, until: float) -> totals.SearchTotals | None:
    """Return the totals of the whole search; None if the page itself was not completed in time."""
    if log.came_to is not None:
        return None
    is_whole = question.before is None and question.after is None and log.before is None and log.after is None
    if is_whole and len(log.rows) <= AT_ONCE:
        amounts = (row.amount_minor if search.counting is None else row.counts_minor for row in log.rows)
        return totals.SearchTotals(len(log.rows), sum(amount or 0 for amount in amounts), is_complete=True)
    return totals.totals(search, AT_ONCE, _left_s(until))


def _left_s(until: float) -> float:
    return max(until - deadline_of_database_statements.monotonic_time(), 0)


def mistaken(typed: str, error: Invalid) -> dict[str, Any]:
    """A search that cannot be understood finds nothing; where it is so, is shown."""
    at = error.column - 1 if isinstance(error, Mistake) else 0
    end = next((i for i in range(at, len(typed)) if typed[i].isspace()), len(typed))
    marked = (typed[:at], typed[at:end] or " ", typed[end:]) if isinstance(error, Mistake) else None
    error_context = {"error": error, "sentence": error_sentence(error), "marked": marked}
    return {"typed": typed, **error_context, "question": SearchQuestion(), "log": NONE, "query": ""}


def without_names(reader: Reader, typed: str) -> people_names_to_ids.NamedSearch:
    """Return the search with ids in the place of names: addresses, histories and logs must not hold names.

    Raises Mistake; Invalid if it names a person and the reader may not know names: then it is neither answered nor
    kept.
    """
    result = people_names_to_ids.without_names(typed, staff_list_and_name_lookup.names())
    if result.is_changed and not staff_list_and_name_lookup.knows_names(reader):
        raise Invalid("q", coded("search-name-unreadable"))
    return result


def stored_query(visit: Visit, query: str) -> str:
    """Return a query string in its stored form: a valid search, without names. Raises Invalid."""
    question = read(QueryDict(query))
    text = without_names(visit.reader, question.text).text
    question = msgspec.structs.replace(question, text=text)
    question.to_search()
    return question.query()


def search_of_visit(visit: Visit) -> Search:
    """Return the search of an address for this reader. Raises Invalid."""
    return read(visit.page_request.parameters).to_search(
        figures_hidden_before_counts.sorted_streams(visit.reader.roles)
    )


def added_up(visit: Visit) -> dict[str, Any]:
    """The total of a search, over as many events as are ever added up. Raises Invalid."""
    question = read(visit.page_request.parameters)
    of = question.to_search(figures_hidden_before_counts.sorted_streams(visit.reader.roles))
    total = totals.totals(of, AT_MOST, AT_MOST_S)
    context = {"totals": total, "is_summable": is_summable(of), "sum": of.counting, "is_whole": True}
    return {**context, "query": question.query()}


def facets_and_chart(visit: Visit) -> dict[str, Any]:
    """Return the facets of a search by type, table, dealer and player, without fields that it filters already. Raises
    Invalid."""
    question = read(visit.page_request.parameters)
    of = question.to_search(figures_hidden_before_counts.sorted_streams(visit.reader.roles))
    counts = facets.facets(of)
    single = {clause.field for clause in of.filters if not clause.negated and len(clause.values) == 1}
    fields = [_part(field, some, question) for field, some in counts.by.items() if some and field not in single]
    return {"parts": fields, "events": counts.events, "is_complete": counts.is_complete}


def _part(field: str, some: tuple[facets.Facet, ...], question: SearchQuestion) -> dict[str, Any]:
    links = ((part, question.query(text=narrowed(question.text, part.clause))) for part in some)
    values = [msgspec.structs.asdict(part) | {"query": query} for part, query in links]
    return {"field": field, "label": _field_label(field), "values": values}


def is_summable(of: Search) -> bool:
    """Return whether a total of the events' amounts makes sense: events of one type, or terms of a total."""
    types = [clause for clause in of.filters if clause.field == "type" and not clause.negated]
    return of.counting is not None or any(len(clause.values) == 1 for clause in types)


def _suggestions(
    search: Search, question: SearchQuestion, people: tuple[str, ...], until: float
) -> Iterator[dict[str, str]]:
    """Yield suggestions for bare words, each with its query string."""
    for offer in (
        word_interpretations.of_people(question.text, people)
        if people
        else word_interpretations.offers_for_search(search, until)
    ):
        extra = {"label": _field_label(offer.field), "query": question.query(text=offer.text)}
        yield msgspec.structs.asdict(offer) | extra


def _people_found(visit: Visit) -> tuple[str, ...]:
    """Return the ids of people that the search named, if the reader may know names."""
    ids = visit.page_request.text("who", 2_000).split(",")[:PEOPLE_MAX]
    return tuple(person for person in ids if person) if staff_list_and_name_lookup.knows_names(visit.reader) else ()


def _chips(search: Search, question: SearchQuestion) -> Iterator[SearchChip]:
    """Return the parts of the search, with codes in words."""
    for node in search.nodes:
        without = question.query(text=search.without_part(node))
        if isinstance(node, ClauseGroup):
            yield SearchChip(_group_label(node), node.source, _group_text(node), without)
            continue
        values = tuple(f"{value.text}{'*' if value.is_prefix else ''}" for value in node.values)
        people = (
            values
            if node.field in people_names_to_ids.FIELDS and not any(value.is_prefix for value in node.values)
            else ()
        )
        labels = [word(value, node.field) if node.field in CODED else value for value in values]
        yield SearchChip(_label(node), ", ".join(values), ", ".join(labels), without, people)
    if search.counting:
        yield SearchChip(label("sum"), question.sum, str(search.counting.label), question.query(sum="", meter=""))


def _group_text(group: ClauseGroup) -> str:
    """Return the text inside the parentheses, as typed."""
    is_enclosed = group.source.startswith(("(", "-("))
    return group.source.removeprefix("-")[1:-1] if is_enclosed else group.source


def _group_label(group: ClauseGroup) -> str:
    if group.negated:
        return _("none of") if group.is_or else _("not")
    return _("any of") if group.is_or else _("all of")


def _label(clause: Clause) -> str:
    name = _field_label(clause.field) if clause.field else _("words")
    return _("not %(what)s") % {"what": name} if clause.negated else name


def _field_label(field: str) -> str:
    name = {"day": "gaming_day", "amount": "amount_minor"}.get(field, field)
    return str(LABELS[field]) if field in LABELS else label(name)
