"""How many events a search finds and what they add up to, over so many of them at most."""

import time
from collections.abc import Sequence

import msgspec
from django.db.models import Count, F, Q, Sum

from backoffice.queries.search import time_limit
from backoffice.queries.search.asked import Search
from backoffice.queries.search.found import Found, ends, steps
from projections.eventlog.models import EventLog


class Totals(msgspec.Struct, frozen=True):
    """How many events a search finds and what they sum to; not `is_complete` where there are more than were counted."""

    events: int
    amount_minor: int
    is_complete: bool


def totals(asked: Search, at_most: int, within_s: float | None = None) -> Totals:
    """Count and sum: one query where the log's columns say everything, else over the events that are looked at. The
    events of actions are found along what these recorded, which one query would not.

    A query that takes over half of the time is ended: what can be counted in the rest is told.
    """
    until = ends(within_s)
    is_of_actions = any(condition.is_of_actions for condition in asked.conditions)
    if asked.is_exact and not is_of_actions:
        try:
            with time_limit.limited(asked.using, (time.monotonic() + until) / 2):
                return _by_columns(asked, at_most)
        except time_limit.OutOfTime:
            pass
    return _by_events(asked, at_most, until)


def _by_columns(asked: Search, at_most: int) -> Totals:
    column = "counts" if asked.counting else "amount_minor"
    some = asked.looked_at().values("position", column)[: at_most + 1]
    counts = ~Q(counts=0) if asked.counting else None
    found = some.aggregate(all=Count("position"), events=Count("position", filter=counts), amount=Sum(column))
    return Totals(min(found["events"], at_most), int(found["amount"] or 0), found["all"] <= at_most)


def _by_events(asked: Search, at_most: int, until: float) -> Totals:
    events = amount = 0
    for step in steps(asked, newest=True, until=until):
        events += len(step.found)
        if events > at_most:
            return Totals(at_most, 0, is_complete=False)
        amount += _amount(asked, step.found)
        if step.ends(until):
            return Totals(events, amount, is_complete=False)
    return Totals(events, amount, is_complete=True)


def _amount(asked: Search, found: Sequence[Found]) -> int:
    """What these events add: that they are meant is known. One query, or none."""
    if not found:
        return 0
    some = EventLog.objects.using(asked.using).filter(position__in=[one.position for one in found])
    adds = asked.counting.counts if asked.counting else F("amount_minor")
    return int(some.annotate(adds=adds).aggregate(amount=Sum("adds"))["amount"] or 0)
