"""The filters `slip:12`, `die:K1` and `shoe:S-1`: events that name a slip, die or shoe in a field."""

import re
from collections.abc import Callable, Sequence

from django.db.models import Q

from backoffice.surveillance.entity_event_queries import names_of, of_shoes, types_with
from backoffice.surveillance.search import value_range_parsing
from backoffice.surveillance.search.condition_of_sql_and_predicate import Condition, Event, SearchContext, of_positions
from backoffice.surveillance.search.grammar import Clause, Mistake
from backoffice.surveillance.search.index_walks import IndexChoice
from backoffice.surveillance.search.wildcards import TextPatterns, texts
from projections.eventlog.models import EventLog

_SLIP = re.compile(r"[a-z][a-z_-]*(-\d{4})?-\d+", re.ASCII)  # as `events.controls.slip_issued_event.name_of` writes it
SHOES_MAX = 20_000  # events of the requested shoes: the number of parameters of a query is limited


def slips(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for slips: `slip:1` for a number in any series, `slip:fill-2026-1` for one slip."""
    named_slips = [value for value in clause.values if _SLIP.fullmatch(value.text) or value.is_prefix]
    ranges = [value_range_parsing.ranged(value, _slip_number) for value in clause.values if value not in named_slips]
    names = TextPatterns(
        tuple(value.text for value in named_slips if not value.is_prefix),
        tuple(value.text for value in named_slips if value.is_prefix),
    )
    types = types_with("slip")

    def finds(_at: int, event: Event) -> bool:
        slip = event["data"].get("slip")
        if slip is None or event["type"] not in types:
            return False
        name = slip if isinstance(slip, str) else event.get("correlation") or ""
        number = slip if isinstance(slip, int) else int(slip.rpartition("-")[2] or 0)
        is_name = _SLIP.fullmatch(name) is not None  # a payment by slip may belong to its hit
        return (is_name and names.holds(name)) or any(range_.holds(number) for range_ in ranges)

    return _of_types(types, finds)


def _slip_number(text: str, column: int) -> int:
    try:
        return value_range_parsing.parse_whole_number(text, column)
    except Mistake:
        raise Mistake(column, "search-slip-number", text=text[:40]) from None


def dice(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for events that placed, chose or threw a die of one of these serials."""
    wanted = texts(clause)

    def finds(_at: int, event: Event) -> bool:
        named = [name for field in ("dice", "serials") for name in names_of(event["data"].get(field))]
        return any(wanted.holds(name) for name in named)

    return _of_types(types_with("dice", "serials"), finds)


def shoes(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for the load of a shoe and the cards of its table until the next load."""
    log = EventLog.objects.using(house.using)
    positions: set[int] = set()
    for value in clause.values:
        wanted = TextPatterns((), (value.text,)) if value.is_prefix else TextPatterns((value.text,))
        asks, _ = of_shoes(log, wanted.holds)
        positions |= set(log.filter(asks).values_list("position", flat=True)[: SHOES_MAX + 1])
        if len(positions) > SHOES_MAX:
            raise Mistake(clause.column, "search-shoes-too-many")
    return of_positions(positions)


def with_slip() -> Condition:
    """Return the condition for events that name a slip."""
    return _of_types(types_with("slip"), lambda _at, event: event["data"].get("slip") not in (None, 0))


def with_die() -> Condition:
    """Return the condition for events that name dice by their serials."""
    fields = ("dice", "serials")
    return _of_types(types_with(*fields), lambda _at, event: any(names_of(event["data"].get(name)) for name in fields))


def with_shoe() -> Condition:
    """Return the condition for events that name a shoe."""
    return _of_types(types_with("shoe"), lambda _at, event: event["data"].get("shoe") is not None)


def _of_types(types: Sequence[str], finds: Callable[[int, Event], bool]) -> Condition:
    """Return the condition along the index of these types, which are few or rare."""
    index_choice = IndexChoice(("type",), tuple((type_,) for type_ in types))
    return Condition(Q(type__in=types), finds, index_choice=index_choice)
