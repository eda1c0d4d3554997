"""A search: its clauses, and the condition of each on the log."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TypeAlias

import msgspec
from django.db.models import Q, QuerySet

from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.sum_declarations_of_figures import Sum
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.surveillance.search.condition_of_sql_and_predicate import EVERYTHING, Condition, Event, SearchContext
from backoffice.surveillance.search.field_conditions import condition
from backoffice.surveillance.search.grammar import Clause, Node, clauses, parse, search_text
from backoffice.surveillance.search.index_walks import (
    Asks,
    CombinedWalk,
    PositionWalk,
    SearchWalk,
    choose_paired_index,
    rarest_walk,
    walk_of_values,
)
from backoffice.surveillance.search.position_spans_to_search import Stretch, stretch
from backoffice.surveillance.search.word_and_irregularity_index_walks import ActionWalk, walk_of_words
from backoffice.wording import formats, stream_currencies
from events.settings.settings_from_environment import settings
from projections.eventlog.models import EventLog

Conditions: TypeAlias = Sequence[Condition]


class Search(msgspec.Struct, frozen=True):
    """A search. Its results match all of its parts.

    `hidden_streams` are hidden from the reader. With `counting`, only events with an amount in that total are found,
    and each row of the log has its amount (`counts`).
    """

    nodes: tuple[Node, ...]
    conditions: tuple[Condition, ...]
    hidden_streams: tuple[str, ...] = ()
    using: str = "default"
    counting: Sum | None = None
    of_parts: tuple[Condition, ...] = ()

    @property
    def text(self) -> str:
        """Return the search as typed."""
        return search_text(self.nodes)

    @property
    def filters(self) -> tuple[Clause, ...]:
        """Return the filters and words that must all match, without those in parentheses or next to OR."""
        return tuple(node for node in self.nodes if isinstance(node, Clause))

    def parts_with_meaning(self) -> Iterator[tuple[Node, Condition]]:
        """Return each part with its meaning."""
        return zip(self.nodes, self.of_parts, strict=True)

    def without_part(self, part: Node) -> str:
        """The search with one part taken away."""
        return search_text(node for node in self.nodes if node is not part)

    def rows(self) -> "QuerySet[EventLog]":
        """Return the rows that match by the log's columns, in no order."""
        return self._rows(self.conditions)

    def looked_at(self) -> "QuerySet[EventLog]":
        """Return the same, with events of the total's types that add nothing: an event's amount is read from its
        bytes.
        """
        return self._looked_at(self.conditions)

    def walk(self, after: int | None, *, newest: bool) -> SearchWalk:
        """Return the walk to the matching events beyond a position."""
        quick = [condition for condition in self.conditions if condition.is_quick]
        spans = (
            condition.span()
            for condition in self.conditions
            if condition.span and not (quick == [condition] and condition.is_its_index)
        )
        has_end = not quick and after is None
        within = stretch(spans, self.using, newest=newest, has_end=has_end)
        return self._best_walk(self.conditions, self.conditions, within, after)

    def walk_by_position(self, *, newest: bool) -> SearchWalk:
        """Return the walk through all events, one by one, which takes no time to choose."""
        within = stretch((), self.using, newest=newest, has_end=True)
        return PositionWalk(self._asks(self.conditions), within, self.using, is_one_by_one=True)

    def _best_walk(self, every: Conditions, choice: Conditions, within: Stretch, after: int | None) -> SearchWalk:
        """Return the shortest walk to events with `every` condition, along one condition of a choice."""
        quick = [condition for condition in choice if condition.is_quick]
        if not quick:
            return PositionWalk(self._asks(every), within, self.using)
        if within.is_short:
            quick = [condition for condition in quick if not (condition.span and condition.is_its_index)] or quick
        if both := self._paired_walk(every, quick, within):
            return both
        return rarest_walk([self._walk_of_condition(every, condition, within, after) for condition in quick], after)

    def _paired_walk(self, every: Conditions, quick: Sequence[Condition], within: Stretch) -> SearchWalk | None:
        """Return a walk along an index of two conditions; None without one."""
        for first, other in permutations(quick, 2):
            if index_choice := choose_paired_index(first.index_choice, other.index_choice):
                return walk_of_values(self._asks(every, (first, other)), index_choice, within, self.using)
        return None

    def _walk_of_condition(
        self, every: Conditions, condition: Condition, within: Stretch, after: int | None
    ) -> SearchWalk:
        asks = self._asks(every, (condition,))
        if condition.either:
            walks = [self._alternative(every, condition, each, within, after) for each in condition.either]
            return CombinedWalk(walks, "along several indexes", within)
        if condition.words is not None:
            return walk_of_words(asks, condition.words, within, self.using)
        if condition.index_choice is None:
            assert condition.recorded is not None
            return ActionWalk(asks, condition.recorded, within, self.using)
        return walk_of_values(asks, condition.index_choice, within, self.using)

    def _alternative(
        self, every: Conditions, condition: Condition, each: Condition, within: Stretch, after: int | None
    ) -> SearchWalk:
        """Return the walk to one alternative, within its range."""
        parts = each.parts or (each,)
        span = each.span() if each.span and not each.is_its_index else None
        narrow = within.narrowed(span) if span else within
        return self._best_walk((*(other for other in every if other is not condition), *parts), parts, narrow, after)

    def _asks(self, every: Conditions, served_conditions: Sequence[Condition] = ()) -> Asks:
        return lambda: self._rows(every, served_conditions)

    def _rows(self, every: Conditions, served_conditions: Sequence[Condition] = ()) -> "QuerySet[EventLog]":
        events = self._looked_at(every, served_conditions)
        return events.filter(~Q(counts=0)) if self.counting else events

    def _looked_at(self, every: Conditions, served_conditions: Sequence[Condition] = ()) -> "QuerySet[EventLog]":
        """Return the rows without the conditions that the walk itself ensures."""
        events = EventLog.objects.using(self.using)
        for part in every:
            is_served = any(part is served for served in served_conditions)
            asks = part.asks if not is_served else part.index_choice.rest if part.index_choice else Q()
            events = events.filter(asks) if asks and asks is not EVERYTHING else events
        if self.counting:
            events = events.filter(type__in=self.counting.types).annotate(counts=self.counting.counts)
        is_of_buyins = self.counting is not None and figures_hidden_before_counts.has_buyins(self.counting.types)
        return (
            events.exclude(figures_hidden_before_counts.hidden_events(self.hidden_streams, is_of_buyins=is_of_buyins))
            if self.hidden_streams
            else events
        )

    def matches_event(self, position: int, event: Event) -> bool:
        """Return whether an event that the columns match is wanted."""
        return all(condition.finds(position, event) for condition in self.conditions if not condition.is_exact)

    @property
    def is_exact(self) -> bool:
        """Return whether the columns decide everything."""
        return all(condition.is_exact for condition in self.conditions)


@cache_reads()
def search(
    text: str, using: str = "default", hidden_streams: tuple[str, ...] = (), counting: Sum | None = None
) -> Search:
    """Return the search of a text. Raises Mistake, which names the column."""
    nodes = parse(text)
    house = SearchContext(_currency(nodes, using), formats.zone(), using, hidden_streams)
    of_parts = tuple(condition(node, house) for node in nodes)
    each = tuple(part for condition_of_part in of_parts for part in condition_of_part.parts or (condition_of_part,))
    return Search(nodes, each, hidden_streams, using, counting, of_parts)


def _currency(nodes: Sequence[Node], using: str) -> str:
    """Return the currency of amounts: that of the one table asked for, else the property's; "" where none is."""
    filters = tuple(clauses(nodes))
    if not any(clause.field in ("amount", "due", "paid") for clause in filters):
        return ""
    currencies = stream_currencies.by_place(using)
    tables = [clause.values[0].text for clause in filters if clause.field == "table" and not clause.negated]
    return (
        stream_currencies.of_stream(currencies, f"{settings().property_}/tables/{tables[0]}")
        if tables
        else currencies.house
    )
