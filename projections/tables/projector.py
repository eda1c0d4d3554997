"""The projector of the tables: per table and gaming day the money of float and box, and what bets won and lost.

The two wins (`books.py`) come from disjoint fields here: openers, fills, credits, drop and closers on one side,
what was settled on the other. What was due (bet.settled) and what was paid (payment.made) stay apart.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from events.accounting.types.count import CountSettled
from events.envelope import EventData
from events.errors import Poison
from events.remembered import remembered
from events.tables.amounts import TRAY, Name, Reader, figure_of, moves, readers
from events.tables.types.common import (
    Chips,
    IrregularityRecorded,
    SessionClosed,
    SessionOpened,
    SessionRolled,
    SessionVoided,
    Table,
)
from events.tables.types.counts import DropPut, ShiftCounted, TableCounted
from events.tables.types.money import BuyinMade, DropCounted, DropRemoved
from events.tables.types.progressive import ProgressiveArmed
from events.tables.types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)
from projections.engine.events import Event
from projections.engine.projector import Projector
from projections.engine.rows import RowCache
from projections.engine.target import Changes, Target
from projections.tables import VERSION, boxes
from projections.tables.models import TableDay, WagerDay

TABLES = "tables"


class Tables(Projector):
    """One row a table and gaming day, one row for each kind of bet there. The ids are the sessions' streams."""

    name = "tables"
    version = VERSION
    models = (TableDay, WagerDay)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._days = RowCache(target, TableDay)
        self._wagers = RowCache(target, WagerDay)
        self._taken = {*self._HANDLERS, *(kind.TYPE for kind in moves() if _added(kind) is not None)}
        self.takes = self._taken

    def load(self, events: Sequence[Event]) -> None:
        self._days.load({boxes.stream_of(event) for event in events if event.type in self._taken})
        self._wagers.load({_wager_id(event) for event in events if event.type in _OF_WAGERS})

    def fold(self, events: Sequence[Event]) -> None:
        for event in events:
            if (added := _added(type(event.data))) is not None:
                self._add(event, added)
            if (handler := self._HANDLERS.get(event.type)) is not None:
                handler(self, event, event.data)
            if event.type in _OF_BOXES:
                self._box(event)

    def needs(self, event: Event) -> Sequence[str]:
        """A count waits for the table whose box it is."""
        return (boxes.stream_of(event),) if isinstance(event.data, CountSettled) else ()

    def changes(self) -> Sequence[Changes]:
        return [self._days.changes(), self._wagers.changes()]

    def forget(self) -> None:
        self._days.forget()
        self._wagers.forget()

    def _day(self, event: Event) -> TableDay:
        data: Table = event.data
        return self._days.change(
            event.stream,
            lambda: TableDay(
                id=event.stream,
                property=event.envelope.source,
                table=data.table,
                gaming_day=data.gaming_day,
                pit=data.pit,
                ruleset=data.ruleset,
            ),
        )

    def _wager(self, event: Event, wager: str | None = None) -> WagerDay:
        """The row of the event's kind of bet, or of another one's."""
        data, wager = event.data, wager or event.data.wager
        key = f"{event.stream}/{wager}"
        return self._wagers.change(
            key,
            lambda: WagerDay(
                id=key,
                stream=event.stream,
                table=data.table,
                gaming_day=data.gaming_day,
                ruleset=data.ruleset,
                wager=wager,
            ),
        )

    def _add(self, event: Event, added: "_Added") -> None:
        """Add what the event moves to the day, to its kind of bet, and to the float that is expected."""
        day, data = self._day(event), event.data
        _add_to(day, added.to_day, data)
        if day.expected_minor is not None and added.to_tray is not None:
            day.expected_minor += added.to_tray(data)  # moved before the closing count, recorded after it
        if event.type in _WITH_ROW or any(read(data) for _field, read in added.to_wager):
            _add_to(self._wager(event), added.to_wager, data)

    # --- float and box ----------------------------------------------------------------------------------------

    def _opened(self, event: Event, data: SessionOpened) -> None:
        day = self._day(event)
        if event.stream.split("/")[1] != TABLES:
            raise Poison(f"{event.stream} is not the stream of a table")
        day.game, day.currency, day.progressive = data.game, data.currency, data.progressive or ""
        day.pit, day.ruleset, day.status = data.pit, data.ruleset, "open"
        day.opener_minor, day.opener_chips = data.amount_minor, chips_text(data.opener)
        day.recorded = data.recorded
        day.rolled_from = data.follows.rpartition("/")[2] if data.follows else ""

    def _closed(self, event: Event, data: SessionClosed) -> None:
        day = self._day(event)
        self._count_closer(day, data)

    def _count_closer(self, day: TableDay, data: SessionClosed | SessionRolled) -> None:
        """What is expected of it is measured from the last count: here from the opener, as both wins are."""
        day.closer_minor, day.closer_chips = data.amount_minor, chips_text(data.closer)
        day.expected_minor, day.status = data.expected_minor - day.found_minor, "closed"

    def _counted_tray(self, event: Event, data: ShiftCounted | TableCounted) -> None:
        """What comes after a count is measured from what was found."""
        self._day(event).found_minor += data.amount_minor - data.expected_minor

    def _rolled(self, event: Event, data: SessionRolled) -> None:
        """Closed by a count. Bets count where they were laid; stakes that still lie where they are decided."""
        day = self._day(event)
        self._count_closer(day, data)
        day.rolled_into = data.into

    def _day_voided(self, event: Event, data: SessionVoided) -> None:
        day = self._day(event)
        day.status, day.opener_minor, day.opener_chips = "void", 0, "{}"
        day.closer_minor, day.closer_chips, day.expected_minor = None, "{}", None

    def _box(self, event: Event) -> None:
        """What was bought in over it, and what its count has found; of a table that was never open there is none."""
        stream = boxes.stream_of(event)
        if self._days.get(stream) is not None:
            boxes.take(self._days.change(stream, TableDay), event)

    def _counted(self, event: Event, data: DropCounted) -> None:
        day = self._day(event)
        day.status = "counted" if day.status == "closed" else day.status

    def _of_a_box(self, event: Event, data: EventData) -> None:
        """Nothing but what the boxes take of it."""

    # --- bets -------------------------------------------------------------------------------------------------

    def _placed(self, event: Event, data: BetPlaced) -> None:
        self._day(event).bets += 1
        self._wager(event).bets += 1

    def _bet_corrected(self, event: Event, data: BetCorrected) -> None:
        """The record changed; nothing changed at the table."""
        self._day(event).corrections += 1
        if data.wager_before is not None and data.wager_before != data.wager:
            self._other_kind(event, data.wager_before, data.commission_before_minor)

    def _other_kind(self, event: Event, before: str, commission: int) -> None:
        """The bet was recorded as one of the kind `before`: it counts for its own now, with its commission."""
        was, now = self._wager(event, before), self._wager(event)
        was.bets -= 1
        now.bets += 1
        was.commission_minor -= commission
        now.commission_minor += commission

    def _settlement_corrected(self, event: Event, data: SettlementVoided | SettlementCorrected) -> None:
        self._day(event).corrections += 1

    # --- rounds -----------------------------------------------------------------------------------------------

    def _armed(self, event: Event, data: ProgressiveArmed) -> None:
        self._day(event).progressive_stakes_minor += sum(bet.stake_minor for bet in data.bets)

    def _ended(self, event: Event, data: RoundEnded) -> None:
        self._day(event).rounds += 1

    def _voided(self, event: Event, data: RoundVoided) -> None:
        self._day(event).rounds_voided += 1

    def _irregular(self, event: Event, data: IrregularityRecorded) -> None:
        if self._days.get(event.stream) is not None:  # a box may be put before the table has opened
            self._day(event).irregularities += 1

    _HANDLERS: ClassVar[dict[str, Callable[["Tables", Event, Any], None]]] = {
        SessionOpened.TYPE: _opened,
        ShiftCounted.TYPE: _counted_tray,
        TableCounted.TYPE: _counted_tray,
        SessionClosed.TYPE: _closed,
        SessionRolled.TYPE: _rolled,
        SessionVoided.TYPE: _day_voided,
        DropCounted.TYPE: _counted,
        DropPut.TYPE: _of_a_box,
        DropRemoved.TYPE: _of_a_box,
        CountSettled.TYPE: _of_a_box,
        BetPlaced.TYPE: _placed,
        BetCorrected.TYPE: _bet_corrected,
        SettlementVoided.TYPE: _settlement_corrected,
        SettlementCorrected.TYPE: _settlement_corrected,
        ProgressiveArmed.TYPE: _armed,
        RoundEnded.TYPE: _ended,
        RoundVoided.TYPE: _voided,
        IrregularityRecorded.TYPE: _irregular,
    }


