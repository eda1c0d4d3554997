"""Counts of the tray: at the end of a shift, in between, at the close; and exchanges of chips.

A count compares the tray in total with the events (MD 36.05.03.02), and later movements are measured from it. The
counter does not see the expected amount before.
"""

from msgspec.structs import asdict, replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Full, Invalid, Refused
from events.rules.chip_sums_by_denomination import chips_minor
from events.tables import buyin_and_drop_decider, count_differences
from events.tables.actions.count_action_structs import CountShift, CountTable, ExchangeChips
from events.tables.event_types.counts import ChipsExchanged, ShiftCounted, TableCounted
from events.tables.required_witness_checks import COUNT, require_witness
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase, tray_minor

SHIFT = "house shift (NJ 1.21)"
EXCHANGE = "house exchange (MD 36.05.03.02)"
MAX_SHIFTS = 24  # of a gaming day


def count_shift(case: TableCase, data: CountShift) -> Events:
    """End the shift by the count, and begin the next one with it. Bets on the layout belong to the shift that decides
    them.
    """
    session = case.session
    amount = tray_minor(data.chips, data.colours_minor, "data.chips")
    if data.next_shift in (*session.shifts, session.shift):
        return _counted_again(case, data)
    if len(session.shifts) >= MAX_SHIFTS:
        raise Full(SHIFT, coded("too-many-shifts", most=MAX_SHIFTS))
    require_witness(case, data.witness, SHIFT)
    goes, comes = buyin_and_drop_decider.change_box(
        case, replace(session, shift=data.next_shift), data.drop_box, data.witness
    )
    shift_counted = ShiftCounted(
        **session.where(),
        next_shift=data.next_shift,
        chips=data.chips,
        amount_minor=amount,
        expected_minor=session.float_minor,
        witness=data.witness,
        colours_minor=data.colours_minor,
    )
    return [*goes, shift_counted, *count_differences.of_count(case, "shift_count", amount, data.witness), *comes]


def _counted_again(case: TableCase, data: CountShift) -> Events:
    """Record a repeated count of a shift as an interim one: a shift has one name, is run once a day, and continues."""
    shift = data.next_shift
    message = coded("shift-run-today", shift=shift)
    case.forbid("shift again", Refused(SHIFT, message))
    goes, comes = buyin_and_drop_decider.change_box(case, case.session, data.drop_box, data.witness)
    counted = count_table(case, CountTable(chips=data.chips, witness=data.witness, colours_minor=data.colours_minor))
    return [*goes, *counted, *comes]


def count_table(case: TableCase, data: CountTable) -> Events:
    """Record an interim count."""
    session = case.session
    amount = tray_minor(data.chips, data.colours_minor, "data.chips")
    require_witness(case, data.witness, COUNT)
    return [
        TableCounted(**session.where(), **asdict(data), amount_minor=amount, expected_minor=session.float_minor),
        *count_differences.of_count(case, "table_count", amount, data.witness),
    ]


def exchange_chips(case: TableCase, data: ExchangeChips) -> Events:
    """Chips for chips of the same value. An unequal exchange moves no expectation: the next count shows it."""
    out, incoming = chips_minor(data.chips_out, "data.chips_out"), chips_minor(data.chips_in, "data.chips_in")
    if not out:
        raise Invalid("data.chips_out", coded("exchange-empty"))
    if out != incoming:
        case.forbid(
            "unequal exchange",
            Refused(EXCHANGE, coded("exchange-unequal", out=out, incoming=incoming), field="data.chips_in"),
        )
    return [
        ChipsExchanged(
            **case.session.where(),
            chips_out=data.chips_out,
            chips_in=data.chips_in,
            amount_minor=out,
            came_minor=incoming,
        ),
        *count_differences.of_exchange(case, (out, data.chips_out), (incoming, data.chips_in)),
    ]


def shift_counted(session: Session, event: ShiftCounted) -> Session:
    """The box that stays is the last shift's."""
    return replace(
        session,
        shift=event.next_shift,
        shifts=(*session.shifts, event.shift),
        float_minor=event.amount_minor,
        is_box_old=session.box is not None,
        is_moved=True,
    )


HANDLERS: dict[type[ActionData], Handler] = {
    CountShift: count_shift,
    CountTable: count_table,
    ExchangeChips: exchange_chips,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    ShiftCounted: shift_counted,
    TableCounted: lambda session, event: replace(session, float_minor=event.amount_minor, is_moved=True),
    ChipsExchanged: lambda session, event: replace(session, is_moved=True),
}
