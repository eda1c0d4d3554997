"""Every table's gaming day, by shift and hour by hour: the fold of `events/accounting`, one table at a time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from operator import add, attrgetter, sub
from zoneinfo import ZoneInfo

import msgspec

from events.accounting import table_days_fold
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report import tray_contents
from events.accounting.table_shifts_fold import TableShift, TableShifts
from events.envelope import EventData
from events.settings.settings_from_environment import settings
from events.tables.event_types.counts import ShiftCounted, TableCounted
from events.tables.event_types.rounds import PaymentMade, RoundEnded, RoundOpened, RoundVoided, SettlementCorrected
from events.tables.event_types.session import SessionClosed, SessionOpened, SessionRolled
from projections.accounts.models import TableHour
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.row_cache_for_batches import States
from projections.tables.models import TableDay
from projections.tables.table_day_column_changes import change_by, new_day

COUNTS = frozenset((SessionOpened, ShiftCounted, TableCounted, SessionClosed, SessionRolled))
# Events that change no figure of the day, and are stored with it.
_TYPES_BETWEEN_DAYS = frozenset((TableCounted, RoundOpened, RoundEnded, RoundVoided))
# The content of an hour, of a shift: the fields of `HourAmounts` without the last.
_moving = attrgetter("buyins.net", "fills", "credits", "lost", "due", "paid", "commission")
_NOTHING = (0,) * 7
_ENDS_OF_ROUNDS = (RoundEnded, RoundVoided)


class PaymentDue(msgspec.Struct, frozen=True, gc=False):
    """Due and unpaid winnings of the running round, in minor units; below zero: paid beyond the due amount."""

    is_running: bool = False
    minor: int = 0


def _mispaid(payment_due: PaymentDue, data: EventData, before: TableShift, now: TableShift) -> tuple[PaymentDue, int]:
    """Return the amount owed after an event of a table, and the mispay that it makes, due less paid. `before` and `now`
    are the shift around the event.

    Winnings that are due and not paid yet are no mispay while their round runs. A round's mispay counts at its end,
    later changes at once. The journal posts by the same rule (`events/accounting/journal/table_event_amounts.py`).
    """
    if isinstance(data, RoundOpened):
        return PaymentDue(is_running=True, minor=payment_due.minor), 0
    if isinstance(data, _ENDS_OF_ROUNDS):
        return PaymentDue(), payment_due.minor
    moved = (now.due - now.paid) - (before.due - before.paid) if now.name == before.name else 0
    is_late = isinstance(data, SettlementCorrected) or (isinstance(data, PaymentMade) and data.won_in is not None)
    if payment_due.is_running and not is_late:
        return PaymentDue(is_running=True, minor=payment_due.minor + moved) if moved else payment_due, 0
    return payment_due, moved


class TableState(msgspec.Struct, frozen=True, gc=False):
    """A table's day, the surplus of its last count over the expected amount of the shift, and winnings owed by its
    round.
    """

    day: TableShifts
    beyond: int = 0
    owed: PaymentDue = PaymentDue()


class HourAmounts(msgspec.Struct, frozen=True, gc=False):
    """Money moved in an hour, in minor units; `bought` for cash and markers. `mispay` is due less paid of the rounds
    that ended in the hour, and of later corrections and payments of earlier ones."""

    bought: int = 0
    fills: int = 0
    credits: int = 0
    lost: int = 0
    due: int = 0
    paid: int = 0
    commission: int = 0
    mispay: int = 0


class TableDays:
    """A row a table's day, and a row an hour of it in which something moved."""

    def __init__(self, target: WriteTarget) -> None:
        self.days: States[TableDay, TableState] = States(target, TableDay, TableState)
        self.hours: States[TableHour, HourAmounts] = States(target, TableHour, HourAmounts)
        self._zone = ""

    def load(self, events: Sequence[Event]) -> None:
        """Every table that these are about."""
        self._zone = settings().time_zone  # once a batch: settings are read from the environment each time
        table_events = [event for event in events if "/tables/" in event.stream]
        counts = [event for event in events if isinstance(event.data, CountSettled)]
        streams = {event.stream for event in table_events}
        self.days.load(streams | {table_days_fold.stream_of(_fact(event)) for event in counts})
        self.hours.load({self._hour_key(event) for event in table_events})

    def take(self, event: Event, fact: AccountingEvent) -> bool:
        """Apply an event; return whether a table's day has changed."""
        stream = table_days_fold.stream_of(fact)
        before = self.days.get(stream)
        day = before.day if before is not None else None
        after = table_days_fold.evolve_day(day, fact)
        self._change_columns(event, stream, after)
        if after is day and (day is None or type(fact.data) not in _TYPES_BETWEEN_DAYS):
            return False
        payment_due, mispay = before.owed if before is not None else PaymentDue(), 0
        if day is not None and after is not None:
            payment_due, mispay = _mispaid(payment_due, fact.data, day.last, after.last)
        self._put(event, stream, before, after, payment_due)
        if day is not None and after is not None:
            self._move(event, day.last, after.last, mispay)
        return True

    def changes(self) -> list[Changes]:
        """The changed rows."""
        return [self.days.changes(), self.hours.changes()]

    def forget(self) -> None:
        """Drop the cached state."""
        self.days.forget()
        self.hours.forget()

    def row(self, stream: str) -> TableDay | None:
        """The row of a table's day, with its counts."""
        return self.days.rows.get(stream)

    def _change_columns(self, event: Event, stream: str, after: TableShifts | None) -> None:
        change = change_by(type(event.data))
        if change is not None and (change.makes_row or self.days.rows.get(stream) is not None):
            change.apply(self.days.rows.change(stream, lambda: new_day(event)), event.data, after)

    def _put(
        self, event: Event, stream: str, before: TableState | None, after: TableShifts | None, owed: PaymentDue
    ) -> None:
        is_count, beyond = type(event.data) in COUNTS, before.beyond if before is not None else 0
        if is_count:
            noted = {stream: beyond}
            tray_contents.note(noted, stream, after, event.data)
            beyond = noted[stream]
        state = None if after is None else TableState(after, beyond, owed)
        row = self.days.put(stream, state, lambda: new_day(event))
        if is_count:
            row.counted_before, row.counted_at = row.counted_at, event.position

    def _move(self, event: Event, before: TableShift, after: TableShift, mispay: int) -> None:
        """Add an event's amounts to the hour of its own clock."""
        moved = _NOTHING if before is after or before.name != after.name else _difference(before, after)
        if moved == _NOTHING and not mispay:
            return
        key = self._hour_key(event)
        was = self.hours.get(key) or HourAmounts()
        amounts = map(add, msgspec.structs.astuple(was), (*moved, mispay))
        row = self.hours.put(key, HourAmounts(*amounts), lambda: _new_hour(event, key))
        row.last = event.position

    def _hour_key(self, event: Event) -> str:
        return f"{event.stream}#{_hour_of_time(event.envelope.time, self._zone)}"


