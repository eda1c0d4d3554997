"""The named amounts of events at a table: its tray, its bets, its boxes.

A till is the journal's state of a table's gaming day. It holds the content of the tray, and the due and unpaid amounts
of the current round. Each function gets the till before the event, and changes it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.accounting import win_report_lines
from events.accounting.journal.ledger_entry import MICRO, NamedAmount, minor
from events.accounting.report_rules_version_numbers import LAST
from events.accounting.table_shifts_fold import TableShift, TableShifts, boxes_of
from events.envelope import EventData
from events.money.posting_rules import TRAY_SIGN
from events.rules.game_declaration_and_registry import staking
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import SessionClosed, SessionRolled, SessionVoided
from events.tables.moved_amount_declarations import TRAY_COUNT, Name, amount, figure, types_with

Amounts = list[NamedAmount]


class Till(msgspec.Struct):
    """A table's gaming day. `before` is the stream of the previous day, `tray_before` the content of its tray then
    (None: a new table). `owed` is due and unpaid in the current round; `settled` are its settlements, (bet, event)."""

    table: str
    currency: str
    recorded: bool
    opened_by: str
    before: str = ""
    tray_before: int | None = msgspec.field(name="found", default=None)
    tray: int = 0
    owed: int = 0
    is_running: bool = False
    is_closed: bool = False
    settled: list[tuple[str, str]] = []

    def copy(self) -> "Till":
        """An independent one."""
        return msgspec.structs.replace(self, settled=self.settled.copy())


def move(till: Till, amounts: Amounts) -> Amounts:
    """Move the tray by these amounts. After the close its count is final: later amounts change the shortage."""
    moved = 0
    for posting in amounts:
        moved += TRAY_SIGN.get(posting.name, 0) * posting.micro
    if till.is_closed and moved:
        return [*amounts, NamedAmount(_short(till), moved)]
    till.tray += moved
    return amounts


def _short(till: Till) -> str:
    return "count.short" if till.recorded else "count.lost"


# --- the tray ---------------------------------------------------------------------------------------------------------


def opened(till: Till, opener_micro: int) -> Amounts:
    """Return the amounts of an opener: a new table's float comes from the cage, any other is the last day's closer, or
    a difference."""
    if till.tray_before is None:
        return [NamedAmount("float.new", opener_micro)]
    till.tray = till.tray_before
    return [NamedAmount("opener.short", till.tray_before - opener_micro)]


def voided(till: Till, data: SessionVoided) -> Amounts:
    """Return the amounts that undo a void day: its opener, and the shortage at its close."""
    by, opener, surplus = till.opened_by, amount(data, "opener") * MICRO, amount(data, "found_at_close")
    named = [minor(_short(till), -surplus, by)] if surplus else []
    if till.tray_before is None:
        return [*named, NamedAmount("float.new", opener, takes_back=by)]
    return [*named, NamedAmount("opener.short", -opener - till.tray_before, takes_back=by)]


def counted(till: Till, data: EventData, _id: str) -> Amounts:
    """Return the shortage that a count of any kind found."""
    counted_micro = figure(data, TRAY_COUNT) * MICRO
    return [NamedAmount(_short(till), till.tray - counted_micro)] if till.tray != counted_micro else []


def closed(till: Till, data: SessionClosed | SessionRolled, id_: str) -> Amounts:
    """A round that runs when the table is closed leaves nothing owed to its players in the books of the next day."""
    return [*round_over(till, data, id_), *counted(till, data, id_)]


# --- bets -------------------------------------------------------------------------------------------------------------


def staked(_till: Till, data: Any, _id: str) -> Amounts:
    """Return the amounts of a stake: it is on the layout, and is the player's; a commission with it is the house's."""
    return _commission(data)


def _commission(data: EventData, takes_back: str = "") -> Amounts:
    taken = amount(data, "commission")
    return [minor("commission", taken, takes_back)] if taken else []


def settled(till: Till, data: BetSettled, id_: str) -> Amounts:
    till.settled.append((data.bet, id_))
    return _decided(till, data)


def settlement_voided(till: Till, data: SettlementVoided, _id: str) -> Amounts:
    """Return the reversed amounts of the bet's last settlement in the round."""
    place = next((at for at in reversed(range(len(till.settled))) if till.settled[at][0] == data.bet), None)
    return _decided(till, data, "" if place is None else till.settled.pop(place)[1])


def _decided(till: Till, data: EventData, takes_back: str = "") -> Amounts:
    named, due, lost = [], amount(data, "due"), amount(data, "lost")
    if due:
        named = [minor("winnings.due", due, takes_back), *_owed(till, due)]
    if lost:
        named.append(minor("stake.lost", lost, takes_back))
    return named + _commission(data, takes_back)


