"""The floor of a gaming day: every table with its figures, by pit, and the house."""

from collections.abc import Collection, Iterable, Sequence

import msgspec
from django.db.models import OuterRef, Subquery

from backoffice.event_log import figures_hidden_before_counts
from backoffice.tables.counted_win_against_recorded_win import (
    Cause,
    Reckoning,
    State,
    causes_of,
    compare_wins,
    sealed,
    worst_state,
)
from backoffice.wording.copy_row_into_page_struct import struct_from
from projections.accounts.discrepancy_and_box_count_rows import OF_TRAYS
from projections.accounts.models import FoundAccount
from projections.eventlog.models import EventLog
from projections.floor.models import InstalledTable
from projections.tables.models import TableDay
from projections.tables.table_and_recorded_win_calculation import net_drop_minor


class OnDuty(msgspec.Struct, frozen=True):
    """Dealer and inspector at the table, and its round, by the table's last event."""

    dealer: str | None = None
    inspector: str | None = None
    round: int | None = None


class TableOnFloor(msgspec.Struct, frozen=True):
    """A table's gaming day on the floor. `drop_minor` is without vouchers.

    It is counted, or (`is_counted` False) the buy-ins so far and the boxes that are counted already. It is null, with
    the table win, while it `is_sealed` to the reader.
    """

    table: str
    gaming_day: str
    pit: str
    game: str
    ruleset: str
    currency: str
    progressive: str
    status: str
    on_duty: OnDuty
    rounds: int
    stakes_minor: int
    drop_minor: int | None
    is_counted: bool
    fills_minor: int
    credits_minor: int
    irregularities: int
    reckoning: Reckoning
    is_sealed: bool = False

    @property
    def drop_sum(self) -> str:
        """The sum over events that the drop is; "" where it is mixed: the day's page opens it."""
        if self.reckoning.is_mixed:
            return ""
        return "drop" if self.is_counted else "buyins"


class Totals(msgspec.Struct, frozen=True):
    """A pit, or the house. Only the `compared` tables, those with a closer, are in table win and difference; the
    drop is null where one of them is sealed.

    `unexplained_minor` is the part of the difference that has no cause yet, `causes` explain the remainder.
    `drop_sum` and `inventory_sum` name the sum over events that the figure is; "" where it is a mixture. Where not
    every drop `is_drop_counted`, the drop is an estimate.
    """

    tables: int
    open: int
    compared: int
    drop_sum: str
    inventory_sum: str
    stakes_minor: int
    drop_minor: int | None
    fills_minor: int
    credits_minor: int
    inventory_win_minor: int | None
    event_win_minor: int
    difference_minor: int | None
    irregularities: int
    state: State
    reason: str
    unexplained_minor: int | None = None
    causes: tuple[Cause, ...] = ()
    is_drop_counted: bool = True


class Idle(msgspec.Struct, frozen=True):
    """An installed table that was not opened on this gaming day."""

    table: str
    game: str
    ruleset: str


class Pit(msgspec.Struct, frozen=True):
    """A pit's tables and their totals."""

    pit: str
    tables: tuple[TableOnFloor, ...]
    idle: tuple[Idle, ...]
    totals: Totals


