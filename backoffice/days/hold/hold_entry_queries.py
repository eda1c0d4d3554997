"""The entries of the hold from the read models: a row a table and gaming day, and one for each kind of bet there.

Only counted days are included: every box of the table's day, and its tray. So no figure is an estimate, and none
reveals the expected content of a box before its count. Closed days to which something came that is in no report are
included as they were reported, with the difference since.
"""

from collections.abc import Iterator

import msgspec
from django.db.models import Max, Min, QuerySet, Sum

from backoffice.wording import stream_currencies
from events.accounting.win_report_lines import TableFigures
from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry, of_months
from events.hold.drop_win_hold_handle_sums import of_tables as entries_of_tables
from events.hold.hold_entries_fold import ClosedDayReport, came_on, entries_and_differences
from events.house.settings import HouseSettings
from events.money.past_monthly_drop_win_file import months_from_setting
from events.rules.game_declaration_and_registry import game_of
from events.tables.moved_amount_declarations import EVENT_WIN, total
from projections.accounts.cage_and_slip_rows import NOW
from projections.accounts.day_accounts_from_rows import now_of
from projections.accounts.models import AccountsNow, DayAccount, DayReport, LateEvent
from projections.tables.models import TableDay, WagerDay
from projections.tables.table_and_recorded_win_calculation import event_win_minor, inventory_win_minor, net_drop_minor

_READ = (
    *("id", "table", "gaming_day", "game", "pit", "recorded", "opener_minor", "closer_minor", "fills_minor"),
    *("credits_minor", "drop_minor", "drop_promotional_minor", *(f"{name}_minor" for name in EVENT_WIN)),
)


class _Figures(msgspec.Struct):
    """The part of a report that the hold is made of."""

    tables: tuple[TableFigures, ...]


_figures = msgspec.json.Decoder(_Figures)


def settings() -> HouseSettings:
    """Return the settings in force."""
    return now_of(AccountsNow.objects.filter(id=NOW).first()).house.settings


def last_day() -> str:
    """Return the last gaming day with a counted table; "" without one."""
    return _counted_table_days().aggregate(day=Max("gaming_day"))["day"] or ""


def uncounted(day: str) -> int:
    """Return the number of tables' gaming days until then with an uncounted box or tray."""
    return TableDay.objects.filter(gaming_day__lte=day).exclude(status="void").count() - _table_days_until(day).count()


def of_tables(day: str, since: str, house_settings: HouseSettings) -> list[HoldEntry]:
    """Return every table's gaming day until then, and earlier months; the handle only of days from `since` on."""
    laid = WagerDay.objects.filter(gaming_day__gte=since, gaming_day__lte=day).values_list("stream")
    handle = dict(laid.annotate(Sum("handle_minor")))
    rows = list(_table_days_until(day).only(*_READ))
    hold_entries = [_entry(row) for row in rows]
    handled = [
        HoldEntry(day=row.gaming_day, shift="", of=_entry_names(row), amounts=Amounts(handle_minor=handle[row.id]))
        for row in rows
        if row.recorded and row.id in handle
    ]
    names = {entry.of["table"]: entry.of for entry in hold_entries}
    first = min((entry.day for entry in hold_entries), default="9999-12-31")
    return [
        *of_months(months_from_setting(house_settings.hold_history, stream_currencies.of_house()), first, names),
        *entries_and_differences(hold_entries, _closed_days_with_late_events(day)),
        *handled,
    ]


def of_bets(day: str, since: str) -> Iterator[HoldEntry]:
    """Every kind of bet by gaming day: it has a handle, and no drop."""
    days = WagerDay.objects.filter(
        gaming_day__gte=since, gaming_day__lte=day, stream__in=_table_days_until(day).values("id")
    )
    sums = [Sum("handle_minor"), *(Sum(f"{name}_minor") for name in EVENT_WIN)]
    rows = days.values_list("gaming_day", "ruleset", "wager").annotate(*sums)
    for gaming_day, ruleset, wager, handle, *parts in rows:
        won = total(EVENT_WIN, dict(zip(EVENT_WIN, parts, strict=True)).__getitem__)
        amounts = Amounts(drop_minor=None, win_minor=None, handle_minor=handle, event_win_minor=won)
        yield HoldEntry(day=gaming_day, shift="", of={"bet": f"{game_of(ruleset)} {wager}"}, amounts=amounts)


def _counted_table_days() -> QuerySet[TableDay]:
    return TableDay.objects.filter(status="counted", closer_minor__isnull=False, drop_minor__isnull=False)


def _table_days_until(day: str) -> QuerySet[TableDay]:
    """Tables in the property's currency: a store of earlier days may hold others."""
    return _counted_table_days().filter(gaming_day__lte=day, currency__in=("", stream_currencies.of_house()))


def _entry(row: TableDay) -> HoldEntry:
    amounts = Amounts(
        drop_minor=net_drop_minor(row),
        win_minor=inventory_win_minor(row),
        handle_minor=0 if row.recorded else None,
        event_win_minor=event_win_minor(row) if row.recorded else None,
    )
    return HoldEntry(day=row.gaming_day, shift="", of=_entry_names(row), amounts=amounts)


def _entry_names(row: TableDay) -> dict[str, str]:
    return {"table": row.table, "game": row.game, "pit": row.pit}


def _closed_days_with_late_events(until: str) -> dict[str, ClosedDayReport]:
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
        day: ClosedDayReport(entries=_counted_entries(day, figures), came=came_on(days, day, first_late[day], until))
        for day, figures in dict(reports).items()
    }


def _counted_entries(day: str, figures: str) -> tuple[HoldEntry, ...]:
    tables = _figures.decode(figures).tables
    return tuple(entry for entry in entries_of_tables(tables, day) if not entry.amounts.is_estimated)