_OF_BOXES = frozenset(
    kind.TYPE
    for kind in (
        *(SessionOpened, SessionVoided, SessionClosed, SessionRolled, ShiftCounted),
        *(BuyinMade, DropPut, DropRemoved, DropCounted, CountSettled),
    )
)
_OF_WAGERS = frozenset(
    kind.TYPE
    for kind in (
        BetPlaced,
        BetWithdrawn,
        BetRestaked,
        BetCorrected,
        BetSettled,
        SettlementVoided,
        SettlementCorrected,
        PaymentMade,
    )
)


# Events after which their kind of bet has a row, though they may move nothing.
_WITH_ROW = frozenset(kind.TYPE for kind in (BetPlaced, BetSettled, SettlementVoided, SettlementCorrected, PaymentMade))

# Amounts of events by the fields of the rows that they are added to.
_OF_DAY: Mapping[Name, str] = {
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
    "corrected": "corrected_minor",
    "carried_in": "carried_in_minor",
    "carried_out": "carried_out_minor",
    "rounded": "rounded_millionths",
    "kept": "kept_millionths",
}
_OF_WAGER: Mapping[Name, str] = {
    "handle": "handle_minor",
    "lost": "lost_minor",
    "due": "due_minor",
    "paid": "paid_minor",
    "commission": "commission_minor",
    "kept": "kept_millionths",
}
_Fields = tuple[tuple[str, Reader], ...]


