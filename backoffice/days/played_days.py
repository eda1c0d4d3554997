"""Gaming days on which tables were open."""

from django.db.models import Max, Min

from projections.tables.models import TableDay


def first_and_last_day() -> tuple[str, str] | None:
    """Return the first and the last played gaming day."""
    bounds = TableDay.objects.aggregate(first=Min("gaming_day"), last=Max("gaming_day"))
    return (bounds["first"], bounds["last"]) if bounds["last"] else None


def was_played(gaming_day: str) -> bool:
    """Return whether a table was opened for it."""
    return TableDay.objects.filter(gaming_day=gaming_day).exists()