def _difference(before: TableShift, after: TableShift) -> tuple[int, ...]:
    """Return the amounts moved between two states of a shift, in the order of an hour's fields."""
    return tuple(map(sub, _moving(after), _moving(before)))


def _new_hour(event: Event, key: str) -> TableHour:
    table, gaming_day = event.stream.split("/")[2:4]
    hour = key.partition("#")[2]
    return TableHour(id=key, stream=event.stream, table=table, gaming_day=gaming_day, hour=hour, first=event.position)


@lru_cache(maxsize=4096)  # the events of an action have one time, and each is looked up twice
def _hour_of_time(time: str, zone: str) -> str:
    return hour_of(datetime.fromisoformat(time), zone)


def hour_of(moment: datetime, zone: str) -> str:
    """Return the beginning of the full hour of a zone's clock around a moment, in UTC: "2026-11-20T18".

    With minutes where the zone's hours begin between those of UTC, "2026-11-20T18:30". Where clocks skip the full hour
    it begins as they are set forward.
    """
    return _hour_of_minute(int(moment.timestamp() // 60), zone)


@lru_cache(maxsize=1024)
def _hour_of_minute(minute: int, zone: str) -> str:
    """Return the hour of a minute since 1970, as `hour_of`. Offsets from UTC have been whole minutes since 1972."""
    moment = datetime.fromtimestamp(minute * 60, ZoneInfo(zone))
    began = moment.replace(minute=0, second=0, microsecond=0).astimezone(UTC)
    return began.strftime("%Y-%m-%dT%H:%M" if began.minute else "%Y-%m-%dT%H")


def _fact(event: Event) -> AccountingEvent:
    return AccountingEvent(event.position, event.stream, event.envelope.actor, event.data, event.id)
