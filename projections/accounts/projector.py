"""The projector of the accounts: it runs the fold of `events/accounting` a part at a time, each on its rows.

No figure is computed a second time. A row holds the state of the fold, and the function of the canonical report makes
the report from the rows.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from events.accounting import discrepancies_with_explanations
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.property_ledger_fold import FOLLOWED, WITH_DAYS, kind_of
from events.tables.event_types.session import SessionOpened, SessionVoided
from projections.accounts import VERSION
from projections.accounts.cage_and_slip_rows import NOW, CageRows
from projections.accounts.day_accounts_from_rows import DayRows
from projections.accounts.day_closes_and_late_events import Days
from projections.accounts.discrepancy_and_box_count_rows import OF_BOXES, BoxRows, Discrepancies
from projections.accounts.models import (
    AccountsNow,
    BoxAccount,
    CageAccount,
    DayAccount,
    DayReport,
    FoundAccount,
    LateEvent,
    PaperAccount,
    SlipAccount,
    TableHour,
)
from projections.accounts.table_days import TableDays
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Projector
from projections.tables.models import TableDay

_OF_DISCREPANCIES = frozenset(discrepancies_with_explanations.TYPES)
_OF_LATEST_DAYS = (SessionOpened, SessionVoided)
# Of the day, open now (in transit), or open when the day began.
_SLIPS = "gaming_day = %s OR settled_at IS NULL OR (gaming_day < %s AND settled_at >= %s)"


class AccountsProjector(Projector):
    """Tables' gaming days and their shifts, boxes, slips, discrepancies, cage and closings."""

    name = "accounts"
    version = VERSION
    models = (
        *(TableDay, TableHour, BoxAccount, SlipAccount, FoundAccount, CageAccount, PaperAccount),
        *(DayAccount, DayReport, LateEvent, AccountsNow),
    )

    def __init__(self, target: WriteTarget) -> None:
        super().__init__(target)
        self._tables, self._boxes, self._discrepancies = TableDays(target), BoxRows(target), Discrepancies(target)
        self._cage, self._days = CageRows(target), Days(target, self._of_day)

    def load(self, events: Sequence[Event]) -> None:
        followed = _followed(events)
        self._days.load(followed)
        self._tables.load(followed)

    def fold(self, events: Sequence[Event]) -> None:
        followed = _followed(events)
        self._days.span(followed)
        for event in followed:
            self._take(event)

    def changes(self) -> Sequence[Changes]:
        return [*self._tables.changes(), self._boxes.changes(), self._discrepancies.changes(), *self._cage.changes(),
                *self._days.changes()]  # fmt: skip

    def forget(self) -> None:
        for part in (self._tables, self._boxes, self._discrepancies, self._cage, self._days):
            part.forget()

    def needs(self, event: Event) -> Sequence[str]:
        """A count waits for the table whose box it is, a slip's receipt for the cage's day, a close for nothing."""
        data: Any = event.data
        property_ = event.stream.partition("/")[0]
        if isinstance(data, CountSettled):
            return (f"{property_}/tables/{data.table}/{data.gaming_day}",)
        if kind_of(event.stream) == "tables" and getattr(data, "slip", None) is not None:
            return (f"{property_}/cage/{event.stream.rpartition('/')[2]}",)
        return ()

    def _take(self, event: Event) -> None:
        fact = AccountingEvent(event.position, event.stream, event.envelope.actor, event.data, event.id)
        if kind_of(event.stream) == "floor":
            self._cage.note_table(fact)
            return
        day = self._day_of(fact)
        self._days.take(event, fact, day)
        if self._tables.take(event, fact):
            self._note_latest(fact)
        shape = type(fact.data)
        if (slip := self._cage.settled_by(fact)) is not None:
            self._days.note_slip(event, fact, self._closed(slip.gaming_day, day))
        if shape in OF_BOXES:
            self._boxes.take(fact)
        if shape in _OF_DISCREPANCIES:
            self._discrepancies.take(fact, event.envelope.time, self._tables.row(fact.stream))
        self._cage.take(fact, day)

    def _closed(self, first: str, until: str) -> list[str]:
        """The closed days from one to another, without that one."""
        if first >= until:
            return []
        self.target.upsert(self.changes())
        return [row.id for row in self.target.select(DayAccount, "id >= %s AND id < %s AND is_closed", [first, until])]

    def _day_of(self, fact: AccountingEvent) -> str:
        """Return the gaming day of an event, by the rule of the accounts (`Ledger.day_of`)."""
        if kind_of(fact.stream) in WITH_DAYS:
            return fact.stream.rpartition("/")[2]
        return getattr(fact.data, "paid_gaming_day", "") or self._cage.now.current

    def _note_latest(self, fact: AccountingEvent) -> None:
        """Note the last day of the table. After a void day it is the day before."""
        if not isinstance(fact.data, _OF_LATEST_DAYS) or kind_of(fact.stream) != "tables":
            return
        stream = fact.stream
        table, now = stream.split("/")[2], self._cage.now
        if now.latest.get(table, "") > stream:
            return
        if self._tables.days.get(stream) is None:
            self.target.upsert(self.changes())
            where = '"table" = %s AND state <> %s ORDER BY gaming_day DESC LIMIT 1'
            stream = next((row.id for row in self.target.select(TableDay, where, [table, ""])), "")
        if now.latest.get(table, "") != stream:
            others = {name: day for name, day in now.latest.items() if name != table}
            self._cage.put_now(replace(now, latest={**others, table: stream} if stream else others))

    def _of_day(self, day: str) -> DayRows:
        """Return the present rows about a day: pending rows are written first."""
        self.target.upsert(self.changes())
        select = self.target.select
        [row] = select(DayAccount, "id = %s", [day])
        latest = [*self._cage.now.latest.values()]
        marks = ", ".join(["%s"] * len(latest)) or "''"
        return DayRows(
            day=row,
            now=next(iter(select(AccountsNow, "id = %s", [NOW])), None),
            tables=select(TableDay, f"gaming_day = %s OR id IN ({marks}) ORDER BY id", [day, *latest]),
            slips=select(SlipAccount, f"number > 0 AND ({_SLIPS}) ORDER BY id", [day, day, row.first]),
            discrepancies=select(FoundAccount, "gaming_day = %s", [day]),
            cage=select(CageAccount, "id = %s", [day]),
            papers=select(PaperAccount, "gaming_day = %s", [day]),
        )


def _followed(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if kind_of(event.stream) in FOLLOWED]
