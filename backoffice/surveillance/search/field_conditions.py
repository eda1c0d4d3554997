"""Conditions of a search by field."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec
from django.db.models import Q

from backoffice.surveillance.search import slip_die_and_shoe_filters, time_and_near_event_filters, value_range_parsing
from backoffice.surveillance.search.alert_and_case_filters import alerts, cases
from backoffice.surveillance.search.condition_of_sql_and_predicate import (
    EVERYTHING,
    WALKS_MAX,
    Condition,
    Event,
    SearchContext,
    all_of,
    any_of,
    range_condition,
)
from backoffice.surveillance.search.free_text_conditions import free_text, irregularity_codes
from backoffice.surveillance.search.grammar import Clause, Mistake, Node, Value
from backoffice.surveillance.search.index_walks import COLUMNS, IndexChoice, choose_index, values_with_prefix
from backoffice.surveillance.search.index_walks import distinct_values as known_values
from backoffice.surveillance.search.position_spans_to_search import PositionSpan, of_days
from backoffice.surveillance.search.spelling_suggestions import closest_names_hint
from backoffice.surveillance.search.wildcards import TextPatterns, chosen, refuse_prefix, texts
from backoffice.surveillance.search.word_and_irregularity_index_walks import IrregularTypes
from events.accounting.event_types.cage import IrregularityFound
from events.catalogue import event_types
from events.house.code_to_words_lookup import is_known
from events.tables.event_types.session import IrregularityRecorded
from projections.eventlog.due_amounts import due_of_json
from projections.eventlog.models import PAID
from projections.eventlog.search_filter_vocabulary import EXACT, VOCABULARY, Filter
from projections.floor.models import Irregularity

IRREGULAR = (IrregularityFound.TYPE, IrregularityRecorded.TYPE)
DAYS_MAX = 31  # gaming days whose first and last event are looked up
_YES_NO = ("yes", "no")
_TENDERS = ("cash", "chips", "marker", "promotional")


def condition(node: Node, house: SearchContext, *, is_opposite: bool = False) -> Condition:
    """Return the condition of a part, or with `is_opposite` its negation. Raises Mistake."""
    negated = node.negated != is_opposite
    if isinstance(node, Clause):
        own = _of_clause(node, house)
        return own.opposite() if negated else own
    parts = [condition(part, house, is_opposite=negated) for part in node.parts]
    return any_of(parts) if node.is_or != negated else all_of(parts)


def _of_clause(clause: Clause, house: SearchContext) -> Condition:
    if not clause.field:
        return free_text(clause.values[0], IRREGULAR, house.using)
    make = FIELDS.get(clause.field)
    if make is None:
        at = clause.column + clause.negated
        raise Mistake(
            at, "search-field-unknown", field=clause.field[:40], hint=closest_names_hint(clause.field, FIELDS)
        )
    if clause.field not in PREFIXED:
        refuse_prefix(clause)
    return make(clause, house)


def base(type_: str) -> str:
    """A type without its version."""
    return type_.rpartition(".v")[0] or type_


# --- fields of an event as they are -----------------------------------------------------------------------------------


def _text_condition(filter_: Filter, clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for one of these texts, whole or as a beginning."""
    wanted = texts(clause)
    index_choice = _index_for_texts(filter_, wanted, house.using)
    exact = not filter_.has_versions
    return Condition(
        _filter_condition(filter_, wanted),
        lambda at, event: filter_.finds(event, wanted.whole) or wanted.begins(filter_.value_in(event)),
        exact,
        index_choice,
    )


def _filter_condition(filter_: Filter, wanted: TextPatterns) -> Q:
    whole = filter_.asks(wanted.whole) if wanted.whole else Q()
    return whole | wanted.asks(filter_.column) if wanted.prefixes else whole


def _index_for_texts(filter_: Filter, wanted: TextPatterns, using: str) -> IndexChoice | None:
    """Return the walk along the index to each wanted value; values with a wanted beginning are looked up in it."""
    if filter_.column not in COLUMNS:
        return None
    whole = of_versions(filter_, wanted.whole, using) if filter_.has_versions else list(wanted.whole)
    if not wanted.prefixes:
        return choose_index(filter_.column, whole)
    begun = values_with_prefix(filter_.column, wanted.prefixes, using, WALKS_MAX)
    return None if begun is None else choose_index(filter_.column, [*whole, *begun], most=WALKS_MAX)


