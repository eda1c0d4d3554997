"""Columns of a table's gaming day by its events: the money of float and box, bets won and lost, and counts.

The two wins (`table_and_recorded_win_calculation.py`) come from disjoint columns: openers, fills, credits, drop and
closers on one side, settlements on the other. Due amounts (bet.settled) and paid amounts (payment.made) stay apart.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.accounting import table_shifts_fold
from events.accounting.drop_box_content_structs import contents
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.table_shifts_fold import TableShifts
from events.accounting.win_report_lines import drop_of, is_counted
from events.envelope import EventData
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.counts import DropPut
from events.tables.event_types.money import DropRemoved
from events.tables.event_types.progressive import ProgressiveArmed
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    RoundEnded,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import (
    Chips,
    IrregularityRecorded,
    SessionClosed,
    SessionOpened,
    SessionRolled,
    SessionVoided,
)
from events.tables.moved_amount_declarations import TRAY, Name, Reader, amount, figure_of, types_with
from projections.engine.decoded_events import Event
from projections.tables.event_amount_columns import Columns, add_amounts, columns_of
from projections.tables.models import TableDay

# Columns by the amounts that are added to them.
_COLUMNS: Mapping[Name, str] = {
    "fills": "fills_minor",
    "credits": "credits_minor",
    "buyins_cash": "buyins_cash_minor",
    "buyins_marker": "buyins_marker_minor",
    "buyins_promotional": "buyins_promotional_minor",
    "staked": "stakes_minor",
    "decided": "resolved_minor",
    "lost": "lost_minor",
    "due": "due_minor",
    "paid": "paid_minor",
    "commission": "commission_minor",
    "opener": "opener_minor",
    "found": "found_minor",
    "corrected": "corrected_minor",
    "carried_in": "carried_in_minor",
    "carried_out": "carried_out_minor",
    "rounded": "rounded_millionths",
    "kept": "kept_millionths",
}
# Events that may come before the table has opened: they make no row.
_OF_A_ROW = frozenset((DropPut, DropRemoved, CountSettled, IrregularityRecorded))


class ColumnChange(msgspec.Struct, frozen=True, gc=False):
    """Changes by events of a type in a row. `makes_row`: the day has a row afterwards, though it had none."""

    columns: Columns
    tray: Reader | None
    handler: "_Handler | None"
    is_of_boxes: bool
    makes_row: bool

    def apply(self, row: TableDay, data: EventData, shifts: TableShifts | None) -> None:
        """Change the row by an event; `shifts` is the day after it."""
        add_amounts(row, self.columns, data)
        if row.expected_minor is not None and self.tray is not None:
            row.expected_minor += self.tray(data)  # moved before the closing count, recorded after it
        if self.handler is not None:
            self.handler(row, data)
        if self.is_of_boxes:
            row.by_count_room = row.by_count_room or isinstance(data, CountSettled)
            if shifts is not None:
                _set_drop(row, shifts)


_Handler = Callable[[TableDay, Any], None]


@cached_until_forgotten
def change_by(kind: type[EventData]) -> ColumnChange | None:
    """Return the change that events of a type make; None where they change no column."""
    columns, handler, is_of_boxes = columns_of(kind, _COLUMNS), _handlers().get(kind), kind in _of_boxes()
    if not columns and handler is None and not is_of_boxes:
        return None
    tray = figure_of(kind, tuple(TRAY.items())) if columns else None
    return ColumnChange(columns, tray, handler, is_of_boxes, makes_row=kind not in _OF_A_ROW)


@cached_until_forgotten
def _of_boxes() -> frozenset[type[EventData]]:
    """Return the event types that move the tray or a box: the drop is another one after them."""
    return table_shifts_fold.of_boxes() | {SessionOpened, SessionVoided, CountSettled}


def new_day(event: Event) -> TableDay:
    """Return the row of a gaming day by the first event of its stream that counts in it."""
    data = event.data
    return TableDay(
        id=event.stream,
        property=event.envelope.source,
        table=data.table,
        gaming_day=data.gaming_day,
        pit=data.pit,
        ruleset=data.ruleset,
    )


# --- float and box ----------------------------------------------------------------------------------------------------


def _open_session(day: TableDay, data: SessionOpened) -> None:
    day.game, day.currency, day.progressive = data.game, data.currency, data.progressive or ""
    day.pit, day.ruleset, day.status = data.pit, data.ruleset, "open"
    day.opener_chips = chips_text(data.opener)
    day.recorded = data.recorded
    day.rolled_from = data.follows.rpartition("/")[2] if data.follows else ""


def _closed(day: TableDay, data: SessionClosed | SessionRolled) -> None:
    """Close the day by its count. The expected tray counts from the opener, as both wins do."""
    closer, surplus = amount(data, "closer"), amount(data, "found_at_close")
    day.closer_minor, day.closer_chips = closer, chips_text(data.closer)
    day.expected_minor, day.status = closer - surplus - day.found_minor, "closed"


def _roll_session(day: TableDay, data: SessionRolled) -> None:
    """Close the day by a count. Bets count on the day of their stake; stakes still on the layout on the day of
    decision.
    """
    _closed(day, data)
    day.rolled_into = data.into


def _void_session(day: TableDay, data: SessionVoided) -> None:
    day.status, day.opener_chips = "void", "{}"
    day.closer_minor, day.closer_chips, day.expected_minor = None, "{}", None


def _drop_counted(day: TableDay, _data: EventData) -> None:
    day.status = "counted" if day.status == "closed" else day.status


def _set_drop(day: TableDay, shifts: TableShifts) -> None:
    """Set the drop by the boxes of the accounts: counted amounts where counted, recorded ones elsewhere."""
    counted = [is_counted(shifts, shift) for shift in shifts.shifts]
    drop = contents(drop_of(shift, counted=done) for shift, done in zip(shifts.shifts, counted, strict=True))
    day.beyond_record_minor = drop.net - day.buyins_cash_minor - day.buyins_marker_minor
    day.drop_minor = day.drop_promotional_minor = None
    if all(counted):
        day.drop_minor, day.drop_promotional_minor = drop.net + drop.promotional, drop.promotional
        day.status = "counted"


def chips_text(chips: Chips) -> str:
    """A float by denomination, as canonical JSON: zeros left out, highest first."""
    counts = {
        str(denomination): chips[denomination] for denomination in sorted(chips, reverse=True) if chips[denomination]
    }
    return msgspec.json.encode(counts).decode()


# --- bets and rounds --------------------------------------------------------------------------------------------------


def _placed(day: TableDay, data: BetPlaced) -> None:
    day.bets += 1


def _corrected(day: TableDay, data: BetCorrected | SettlementVoided | SettlementCorrected) -> None:
    day.corrections += 1


def _armed(day: TableDay, data: ProgressiveArmed) -> None:
    day.progressive_stakes_minor += sum(bet.stake_minor for bet in data.bets)


def _end_round(day: TableDay, data: RoundEnded) -> None:
    day.rounds += 1


def _round_voided(day: TableDay, data: RoundVoided) -> None:
    day.rounds_voided += 1


def _irregular(day: TableDay, data: IrregularityRecorded) -> None:
    day.irregularities += 1


_HANDLERS: Mapping[type[EventData], _Handler] = {
    SessionOpened: _open_session,
    SessionClosed: _closed,
    SessionRolled: _roll_session,
    SessionVoided: _void_session,
    BetPlaced: _placed,
    BetCorrected: _corrected,
    SettlementVoided: _corrected,
    SettlementCorrected: _corrected,
    ProgressiveArmed: _armed,
    RoundEnded: _end_round,
    RoundVoided: _round_voided,
    IrregularityRecorded: _irregular,
}


@cached_until_forgotten
def _handlers() -> Mapping[type[EventData], _Handler]:
    """Return the handlers, with every count of a box."""
    return {**dict.fromkeys(types_with(("drop",)), _drop_counted), **_HANDLERS}
