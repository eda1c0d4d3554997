"""Progressives: each meter reconciled from its first event, with its liability."""

from collections import defaultdict
from collections.abc import Iterator

from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from projections.progressives.models import Hit, ProgressiveLevel

MICRO = 1_000_000


def pools(_of: ReportSubject) -> Iterator[Row]:
    """Yield each level's start, contributions, seeds, corrections, locks, present value and liability."""
    owed = _owed()
    for level in ProgressiveLevel.objects.order_by("progressive", "rank"):
        locked_micro = level.locked_minor * MICRO
        came_micro = level.start_micro + level.fed_micro + level.seeds_micro + level.adjusted_micro
        unpaid_micro = owed[level.stream, level.level] * MICRO
        yield {
            "progressive": level.progressive,
            "level": level.level,
            "start_micro": level.start_micro,
            "fed_micro": level.fed_micro,
            "seeds_micro": level.seeds_micro,
            "corrected_micro": level.adjusted_micro,
            "locked_micro": locked_micro,
            "meter_micro": level.meter_micro,
            "rest_micro": level.meter_micro - (came_micro - locked_micro),
            "reserve_micro": level.reserve_micro,
            "unpaid_micro": unpaid_micro,
            "liability_micro": level.meter_micro + level.reserve_micro + unpaid_micro,
        }


def _owed() -> dict[tuple[str, str], int]:
    """Return locked or authorised unpaid shares, by level. One query."""
    owed: dict[tuple[str, str], int] = defaultdict(int)
    waiting = Hit.objects.filter(status__in=("locked", "authorised"))
    for stream, level, share in waiting.values_list("stream", "level", "share_minor"):
        owed[stream, level] += share or 0
    return owed