def of_versions(filter_: Filter, wanted: Sequence[str], using: str) -> list[str]:
    """Return the values of the log with a name, or one version of it."""
    return [value for value in known_values(filter_.column, using) if filter_.means(value, wanted)]


def _tender(clause: Clause, house: SearchContext) -> Condition:
    wanted = chosen(clause, _TENDERS)
    return _text_condition(VOCABULARY["tender"], wanted, house)


def _numbers(filter_: Filter, clause: Clause, house: SearchContext) -> Condition:
    ranges = [value_range_parsing.ranged(value, value_range_parsing.parse_whole_number) for value in clause.values]
    return _in_ranges(filter_.column, ranges, filter_.value_in)


def _in_ranges(
    column: str, ranges: Sequence["value_range_parsing.Range[Any]"], says: Callable[[Event], Any]
) -> Condition:
    """Return the condition for one of the ranges. The column holds no money of 0."""
    asks = Q()
    for range_ in ranges:
        asks |= range_condition(column, range_)
    is_money = column == "amount_minor"
    is_exact = not (is_money and any(range_.holds(0) for range_ in ranges))
    asks = asks if is_exact else asks | Q(**{f"{column}__isnull": True})
    index_choice = (
        choose_index(column, [range_.least for range_ in ranges])
        if is_exact and all(range_.is_one for range_ in ranges)
        else None
    )
    return Condition(asks, lambda at, event: _is_in_ranges(ranges, says(event)), is_exact, index_choice)


def _is_in_ranges(ranges: Sequence["value_range_parsing.Range[Any]"], value: Any) -> bool:
    return value is not None and any(range_.holds(value) for range_ in ranges)


def _days(clause: Clause, house: SearchContext) -> Condition:
    if any(value.is_prefix for value in clause.values):
        return any_of([_days_of(value, clause, house) for value in clause.values])
    ranges = [value_range_parsing.ranged(value, value_range_parsing.day) for value in clause.values]
    days = [day for range_ in ranges for day in value_range_parsing.days(range_, DAYS_MAX + 1)]
    span: Callable[[], PositionSpan] | None = (lambda: of_days(days, house.using)) if len(days) <= DAYS_MAX else None
    return msgspec.structs.replace(_in_ranges("gaming_day", ranges, VOCABULARY["gaming_day"].value_in), span=span)


