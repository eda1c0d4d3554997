"""Progressives: each meter reconciled from its first event, and what the house owes with it."""

from collections import defaultdict
from collections.abc import Iterator

from backoffice.queries.reports.of_day import Of, Row
from projections.progressives.models import Hit, ProgressiveLevel

MICRO = 1_000_000


def pools(_of: Of) -> Iterator[Row]:
    """What it began with, was fed, seeded, corrected and locked by, and what it holds as of now; what is owed."""
    owed = _owed()
    for one in ProgressiveLevel.objects.order_by("progressive", "rank"):
        locked = one.locked_minor * MICRO
        came = one.start_micro + one.fed_micro + one.seeds_micro + one.adjusted_micro
        unpaid = owed[one.stream, one.level] * MICRO
        moved = (one.start_micro, one.fed_micro, one.seeds_micro, one.adjusted_micro, locked, one.meter_micro)
        held = (one.meter_micro - (came - locked), one.reserve_micro, unpaid)
        yield one.progressive, one.level, *moved, *held, one.meter_micro + one.reserve_micro + unpaid


def _owed() -> dict[tuple[str, str], int]:
    """Shares that are locked or authorised and not paid, by level. One query."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    waiting = Hit.objects.filter(status__in=("locked", "authorised"))
    for stream, level, share in waiting.values_list("stream", "level", "share_minor"):
        found[stream, level] += share or 0
    return found
