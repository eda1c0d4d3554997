"""Totals of a search: number of events and their sum, over a bounded number of events."""

from collections.abc import Sequence

import msgspec
from django.db.models import Count, F, Q, Sum

from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent, search_deadline, steps
from backoffice.surveillance.search.search_to_log_conditions import Search
from projections.eventlog.models import EventLog


class SearchTotals(msgspec.Struct, frozen=True):
    """Number of events and their sum; not `is_complete` where more events exist than were counted."""

    events: int
    amount_minor: int
    is_complete: bool


def totals(search: Search, at_most: int, within_s: float | None = None) -> SearchTotals:
    """Return count and sum: by one query where the log's columns decide everything, else over the events read.

    Events of actions are found along the recorded events, which one query would not do.

    A query that takes over half of the time is ended: the rest of the time gives a partial count.
    """
    until = search_deadline(within_s)
    is_of_actions = any(condition.is_of_actions for condition in search.conditions)
    if search.is_exact and not is_of_actions:
        try:
            with deadline_of_database_statements.limited(
                search.using, (deadline_of_database_statements.monotonic_time() + until) / 2
            ):
                return _by_columns(search, at_most)
        except deadline_of_database_statements.OutOfTime:
            pass
    return _by_events(search, at_most, until)


def _by_columns(search: Search, at_most: int) -> SearchTotals:
    column = "counts" if search.counting else "amount_minor"
    counted_rows = search.looked_at().values("position", column)[: at_most + 1]
    counts = ~Q(counts=0) if search.counting else None
    aggregate = counted_rows.aggregate(
        all=Count("position"), events=Count("position", filter=counts), amount=Sum(column)
    )
    return SearchTotals(min(aggregate["events"], at_most), int(aggregate["amount"] or 0), aggregate["all"] <= at_most)


def _by_events(search: Search, at_most: int, until: float) -> SearchTotals:
    events = amount = 0
    for step in steps(search, newest=True, until=until):
        if events + len(step.events) > at_most:
            return SearchTotals(at_most, 0, is_complete=False)
        try:
            with deadline_of_database_statements.limited(search.using, until):
                amount += _amount(search, step.events)
        except deadline_of_database_statements.OutOfTime:
            return SearchTotals(events, amount, is_complete=False)
        events += len(step.events)
        if step.is_cut_off(until):
            return SearchTotals(events, amount, is_complete=False)
    return SearchTotals(events, amount, is_complete=True)


def _amount(search: Search, events: Sequence[FoundEvent]) -> int:
    """Return the sum of these matching events. One query, or none."""
    if not events:
        return 0
    event_rows = EventLog.objects.using(search.using).filter(position__in=[event.position for event in events])
    adds = search.counting.counts if search.counting else F("amount_minor")
    return int(event_rows.annotate(adds=adds).aggregate(amount=Sum("adds"))["amount"] or 0)
