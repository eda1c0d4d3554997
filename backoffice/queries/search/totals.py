"""How many events a search finds and what they add up to, over so many of them at most."""

import time
from collections.abc import Sequence

import msgspec
from django.db.models import Count, Q, Sum

from backoffice.queries.search.asked import Search
from backoffice.queries.search.found import WITHIN_S, Found, steps


class Totals(msgspec.Struct, frozen=True):
    """How many events a search finds and what they sum to; not `is_complete` where there are more than were counted."""

    events: int
    amount_minor: int
    is_complete: bool


def totals(asked: Search, at_most: int, within_s: float = WITHIN_S) -> Totals:
    """Count and sum: one query where the log's columns say everything, else over the events that are looked at."""
    return _by_columns(asked, at_most) if asked.is_exact else _by_events(asked, at_most, within_s)


def _by_columns(asked: Search, at_most: int) -> Totals:
    column = "counts" if asked.counting else "amount_minor"
    some = asked.looked_at().values("position", column)[: at_most + 1]
    counts = ~Q(counts=0) if asked.counting else None
    found = some.aggregate(all=Count("position"), events=Count("position", filter=counts), amount=Sum(column))
    return Totals(min(found["events"], at_most), int(found["amount"] or 0), found["all"] <= at_most)


def _by_events(asked: Search, at_most: int, within_s: float) -> Totals:
    until = time.monotonic() + within_s
    events = amount = 0
    for step in steps(asked, newest=True, until=until):
        events += len(step.found)
        if events > at_most:
            return Totals(at_most, 0, is_complete=False)
        amount += _amount(asked, step.found)
        if not step.is_last and time.monotonic() >= until:
            return Totals(events, amount, is_complete=False)
    return Totals(events, amount, is_complete=True)


def _amount(asked: Search, found: Sequence[Found]) -> int:
    """What these events add. One query, or none."""
    if not found:
        return 0
    column = "counts" if asked.counting else "amount_minor"
    some = asked.looked_at().filter(position__in=[one.position for one in found])
    return int(some.aggregate(amount=Sum(column))["amount"] or 0)