def resettled(_till: Till, data: SettlementCorrected, _id: str) -> Amounts:
    """Correct the settlement of a finished round, and with it the part that was paid too little or too much."""
    due, lost = amount(data, "due"), amount(data, "lost")
    named = [minor("stake.lost", lost, data.corrects)] if lost else []
    named += _commission(data, data.corrects)
    if due:
        named += [minor("winnings.due", due, data.corrects), minor("winnings.mispaid", -due)]
    return named


def _owed(till: Till, due: int) -> Amounts:
    """Return an amount due outside a round: paid too little, or too much, at once."""
    if not till.is_running:
        return [minor("winnings.mispaid", -due)]
    till.owed += due
    return []


def paid(till: Till, data: PaymentMade, _id: str) -> Amounts:
    """Return the amounts of a payment. A payment for an earlier round corrects its underpayment."""
    handed_out = amount(data, "paid")
    amounts = [minor("winnings.paid", handed_out)]
    if data.won_in is not None:
        return [*amounts, minor("winnings.mispaid", handed_out)]
    return [*amounts, *_owed(till, -handed_out)]


def round_opened(till: Till, _data: RoundOpened, _id: str) -> Amounts:
    till.is_running, till.settled = True, []
    return []


def round_over(till: Till, _data: Any, _id: str) -> Amounts:
    owed, till.owed, till.is_running = till.owed, 0, False
    return [minor("winnings.mispaid", -owed)] if owed else []


def declared_amounts(till: Till, data: EventData, _id: str) -> Amounts:
    """Return the declared amounts of an event that has no rule of its own here."""
    bought = [minor(posted, by) for name, posted in _BUYINS.items() if (by := amount(data, name))]
    handed_out = amount(data, "paid")
    paid_out = [minor("winnings.paid", handed_out), *_owed(till, -handed_out)] if handed_out else []
    return [*bought, *_decided(till, data), *paid_out]


_BUYINS: Mapping[Name, str] = {
    "buyins_cash": "buyin.cash",
    "buyins_marker": "buyin.marker",
    "buyins_promotional": "buyin.promotional",
}


Handler = Callable[[Till, Any, str], Amounts]
_HANDLERS: Mapping[type[EventData], Handler] = {
    SessionClosed: closed,
    SessionRolled: closed,
    BetPlaced: staked,
    BetRestaked: staked,
    BetCorrected: lambda _till, data, _id: _commission(data, data.corrects),
    BetWithdrawn: staked,
    BetSettled: settled,
    SettlementVoided: settlement_voided,
    SettlementCorrected: resettled,
    PaymentMade: paid,
    RoundOpened: round_opened,
    RoundEnded: round_over,
    RoundVoided: round_over,
}


@cached_until_forgotten
def handlers() -> Mapping[type[EventData], Handler]:
    """Return the handlers, with stakes of single games, and with other events that have such amounts."""
    others = dict.fromkeys(types_with((*_BUYINS, "lost", "due", "paid", "commission")), declared_amounts)
    counts = dict.fromkeys(types_with(("counted",)), counted)
    return {**others, **counts, **dict.fromkeys(staking(), staked), **_HANDLERS}


# --- boxes ------------------------------------------------------------------------------------------------------------


def boxes(before: TableShifts, after: TableShifts, takes_back: str = "", layout: int = LAST) -> Amounts:
    """Return the counted contents of the table's boxes, and the recorded buy-ins that leave the boxes with them."""
    names = (("cash", "box.cash"), ("marker", "box.markers"), ("chips", "box.chips"))
    amounts = {name: _content(after, field) - _content(before, field) for field, name in names}
    left = _bought(after) - _bought(before) + uncounted(before, layout) - uncounted(after, layout)
    amounts["box.short"] = left - sum(amounts.values())
    return [minor(name, amount, takes_back) for name, amount in amounts.items() if amount]


def _bought(day: TableShifts) -> int:
    """Return the recorded buy-ins in cash and markers, in minor units."""
    return sum(shift.buyins.net for shift in day.shifts)


def uncounted(day: TableShifts, layout: int = LAST) -> int:
    """The recorded buy-ins of boxes that are not counted, in minor units; of a counted shift nothing is left."""
    return sum(_uncounted(day, shift, layout) for shift in day.shifts)


def _uncounted(day: TableShifts, shift: TableShift, layout: int) -> int:
    if win_report_lines.is_counted(day, shift, layout):
        return 0
    counted = sum(box.recorded.net for box in boxes_of(shift, layout) if box.counted is not None)
    return shift.buyins.net - counted


def _content(day: TableShifts, field: str) -> int:
    contents = [box.counted for shift in day.shifts for box in shift.boxes if box.counted is not None]
    return sum(getattr(content, field) for content in contents)
