"""Closed days to which something came that is in no report, out of the read models."""

import msgspec
from django.db.models import Min

from events.accounting.win_report_lines import TableFigures
from events.hold.differences_after_day_close import ClosedDayReport, came_on
from events.hold.drop_win_hold_handle_sums import HoldEntry, of_tables
from projections.accounts.models import DayAccount, DayReport, LateEvent


class _Figures(msgspec.Struct):
    """The part of a report that the hold is made of."""

    tables: tuple[TableFigures, ...]


_figures = msgspec.json.Decoder(_Figures)


def closed(until: str) -> dict[str, ClosedDayReport]:
    """Return the days up to that day, with the figures of tables counted by then. Three queries, or one."""
    late = LateEvent.objects.filter(named=0, gaming_day__lte=until).values("gaming_day").annotate(first=Min("position"))
    first_late = dict(late.values_list("gaming_day", "first"))
    if not first_late:
        return {}
    days = list(DayAccount.objects.filter(id__gte=min(first_late)).order_by("id").values_list("id", "first"))
    reports = (
        DayReport.objects.filter(gaming_day__in=first_late).order_by("number").values_list("gaming_day", "figures")
    )
    return {
        day: ClosedDayReport(entries=_counted(day, figures), came=came_on(days, day, first_late[day], until))
        for day, figures in dict(reports).items()
    }


def _counted(day: str, figures: str) -> tuple[HoldEntry, ...]:
    tables = _figures.decode(figures).tables
    return tuple(entry for entry in of_tables(tables, day) if not entry.amounts.is_estimated)