class _Added(msgspec.Struct, frozen=True, gc=False):
    """What events of a type add to the fields of a day and of a kind of bet, and to the float."""

    to_day: _Fields
    to_wager: _Fields
    to_tray: Reader | None


@remembered
def _added(kind: type[EventData]) -> _Added | None:
    """None for events that move nothing that a row shows."""
    to_day, to_tray = _fields(kind, _OF_DAY), figure_of(kind, tuple(TRAY.items()))
    to_wager = _fields(kind, _OF_WAGER) if kind.TYPE in _OF_WAGERS else ()
    return _Added(to_day, to_wager, to_tray) if to_day or to_wager else None


def _fields(kind: type[EventData], names: Mapping[Name, str]) -> _Fields:
    amounts = readers(kind)
    return tuple((field, amounts[name]) for name, field in names.items() if name in amounts)


def _add_to(row: TableDay | WagerDay, fields: _Fields, data: EventData) -> None:
    for field, read in fields:
        if amount := read(data):
            setattr(row, field, getattr(row, field) + amount)


def _wager_id(event: Event) -> str:
    return f"{event.stream}/{event.data.wager}"


def chips_text(chips: Chips) -> str:
    """A float by denomination, as canonical JSON: zeros left out, highest first."""
    kept = {
        str(denomination): chips[denomination] for denomination in sorted(chips, reverse=True) if chips[denomination]
    }
    return msgspec.json.encode(kept).decode()
