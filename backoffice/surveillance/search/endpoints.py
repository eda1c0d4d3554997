"""Search for programs: the grammar of `./manage.py search`, answered with the events' own bytes."""

import msgspec

from backoffice.access.personal_data_access_log import COMPLETION
from backoffice.access.personal_data_access_log import SEARCH as SEARCH_LOOK
from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.filters import BIGGEST, read_number
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, PageRequest
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance.search import deadline_of_database_statements, saved_searches
from backoffice.surveillance.search.completion import AT_MOST, Completion, completions, people_in
from backoffice.surveillance.search.events_page import Logged
from backoffice.surveillance.search.facets import Facets, facets
from backoffice.surveillance.search.grammar import LENGTH_MAX
from backoffice.surveillance.search.paged_search_within_time_limit import PAGE, PAGE_MAX, page, search_deadline
from backoffice.surveillance.search.saved_searches import Saved
from backoffice.surveillance.search.search_to_log_conditions import search
from backoffice.surveillance.search.word_interpretations import offers_for_search
from events.error_codes import coded
from events.errors import Invalid

_ORDERS = ("newest", "oldest")


class Suggestion(msgspec.Struct, frozen=True):
    """The filter that a bare word probably is; `q` is the whole search with it."""

    field: str
    value: str
    q: str


class Searched(msgspec.Struct, frozen=True):
    """A page of a search's results. `after=next` continues, null at the end.

    `came_to` is the position reached where half a second was not enough. `suggestions` are filters in the place of bare
    words.
    """

    events: tuple[Logged, ...]
    next: str | None
    came_to: int | None
    suggestions: tuple[Suggestion, ...] = ()


def _searched(request: PageRequest) -> Searched:
    """Return a page of a search. Raises Invalid, with the column, for a search that cannot be parsed."""
    hidden_streams = figures_hidden_before_counts.sorted_streams(request.reader.roles)
    order = request.parameters.get("order") or _ORDERS[0]
    if order not in _ORDERS:
        raise Invalid("order", coded("order-newest-or-oldest"))
    until = search_deadline()
    query = search(request.parameters.get("q") or "", hidden_streams=hidden_streams)
    newest, after = order == _ORDERS[0], read_number(request.parameters, "after")
    hits = page(query, newest=newest, after=after, size=_size(request), until=until)
    suggestions = (
        tuple(Suggestion(offer.field, offer.value, offer.text) for offer in offers_for_search(query, until))
        if after is None
        else ()
    )
    events = tuple(Logged(hit.position, msgspec.Raw(hit.raw)) for hit in hits.events)
    came_to = hits.came_to
    if came_to is None and deadline_of_database_statements.monotonic_time() > until:  # it is whole, and came late
        came_to = hits.next or (hits.events[-1].position if hits.events else 0)
    return Searched(events, None if hits.next is None else str(hits.next), came_to, suggestions)


def _size(request: PageRequest) -> int:
    limit = read_number(request.parameters, "limit")
    size = PAGE if limit is None else limit
    if not 1 <= size <= PAGE_MAX:
        raise Invalid("limit", coded("events-limit", most=PAGE_MAX))
    return size


def _search_facets(request: PageRequest) -> Facets:
    """Return the facets of a search. Raises Invalid, with the column, for a search that cannot be parsed."""
    hidden_streams = figures_hidden_before_counts.sorted_streams(request.reader.roles)
    return facets(search(request.parameters.get("q") or "", hidden_streams=hidden_streams))


class Completions(msgspec.Struct, frozen=True):
    """Completions at a position of a search, at most `at_most`."""

    completions: tuple[Completion, ...]
    at_most: int


class SavedSearches(msgspec.Struct, frozen=True):
    """The reader's own searches, and those shared with the reader's roles, by name."""

    searches: tuple[Saved, ...]


def _completed(request: PageRequest) -> Completions:
    """Return existing values; people by their ids alone, since they are part of an address."""
    typed = request.parameters.get("q") or ""
    if len(typed) > LENGTH_MAX:
        raise Invalid("q", coded("search-too-long", most=LENGTH_MAX))
    at = read_number(request.parameters, "at")
    hidden_streams = figures_hidden_before_counts.sorted_streams(request.reader.roles)
    return Completions(completions(typed, len(typed) if at is None else at, {}, hidden_streams), AT_MOST)


FACETS = Endpoint(
    name="search-facets",
    path="search/facets",
    answer=Facets,
    meaning="Results of a search, counted by type, table, dealer and player.",
    query=_search_facets,
    parameters={"q": {"type": "string", "description": "The search whose results are counted; empty for all events"}},
    open_to=TABLES,
    looks=AccessLogRule(SEARCH_LOOK, lambda facets: facets.events),
)
SAVED = Endpoint(
    name="search-saved",
    path="search/saved",
    answer=SavedSearches,
    meaning="Saved searches of the caller, and those shared with a role of the caller.",
    query=lambda request: SavedSearches(saved_searches.searches_of(request.reader)),
    open_to=TABLES,
)
COMPLETIONS = Endpoint(
    name="search-completions",
    path="search/completions",
    answer=Completions,
    meaning="Completions at a position of a search: fields, then values that occur.",
    looks=AccessLogRule(COMPLETION, shown=lambda answer: people_in(answer.completions)),
    query=_completed,
    parameters={
        "q": {"type": "string", "maxLength": LENGTH_MAX, "description": "The text of the search"},
        "at": {
            "type": "integer",
            "minimum": 0,
            "maximum": BIGGEST,
            "description": "Position of the cursor, in characters from the start; by default the end",
        },
    },
    open_to=TABLES,
)
SEARCH = Endpoint(
    name="search",
    path="search",
    answer=Searched,
    meaning="A page of search results, in the grammar of `./manage.py search`.",
    query=_searched,
    parameters={
        "q": {
            "type": "string",
            "description": "The search; empty for all events. Conditions joined by spaces (all "
            "hold) or OR, with parentheses and prefixes",
        },
        "order": {"enum": list(_ORDERS), "default": _ORDERS[0], "description": "By position"},
        "after": {
            "type": "integer",
            "minimum": 0,
            "maximum": BIGGEST,
            "description": "Continue from here: `next` of the previous page",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE},
    },
    open_to=TABLES,
    looks=AccessLogRule(SEARCH_LOOK, lambda answer: len(answer.events)),
)
