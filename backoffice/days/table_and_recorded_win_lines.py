"""Both wins of a gaming day, line by line: house, games, pits, tables, shifts, each the total of the lines below."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from backoffice.event_log.figures_hidden_before_counts import Sealed
from events.accounting.win_report_lines import TableFigures, WinFigures, total_win_figures

Level = Literal["house", "pit", "game", "table", "shift"]


class WinLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the report. None is not known yet; `is_sealed`: it is not shown before the count is in."""

    level: Level
    name: str
    table: str = ""
    shift: str = ""
    game: str = ""
    recorded: bool = True
    is_sealed: bool = False
    is_counted: bool
    drop_minor: int | None
    inventory_win_minor: int | None
    event_win_minor: int | None
    difference_minor: int | None
    mispay_minor: int | None
    vouchers_minor: int | None
    drop_part_minor: int | None
    inventory_minor: int | None
    rest_minor: int | None
    undecided_minor: int | None
    figures: WinFigures

    @property
    def key(self) -> str:
        """A name for its figures on the page."""
        return "-".join(part for part in (self.level, self.name, self.shift) if part)

    @property
    def about(self) -> dict[str, Any]:
        """Return the filter for its events, by names of the query string."""
        parameters = {"table": self.table, "shift": self.shift, "pit": self.name if self.level == "pit" else ""}
        return {name: value for name, value in parameters.items() if value}

    @property
    def is_over(self) -> bool:
        """Return whether it has ended: a running shift has no end."""
        return self.figures.end_minor is not None


class DayWins(msgspec.Struct, frozen=True):
    """The lines of a day. Each of the sums is there where there is more than one of its kind."""

    house: WinLine
    pits: tuple[WinLine, ...]
    games: tuple[WinLine, ...]
    tables: tuple[tuple[WinLine, tuple[WinLine, ...]], ...]


def wins(tables: Sequence[TableFigures], hides_shift: Sealed) -> DayWins | None:
    """Return all lines of a day; None for a day without an open table."""
    if not tables:
        return None
    lines = tuple(of_table(figures, hides_shift) for figures in tables)
    whole = [(figures, line.is_sealed) for figures, (line, _) in zip(tables, lines, strict=True)]
    return DayWins(
        house=_sum("house", "", whole),
        pits=tuple(_groups("pit", whole, lambda figures: figures.pit)),
        games=tuple(_groups("game", whole, lambda figures: figures.game)),
        tables=lines,
    )


def of_table(table: TableFigures, hides_shift: Sealed) -> tuple[WinLine, tuple[WinLine, ...]]:
    """Return a table's day, and its shifts."""
    shifts = tuple(
        _win_line(
            "shift",
            table.table,
            shift_figures,
            is_sealed=hides_shift(table.table, shift_figures.shift),
            shift=shift_figures.shift,
            table=table,
        )
        for shift_figures in table.shifts
    )
    any_sealed = any(line.is_sealed for line in shifts)
    return _win_line("table", table.table, table.day, is_sealed=any_sealed, table=table), shifts


def _groups(
    level: Level, tables: Iterable[tuple[TableFigures, bool]], of: Callable[[TableFigures], str]
) -> Iterator[WinLine]:
    listed = list(tables)
    names = sorted({of(figures) for figures, _ in listed})
    if len(names) > 1:
        yield from (_sum(level, name, [pair for pair in listed if of(pair[0]) == name]) for name in names)


def _sum(level: Level, name: str, tables: Sequence[tuple[TableFigures, bool]]) -> WinLine:
    return _win_line(
        level,
        name,
        total_win_figures([figures.day for figures, _ in tables]),
        is_sealed=any(closed for _, closed in tables),
    )


def _win_line(
    level: Level,
    name: str,
    of: WinFigures,
    *,
    is_sealed: bool,
    shift: str = "",
    table: TableFigures | None = None,
) -> WinLine:
    def unsealed(value: int | None) -> int | None:
        return None if is_sealed else value

    won, due = of.inventory_win_minor, of.event_win_minor
    return WinLine(
        level=level,
        name=name,
        table=table.table if table is not None else "",
        shift=shift,
        game=table.game if table is not None else "",
        recorded=table.recorded if table is not None else True,
        is_sealed=is_sealed,
        is_counted=of.drop.counted,
        drop_minor=unsealed(of.drop.cash_minor + of.drop.marker_minor + of.drop.chips_minor),
        inventory_win_minor=unsealed(won),
        event_win_minor=due,
        difference_minor=unsealed(None if won is None or due is None else won - due),
        mispay_minor=of.parts.mispay_minor,
        vouchers_minor=unsealed(of.parts.promotional_minor),
        drop_part_minor=unsealed(of.parts.drop_minor),
        inventory_minor=unsealed(of.parts.inventory_minor),
        rest_minor=unsealed(of.parts.rest_minor),
        undecided_minor=of.undecided_minor,
        figures=of,
    )