def _days_of(value: Value, clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for a day, a range of days, or days that begin so: 2026-11*."""
    alone = msgspec.structs.replace(clause, values=(value,))
    if not value.is_prefix:
        return _days(alone, house)
    if not value_range_parsing.is_begun_day(value.text):
        raise Mistake(value.column, "search-day-beginning", text=value.text[:40])
    return _text_condition(VOCABULARY["gaming_day"], alone, house)


def _money(clause: Clause, house: SearchContext) -> list["value_range_parsing.Range[int]"]:
    return [
        value_range_parsing.ranged(value, value_range_parsing.minor(house.currency, as_written=value.quoted))
        for value in clause.values
    ]


def _positions(clause: Clause, house: SearchContext) -> Condition:
    ranges = [value_range_parsing.ranged(value, value_range_parsing.parse_whole_number) for value in clause.values]
    return msgspec.structs.replace(
        _in_ranges("position", ranges, lambda event: None),
        finds=lambda at, event: _is_in_ranges(ranges, at),
        span=lambda: PositionSpan(*_first_and_last(ranges)),
    )


def _first_and_last(ranges: Sequence["value_range_parsing.Range[int]"]) -> tuple[int | None, int | None]:
    leasts, mosts = [range_.least for range_ in ranges], [range_.most for range_ in ranges]
    low, high = [bound for bound in leasts if bound is not None], [bound for bound in mosts if bound is not None]
    return min(low) if len(low) == len(leasts) else None, max(high) if len(high) == len(mosts) else None


def _rounds(clause: Clause, house: SearchContext) -> Condition:
    """`round:17` of any table, or `round:BJ1/2026-11-20/17` of one."""
    return any_of([_round(clause, value, house) for value in clause.values])


def _round(clause: Clause, value: Value, house: SearchContext) -> Condition:
    table, slash, rest = value.text.partition("/")
    if not slash:
        return _numbers(VOCABULARY["round"], msgspec.structs.replace(clause, values=(value,)), house)
    day, _, number = rest.partition("/")
    column = value.column + value.quoted
    if not table or not number:
        raise Mistake(column + len(table), "search-round-format")
    column += len(table) + 1
    table_and_day = (table, value_range_parsing.day(day, column))
    rounds = value_range_parsing.ranged(Value(number, column + len(day) + 1), value_range_parsing.parse_round_number)
    is_where = Q(table=table_and_day[0], gaming_day=table_and_day[1])
    return Condition(
        is_where & range_condition("round", rounds),
        lambda at, event: (
            _event_fields(event, "table", "gaming_day") == table_and_day
            and _is_in_ranges([rounds], event["data"].get("round"))
        ),
        index_choice=choose_index("round", [rounds.least], is_where)
        if rounds.is_one
        else choose_index("table", [table], is_where),
        span=lambda: of_days([table_and_day[1]], house.using),
    )


def _event_fields(event: Event, *names: str) -> tuple[Any, ...]:
    return tuple(event["data"].get(name) for name in names)


# --- types, and fields that only some of them have --------------------------------------------------------------------


def _types(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for types, in any version or in one."""
    recorded_types = event_types()
    types: set[str] = set()
    for value in clause.values:
        matching = {type_ for type_ in recorded_types if _is_type(value, type_)}
        if not matching:
            code = "search-beginning-unknown" if value.is_prefix else "search-value-unknown"
            hint = closest_names_hint(value.text, {base(type_) for type_ in recorded_types})
            raise Mistake(value.column, code, field="type", text=value.text[:60], hint=hint)
        types |= matching
    index_choice = choose_index("type", sorted(types), most=WALKS_MAX)
    return Condition(
        Q(type__in=sorted(types)), lambda at, event: event["type"] in types, is_exact=True, index_choice=index_choice
    )


def _is_type(value: Value, type_: str) -> bool:
    return type_.startswith(value.text) if value.is_prefix else value.text in (type_, base(type_))


def _paid_condition(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition on the column of amounts, for payment types."""
    condition = _in_ranges("amount_minor", _money(clause, house), amount_paid)
    only = "type IN ('{}')".format("', '".join(PAID))
    index_choice = (
        IndexChoice(
            condition.index_choice.columns, condition.index_choice.values, index_condition=only, name="log_paid"
        )
        if condition.index_choice
        else None
    )
    return msgspec.structs.replace(condition, asks=condition.asks & Q(type__in=PAID), index_choice=index_choice)


def amount_due(event: Event) -> int | None:
    """Return the amount due to a player: of a payment, or of a settlement that is a win."""
    return due_of_json(event["type"], event["data"])


def amount_paid(event: Event) -> int | None:
    """Return the amount paid to a player: payments, jackpots, envy."""
    return event["data"].get("amount_minor") if event["type"] in PAID else None


def _queued(clause: Clause, house: SearchContext) -> Condition:
    """`queued:yes` or `queued:no`: whether a device recorded the event without signal, and sent it later."""
    wanted = {value.text for value in chosen(clause, _YES_NO).values}
    return Condition(EVERYTHING, lambda at, event: ("yes" if is_queued(event) else "no") in wanted)


def is_queued(event: Event) -> bool:
    """Return whether a device recorded the event without signal."""
    return event.get("queued") is True


_HAS: dict[str, Callable[[], Condition]] = {
    "due": lambda: Condition(Q(due_minor__isnull=False), lambda at, event: amount_due(event) is not None),
    "paid": lambda: Condition(Q(type__in=PAID), lambda at, event: amount_paid(event) is not None),
    "slip": slip_die_and_shoe_filters.with_slip,
    "die": slip_die_and_shoe_filters.with_die,
    "shoe": slip_die_and_shoe_filters.with_shoe,
    "queued": lambda: Condition(EVERYTHING, lambda at, event: is_queued(event)),
}
HAS = ("irregularity", *_HAS, "day", "amount", *(filter_.name for filter_ in EXACT))  # possible values of has:


# --- irregularities ---------------------------------------------------------------------------------------------------


def _has_condition(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for `has:irregularity`, or for events with a value under a field's name."""
    return any_of([_has_one(value, house) for value in clause.values])


def _has_one(value: Value, house: SearchContext) -> Condition:
    if value.text == "irregularity":
        return _of_actions(IrregularTypes(IRREGULAR), house.using)
    if value.text in _HAS:
        return _HAS[value.text]()
    name = {"day": "gaming_day", "amount": "amount_minor"}.get(value.text, value.text)
    entry = VOCABULARY.get(name)
    if entry is None or entry not in EXACT:
        raise Mistake(
            value.column, "search-has-unknown", text=value.text[:40], hint=closest_names_hint(value.text, HAS)
        )
    asks = EVERYTHING if entry.name == "amount_minor" else Q(**{f"{entry.column}__isnull": False})
    return Condition(asks, lambda at, event: entry.value_in(event) is not None)


def _irregularities(clause: Clause, house: SearchContext) -> Condition:
    """All events of the actions that recorded an irregularity of one of these kinds."""
    wanted = [kind for value in clause.values for kind in _kinds(value, house.using)]
    return _of_actions(IrregularTypes(IRREGULAR, tuple(wanted)), house.using)


def _kinds(value: Value, using: str) -> list[str]:
    """Return the kind as stored: its words may be joined, as people type them."""
    tried = [value.text, value.text.replace("_", " "), value.text.replace("-", " "), value.text.replace(" ", "_")]
    if value.is_prefix:
        return _kinds_begun(value, tuple(tried), using)
    known_kinds = [kind for kind in dict.fromkeys(tried) if is_known(kind)]
    if not known_kinds and not IrregularTypes(IRREGULAR, tuple(tried)).rows(using).exists():
        raise Mistake(value.column, "search-value-unknown", field="irregularity", text=value.text[:40], hint=None)
    return known_kinds or tried


def _kinds_begun(value: Value, beginnings: tuple[str, ...], using: str) -> list[str]:
    """Return the kinds that begin so."""
    recorded = Irregularity.objects.using(using).order_by("kind").values_list("kind", flat=True).distinct()
    matching_kinds = [kind for kind in {*recorded, *irregularity_codes()} if kind.startswith(beginnings)]
    if not matching_kinds:
        raise Mistake(value.column, "search-beginning-unknown", field="irregularity", text=value.text[:40], hint=None)
    return matching_kinds


def _of_actions(some: IrregularTypes, using: str) -> Condition:
    """Return the condition for every event of an action that recorded one of these; one without an action is alone."""
    recorded = some.rows(using)
    keys = recorded.exclude(causation=None).values("causation")

    @cache
    def actions_and_positions() -> tuple[set[Any], set[Any]]:
        return set(keys.values_list("causation", flat=True)), set(recorded.values_list("position", flat=True))

    def finds(at: int, event: Event) -> bool:
        return event.get("causation") in actions_and_positions()[0] or at in actions_and_positions()[1]

    return Condition(some.is_of_action(using), finds, is_exact=True, recorded=some)


# --- all of them ------------------------------------------------------------------------------------------------------

_OF_ITS_OWN: dict[str, Callable[[Clause, SearchContext], Condition]] = {
    "type": _types,
    "tender": _tender,
    "gaming_day": _days,
    "day": _days,
    "amount": lambda clause, house: _in_ranges(
        "amount_minor", _money(clause, house), VOCABULARY["amount_minor"].value_in
    ),
    "round": _rounds,
    "position": _positions,
    "due": lambda clause, house: _in_ranges("due_minor", _money(clause, house), amount_due),
    "paid": _paid_condition,
    "time": time_and_near_event_filters.at_time,
    "around": time_and_near_event_filters.around_time,
    "has": _has_condition,
    "irregularity": _irregularities,
    "alert": alerts,
    "case": cases,
    "slip": slip_die_and_shoe_filters.slips,
    "die": slip_die_and_shoe_filters.dice,
    "shoe": slip_die_and_shoe_filters.shoes,
    "queued": _queued,
}
PREFIXED = frozenset(
    {"type", "tender", "gaming_day", "day", "irregularity", "alert", "slip", "die", "shoe"}
    | {filter_.name for filter_ in EXACT if not filter_.is_number}
)


def _of_filter(filter_: Filter) -> Callable[[Clause, SearchContext], Condition]:
    condition = _numbers if filter_.is_number else _text_condition
    return lambda clause, house: condition(filter_, clause, house)


FIELDS: dict[str, Callable[[Clause, SearchContext], Condition]] = {
    **{filter_.name: _of_filter(filter_) for filter_ in EXACT},
    **_OF_ITS_OWN,
}
