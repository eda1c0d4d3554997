"""The projector of the tables: per table and gaming day the money of float and box, and what bets won and lost.

The two wins (`books.py`) come from disjoint fields here: openers, fills, credits, drop and closers on one side,
what was settled on the other. What was due (bet.settled) and what was paid (payment.made) stay apart.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec

from events.accounting.types.count import CountSettled
from events.envelope import EventData
from events.errors import Poison
from events.game import staking
from events.tables.types.common import (
    Chips,
    IrregularityRecorded,
    LayoutCarried,
    SessionClosed,
    SessionOpened,
    SessionRolled,
    SessionVoided,
    Table,
)
from events.tables.types.counts import DropPut, ShiftCounted, TableCounted
from events.tables.types.money import BuyinMade, CreditSent, DropCounted, DropRemoved, FillReceived
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
from projections.engine.rows import Rows
from projections.engine.target import Changes, Target
from projections.tables import boxes
from projections.tables.models import TableDay, WagerDay

TABLES = "tables"


class Tables(Projector):
    """One row a table and gaming day, one row for each kind of bet there. The ids are the sessions' streams."""

    name = "tables"
    version = 4
    models = (TableDay, WagerDay)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._days = Rows(target, TableDay)
        self._wagers = Rows(target, WagerDay)
        self.takes = self._HANDLERS

    def load(self, events: Sequence[Event]) -> None:
        self._days.load({boxes.stream_of(event) for event in events if event.type in self._HANDLERS})
        self._wagers.load({_wager_id(event) for event in events if event.type in _OF_WAGERS})

    def fold(self, events: Sequence[Event]) -> None:
        for event in events:
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
        """Closed by a count. What still lies is staked on the next day, which decides it."""
        day = self._day(event)
        self._count_closer(day, data)
        day.rolled_into, day.carried_out_minor = data.into, data.carried_minor
        day.stakes_minor -= data.carried_minor

    def _carried(self, event: Event, data: LayoutCarried) -> None:
        """Bets count where they were laid, stakes where they are decided."""
        day = self._day(event)
        day.carried_in_minor = data.amount_minor
        day.stakes_minor += data.amount_minor

    def _day_voided(self, event: Event, data: SessionVoided) -> None:
        day = self._day(event)
        day.status, day.opener_minor, day.opener_chips = "void", 0, "{}"
        day.closer_minor, day.closer_chips, day.expected_minor = None, "{}", None

    def _bought_in(self, event: Event, data: BuyinMade) -> None:
        day = self._day(event)
        _moved_late(day, -data.amount_minor)
        if data.tender == "cash":
            day.buyins_cash_minor += data.amount_minor
        elif data.tender == "marker":
            day.buyins_marker_minor += data.amount_minor
        else:
            day.buyins_promotional_minor += data.amount_minor

    def _filled(self, event: Event, data: FillReceived) -> None:
        day = self._day(event)
        day.fills_minor += data.amount_minor
        _moved_late(day, data.amount_minor)

    def _credited(self, event: Event, data: CreditSent) -> None:
        day = self._day(event)
        day.credits_minor += data.amount_minor
        _moved_late(day, -data.amount_minor)

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
        day = self._day(event)
        day.bets += 1
        day.stakes_minor += data.amount_minor
        self._wager(event).bets += 1
        self._commission(event, data.commission_minor)

    def _withdrawn(self, event: Event, data: BetWithdrawn) -> None:
        """The bet counts on as one that was laid; its stake and its commission went back."""
        self._day(event).stakes_minor -= data.amount_minor
        self._commission(event, -data.commission_minor)

    def _staked_more(self, event: Event, data: Any) -> None:
        """A double, a split, an insurance: a stake that came after the bet it belongs to."""
        self._day(event).stakes_minor += data.amount_minor

    def _restaked(self, event: Event, data: BetRestaked) -> None:
        """Its amounts, signed, are what the stake and the commission change by."""
        self._day(event).stakes_minor += data.amount_minor
        self._commission(event, data.commission_minor)

    def _corrected(self, event: Event, data: BetCorrected) -> None:
        """As a stake that changed, but nothing changed at the table: the record did."""
        day = self._day(event)
        day.stakes_minor += data.amount_minor
        day.corrections += 1
        day.corrected_minor += data.commission_minor
        if data.wager_before is not None and data.wager_before != data.wager:
            self._other_kind(event, data.wager_before, data.commission_before_minor)
        self._commission(event, data.commission_minor)

    def _other_kind(self, event: Event, before: str, commission: int) -> None:
        """The bet was recorded as one of the kind `before`: it counts for its own now, with its commission."""
        was, now = self._wager(event, before), self._wager(event)
        was.bets -= 1
        now.bets += 1
        was.commission_minor -= commission
        now.commission_minor += commission

    def _commission(self, event: Event, amount: int) -> None:
        if amount:
            day = self._day(event)
            day.commission_minor += amount
            _moved_late(day, amount)
            self._wager(event).commission_minor += amount

    def _settled(self, event: Event, data: BetSettled) -> None:
        self._decide(event, data, 1, is_void=data.outcome == "void")

    def _settlement_voided(self, event: Event, data: SettlementVoided) -> None:
        """The bet lies again as if it had not been settled; a bet that was handed back is never taken back."""
        self._decide(event, data, -1, is_void=False)
        day = self._day(event)
        day.corrections += 1
        day.corrected_minor += data.profit_minor + data.promotional_minor - data.commission_minor

    def _decide(self, event: Event, data: BetSettled | SettlementVoided, sign: int, *, is_void: bool) -> None:
        """What was decided of a stake, or (-1) is not any more. A bet that wins and stays up decides nothing of it.

        The kept commission is off the profit already: it is shown, and added to nothing. A voucher that is lost brings
        the house no chip.
        """
        day, wager = self._day(event), self._wager(event)
        decided = sign * (data.amount_minor - data.remaining_minor)
        day.resolved_minor += decided
        if not is_void:
            wager.handle_minor += decided
        lost, due = sign * (max(0, -data.profit_minor) - data.promotional_minor), sign * max(0, data.profit_minor)
        day.lost_minor += lost
        _moved_late(day, lost)
        wager.lost_minor += lost
        day.due_minor += due
        wager.due_minor += due
        day.rounded_millionths += sign * data.rounded_millionths
        day.kept_millionths += sign * data.kept_millionths
        wager.kept_millionths += sign * data.kept_millionths
        self._commission(event, sign * data.commission_minor)

    def _settlement_corrected(self, event: Event, data: SettlementCorrected) -> None:
        """A stake that was decided is another one, and so is what came of it: it was laid and decided as such."""
        day, wager = self._day(event), self._wager(event)
        day.stakes_minor += data.amount_minor
        day.resolved_minor += data.amount_minor
        wager.handle_minor += data.amount_minor
        day.lost_minor += data.lost_minor
        wager.lost_minor += data.lost_minor
        day.due_minor += data.due_minor
        wager.due_minor += data.due_minor
        day.corrections += 1
        day.corrected_minor += data.lost_minor - data.due_minor + data.commission_minor
        self._commission(event, data.commission_minor)
        _moved_late(day, data.lost_minor)

    def _paid(self, event: Event, data: PaymentMade) -> None:
        day = self._day(event)
        day.paid_minor += data.amount_minor
        _moved_late(day, -data.amount_minor)
        self._wager(event).paid_minor += data.amount_minor

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
        LayoutCarried.TYPE: _carried,
        SessionVoided.TYPE: _day_voided,
        BuyinMade.TYPE: _bought_in,
        FillReceived.TYPE: _filled,
        CreditSent.TYPE: _credited,
        DropCounted.TYPE: _counted,
        DropPut.TYPE: _of_a_box,
        DropRemoved.TYPE: _of_a_box,
        CountSettled.TYPE: _of_a_box,
        BetPlaced.TYPE: _placed,
        BetWithdrawn.TYPE: _withdrawn,
        **dict.fromkeys([event.TYPE for event in staking()], _staked_more),
        BetRestaked.TYPE: _restaked,
        BetCorrected.TYPE: _corrected,
        BetSettled.TYPE: _settled,
        SettlementVoided.TYPE: _settlement_voided,
        SettlementCorrected.TYPE: _settlement_corrected,
        PaymentMade.TYPE: _paid,
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


def _wager_id(event: Event) -> str:
    return f"{event.stream}/{event.data.wager}"


def _moved_late(day: TableDay, amount: int) -> None:
    """Change the expected float by chips moved before the closing count and recorded after it."""
    if day.expected_minor is not None:
        day.expected_minor += amount


def chips_text(chips: Chips) -> str:
    """A float by denomination, as canonical JSON: zeros left out, highest first."""
    kept = {
        str(denomination): chips[denomination] for denomination in sorted(chips, reverse=True) if chips[denomination]
    }
    return msgspec.json.encode(kept).decode()
