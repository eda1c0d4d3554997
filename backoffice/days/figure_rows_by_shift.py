"""Every figure of a table's gaming day in its row, a column a shift: opener, movements, the wins."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from backoffice.days.table_and_recorded_win_lines import WinLine
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.win_report_lines import WinFigures
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.counts import TableCounted
from events.tables.event_types.session import SessionVoided
from events.tables.moved_amount_declarations import TRAY_COUNT, type_names


class Cell(msgspec.Struct, frozen=True):
    """A figure of a shift ("" for the day); None: it is not known yet, or sealed."""

    shift: str
    value: int | None
    is_sealed: bool = False


class FigureRow(msgspec.Struct, frozen=True, kw_only=True):
    """A figure by shift. `sum` or `type` name the events that it comes from, where they are those and no others.

    `type`: the inputs of a calculation.
    """

    key: str
    title: "str | Promise"
    shown: str = "money"
    sum: str = ""
    type: str = ""
    cells: tuple[Cell, ...] = ()


class _Kind(msgspec.Struct, frozen=True):
    """A row and its figure. `is_blind`: a person who has not counted yet could compute the content of a box from it."""

    row: FigureRow
    of: Callable[[WinFigures], int | None]
    is_blind: bool = False


def _row(
    key: str, title: "str | Promise", of: Callable[[WinFigures], int | None], is_blind: bool = False, **options: Any
) -> _Kind:
    return _Kind(FigureRow(key=key, title=title, **options), of, is_blind)


def _win_difference(of: WinFigures) -> int | None:
    won, due = of.inventory_win_minor, of.event_win_minor
    return None if won is None or due is None else won - due


@cached_until_forgotten
def tray_count_types() -> frozenset[str]:
    """Return the types that count a tray, or void the counts of a day."""
    return type_names(("opener", *TRAY_COUNT))


@cached_until_forgotten
def box_count_types() -> frozenset[str]:
    """Return the types that count a box: the count room's amounts are its own (docs/adr/0112)."""
    return type_names(("drop",)) | {CountSettled.TYPE}


def joined_types(types: Iterable[str]) -> str:
    """Return types as the query of a link has them."""
    return " ".join(sorted(types))


@cached_until_forgotten
def _kinds() -> Sequence[_Kind]:
    boxes = joined_types(box_count_types())
    # A count in between ends no shift, and a void day has no shifts.
    counts = joined_types(tray_count_types() - {TableCounted.TYPE, SessionVoided.TYPE})
    return (
        _row("begin", _("Opener"), lambda f: f.begin_minor, type=counts),
        _row("fills", _("Fills"), lambda f: f.fills_minor, sum="fills"),
        _row("credits", _("Credits"), lambda f: f.credits_minor, sum="credits"),
        _row("cash", _("Buy-ins, cash"), lambda f: f.buyins.cash_minor, True, sum="buyins-cash"),
        _row("marker", _("Buy-ins, markers"), lambda f: f.buyins.marker_minor, True, sum="buyins-marker"),
        _row("promotional", _("Buy-ins, vouchers"), lambda f: f.buyins.promotional_minor, True,
            sum="buyins-promotional"),
        _row("lost", _("Stakes lost"), lambda f: f.lost_minor, sum="lost"),
        _row("voucher-stakes", _("of which staked with vouchers"), lambda f: f.promotional_stakes_minor),
        _row("due", _("Winnings due"), lambda f: f.due_minor, sum="due"),
        _row("paid", _("Winnings paid"), lambda f: f.paid_minor, sum="paid"),
        _row("commission", _("Commissions"), lambda f: f.commission_minor, sum="commission"),
        _row("expected", _("Expected inventory"), lambda f: f.expected_minor, True),
        _row("end", _("Closer"), lambda f: f.end_minor, type=counts),
        _row("drop-cash", _("In boxes, cash"), lambda f: f.drop.cash_minor, True, type=boxes),
        _row("drop-marker", _("In boxes, markers"), lambda f: f.drop.marker_minor, True, type=boxes),
        _row("drop-promotional", _("In boxes, vouchers (not in the drop)"), lambda f: f.drop.promotional_minor, True,
            type=boxes),
        _row("drop-chips", _("In boxes, chips"), lambda f: f.drop.chips_minor, True, type=boxes),
        _row("undecided", _("Unsettled bets on the layout"), lambda f: f.undecided_minor),
        _row("inventory-win", _("Table win"), lambda f: f.inventory_win_minor, True, shown="win"),
        _row("event-win", _("Recorded win"), lambda f: f.event_win_minor, shown="win", sum="event-win"),
        _row("difference", _("Difference"), _win_difference, True, shown="difference"),
        _row("mispay", _("of which mispay"), lambda f: f.parts.mispay_minor, shown="difference", sum="mispay"),
        _row("vouchers", _("of which vouchers"), lambda f: f.parts.promotional_minor, True, shown="difference",
            sum="promotional-chips"),
        _row("drop-part", _("of which box difference"), lambda f: f.parts.drop_minor, True, shown="difference"),
        _row("inventory", _("of which tray difference"), lambda f: f.parts.inventory_minor, True,
            shown="difference"),
        _row("rest", _("of which no known cause"), lambda f: f.parts.rest_minor, True, shown="difference"),
    )  # fmt: skip


def rows(shifts: Sequence[WinLine], day: WinLine) -> tuple[FigureRow, ...]:
    """Return all figures: a cell for each shift, and one for the day."""
    return tuple(msgspec.structs.replace(kind.row, cells=tuple(_cells(kind, (*shifts, day)))) for kind in _kinds())


def _cells(kind: _Kind, lines: Sequence[WinLine]) -> Iterator[Cell]:
    for line in lines:
        hidden = line.is_sealed and kind.is_blind
        yield Cell(line.shift, None if hidden else kind.of(line.figures), hidden)
