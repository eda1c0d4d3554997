"""The rows of a gaming day, read at once, as of one moment."""

from django.db.models import Q

from projections.accounts.cage_and_slip_rows import NOW
from projections.accounts.day_accounts_from_rows import DayRows, now_of
from projections.accounts.models import (
    AccountsNow,
    CageAccount,
    DayAccount,
    FoundAccount,
    PaperAccount,
    SlipAccount,
)
from projections.combined_query import read_together
from projections.tables.models import TableDay


def day_rows(day: str, using: str = "default") -> DayRows | None:
    """Return the rows about a gaming day; None for an unknown day. Two queries."""
    days, nows = read_together(
        DayAccount.objects.using(using).filter(id=day), AccountsNow.objects.using(using).filter(id=NOW)
    )
    if not days:
        return None
    now = nows[0] if nows else None
    latest = [*now_of(now).latest.values()]
    slips_of_day = Q(gaming_day=day) | Q(settled_at=None) | Q(gaming_day__lt=day, settled_at__gte=days[0].first)
    tables, slips, discrepancies, cage, papers = read_together(
        TableDay.objects.using(using).filter(Q(gaming_day=day) | Q(id__in=latest)).order_by("table"),
        SlipAccount.objects.using(using).filter(slips_of_day, number__gt=0).order_by("kind", "year", "number"),
        FoundAccount.objects.using(using).filter(gaming_day=day).order_by("position"),
        CageAccount.objects.using(using).filter(id=day),
        PaperAccount.objects.using(using).filter(gaming_day=day),
    )
    return DayRows(
        day=days[0], now=now, tables=tables, slips=slips, discrepancies=discrepancies, cage=cage, papers=papers
    )
