"""The projector of the tables' kinds of bets: handle, and wins and losses of each kind on a gaming day.

The tables' gaming days themselves are of the accounts (`projections/accounts/table_days.py`).
"""

from collections.abc import Mapping, Sequence

from events.envelope import EventData
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetSettled,
    PaymentMade,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.moved_amount_declarations import Name, kind_changes, types_with
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Projector
from projections.engine.row_cache_for_batches import RowCache
from projections.tables import VERSION
from projections.tables.event_amount_columns import Columns, add_amounts, columns_of
from projections.tables.models import WagerDay

# Columns by the amounts that are added to them.
_COLUMNS: Mapping[Name, str] = {
    "handle": "handle_minor",
    "lost": "lost_minor",
    "due": "due_minor",
    "paid": "paid_minor",
    "commission": "commission_minor",
    "kept": "kept_millionths",
}
# Events after which their kind of bet has a row, though they may move nothing.
_WITH_ROW = (BetPlaced, BetSettled, SettlementVoided, SettlementCorrected, PaymentMade)


@cached_until_forgotten
def _types() -> frozenset[str]:
    """Return the types, with every event of a bet that moves an amount of its kind."""
    moving = [kind for kind in types_with(_COLUMNS) if "wager" in kind.__struct_fields__]
    types: tuple[type[EventData], ...] = (*_WITH_ROW, BetCorrected, *moving)
    return frozenset(kind.TYPE for kind in types)


class TablesProjector(Projector):
    """Rows of the kinds of bets on tables' gaming days."""

    name = "tables"
    version = VERSION
    models = (WagerDay,)

    def __init__(self, target: WriteTarget) -> None:
        super().__init__(target)
        self._wagers = RowCache(target, WagerDay)
        self.takes = self._types = _types()

    def load(self, events: Sequence[Event]) -> None:
        self._wagers.load({f"{event.stream}/{event.data.wager}" for event in events if event.type in self._types})

    def fold(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.type in self._types:
                self._take(event)

    def changes(self) -> Sequence[Changes]:
        return [self._wagers.changes()]

    def forget(self) -> None:
        self._wagers.forget()

    def _take(self, event: Event) -> None:
        data, columns = event.data, _columns(type(event.data))
        if isinstance(data, _WITH_ROW) or any(read(data) for _column, read in columns):
            row = self._row(event)
            add_amounts(row, columns, data)
            if isinstance(data, BetPlaced):
                row.bets += 1
        for moved in kind_changes(data):
            row = self._row(event, moved.wager)
            row.bets += moved.bets
            for name, by in moved.amounts.items():
                if column := _COLUMNS.get(name):
                    setattr(row, column, getattr(row, column) + by)

    def _row(self, event: Event, wager: str | None = None) -> WagerDay:
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


@cached_until_forgotten
def _columns(kind: type[EventData]) -> Columns:
    return columns_of(kind, _COLUMNS)