class Floor(msgspec.Struct, frozen=True):
    """A gaming day of the house. Money of several currencies is never added up: `currency` is then ""."""

    gaming_day: str
    currency: str
    pits: tuple[Pit, ...]
    totals: Totals
    earlier: str | None
    later: str | None
    days: tuple[str, ...]

    @property
    def tables(self) -> tuple[TableOnFloor, ...]:
        """All tables that were opened, in the order of the pits."""
        return tuple(table for pit in self.pits for table in pit.tables)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is installed and nothing was played."""
        return not self.pits


class Scope(msgspec.Struct, frozen=True):
    """Gaming days with records, and the selected one."""

    day: str
    days: tuple[str, ...]
    earlier: str | None
    later: str | None


def floor(gaming_day: str = "", roles: Collection[str] = ()) -> Floor:
    """The floor of a day, of the latest one where none is named, as a person in these roles may see it. Seven queries,
    however many tables there are."""
    scope = days(gaming_day)
    rows = list(TableDay.objects.filter(gaming_day=scope.day).order_by("pit", "table"))
    present = on_duty(rows)
    shut = figures_hidden_before_counts.streams(roles)
    settled = explained_by_accounting(scope.day)
    tables = [
        table_on_floor(row, present.get(row.id, OnDuty()), is_sealed=row.id in shut, is_explained=row.table in settled)
        for row in rows
    ]
    idle = _idle({row.table for row in rows})
    pits = []
    for name in sorted({table.pit for table in tables} | set(idle)):
        own = tuple(table for table in tables if table.pit == name)
        pits.append(Pit(name, own, tuple(idle.get(name, ())), total(own)))
    currencies = {table.currency for table in tables}
    return Floor(
        gaming_day=scope.day,
        currency=currencies.pop() if len(currencies) == 1 else "",
        pits=tuple(pits),
        totals=total(tables),
        earlier=scope.earlier,
        later=scope.later,
        days=scope.days,
    )


def days(wanted: str = "", limit: int = 60) -> Scope:
    """Return the played gaming days, newest first."""
    gaming_days = TableDay.objects.order_by("-gaming_day").values_list("gaming_day", flat=True).distinct()
    known_days = tuple(gaming_days[:limit])
    day = wanted or (known_days[0] if known_days else "")
    earlier = next((gaming_day for gaming_day in known_days if gaming_day < day), None)
    later = next((gaming_day for gaming_day in reversed(known_days) if gaming_day > day), None)
    return Scope(day, known_days, earlier, later)


def on_duty(rows: Iterable[TableDay]) -> dict[str, OnDuty]:
    """Return the staff of each table, by stream: from the last event of each stream, in one query."""
    last = EventLog.objects.filter(stream=OuterRef("id")).order_by("-version").values("position")[:1]
    ends = TableDay.objects.filter(id__in=[row.id for row in rows]).annotate(end=Subquery(last)).values("end")
    last_events = EventLog.objects.filter(position__in=ends).values_list("stream", "dealer", "inspector", "round")
    return {stream: OnDuty(dealer, inspector, number) for stream, dealer, inspector, number in last_events}


def explained_by_accounting(gaming_day: str, table: str = "") -> set[str]:
    """The tables of a day whose tray or boxes were found differently from expected, and accounting has explained
    all."""
    rows = FoundAccount.objects.filter(gaming_day=gaming_day, kind__in=(*OF_TRAYS, "box"))
    if table:
        rows = rows.filter(table=table)
    differences = list(rows.values_list("table", "explained_at"))
    return {name for name, _ in differences} - {name for name, explained_at in differences if explained_at is None}


def table_on_floor(row: TableDay, present: OnDuty, *, is_sealed: bool, is_explained: bool = False) -> TableOnFloor:
    """Return a table's figures, without those that a person who may count it must not see before."""
    reckoning = compare_wins(row, is_explained=is_explained)
    return struct_from(
        row,
        TableOnFloor,
        on_duty=present,
        drop_minor=None if is_sealed else net_drop_minor(row),
        is_counted=row.drop_minor is not None,
        reckoning=sealed(reckoning) if is_sealed else reckoning,
        is_sealed=is_sealed,
    )


def total(tables: Sequence[TableOnFloor]) -> Totals:
    """Sums over tables."""
    wins = [table.reckoning for table in tables]
    counted_wins = [win for win in wins if win.inventory_win_minor is not None]
    state, reason = worst_state(wins)
    return Totals(
        tables=len(tables),
        open=sum(table.status == "open" for table in tables),
        compared=len(counted_wins),
        drop_sum=_single_name({table.drop_sum for table in tables}),
        inventory_sum=_single_name({"" if win.basis == "open" else win.inventory_sum for win in wins}),
        stakes_minor=sum(table.stakes_minor for table in tables),
        drop_minor=_sum([table.drop_minor for table in tables]),
        fills_minor=sum(table.fills_minor for table in tables),
        credits_minor=sum(table.credits_minor for table in tables),
        inventory_win_minor=sum(win.inventory_win_minor or 0 for win in counted_wins) if counted_wins else None,
        event_win_minor=sum(win.event_win_minor or 0 for win in wins),
        difference_minor=sum(win.difference_minor or 0 for win in counted_wins) if counted_wins else None,
        irregularities=sum(table.irregularities for table in tables),
        state=state,
        reason=reason,
        unexplained_minor=sum(win.unexplained_minor or 0 for win in counted_wins) if counted_wins else None,
        causes=causes_of(wins),
        is_drop_counted=all(table.is_counted for table in tables),
    )


def _sum(amounts: Sequence[int | None]) -> int | None:
    """Return the sum; None where an amount is hidden."""
    known_amounts = [amount for amount in amounts if amount is not None]
    return sum(known_amounts) if len(known_amounts) == len(amounts) else None


def _single_name(names: set[str]) -> str:
    return names.pop() if len(names) == 1 else ""


def _idle(opened: set[str]) -> dict[str, list[Idle]]:
    """Tables on the floor that were not opened, by pit."""
    by_pit: dict[str, list[Idle]] = {}
    for row in InstalledTable.objects.order_by("table"):
        if row.table not in opened:
            by_pit.setdefault(row.pit, []).append(Idle(row.table, row.game, row.ruleset))
    return by_pit
