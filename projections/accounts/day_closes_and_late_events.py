"""Gaming days: their places in the store, their closes and restatements, and their late events."""

import base64
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting.event_types.day_close import DayAmended, DayClosed, DayOverridden
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report import closed_days_fold, day_reports
from events.accounting.report.closed_days_fold import Closings
from events.accounting.report.folded_accounts_snapshot import dump, load
from events.accounting.report.property_ledger_fold import WITH_DAYS, Ledger, kind_of
from events.people import approval_request_lifecycle
from events.store import Stored
from projections.accounts.day_accounts_from_rows import DayRows, DayState, EmptyJournal, ledger, report_figures
from projections.accounts.models import DayAccount, DayReport, LateEvent
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.row_cache_for_batches import RowCache, States

_CLOSING = frozenset((DayClosed, DayAmended, DayOverridden))
_NEVER_LATE = _CLOSING.union(approval_request_lifecycle.EVENTS)  # no event that changes a figure
FindDay = Callable[[str], DayRows]  # the present rows of a gaming day


class Days:
    """A row a day, a report, an event that came late. `find` gives the rows of a day."""

    def __init__(self, target: WriteTarget, find: FindDay) -> None:
        self._find = find
        self.days: States[DayAccount, DayState] = States(target, DayAccount, DayState)
        self.reports = RowCache(target, DayReport)
        self.late = RowCache(target, LateEvent)

    def load(self, events: Iterable[Event]) -> None:
        """The days of these events."""
        self.days.load(_first_and_last_positions(events))

    def span(self, events: Iterable[Event]) -> None:
        """Extend the days of these events to their first and last positions."""
        for day, (first, last) in _first_and_last_positions(events).items():
            self._span(day, first, last)

    def take(self, event: Event, fact: AccountingEvent, day: str) -> None:
        """The next event, which belongs to `day`."""
        shape = type(fact.data)
        if shape in _CLOSING:
            self._closing(event, fact)
        elif day and shape not in _NEVER_LATE:
            self._note_late(event, fact, day)

    def note_slip(self, event: Event, fact: AccountingEvent, closed: Iterable[str]) -> None:
        """An event of the cage that settles a slip: it came late to these closed days, on which the slip was open."""
        for day in closed:
            self._late(event, fact, day, slip_key(day, event.id))

    def changes(self) -> list[Changes]:
        """The changed rows."""
        return [self.days.changes(), self.reports.changes(), self.late.changes()]

    def forget(self) -> None:
        """Drop the cached state."""
        for rows in (self.days, self.reports, self.late):
            rows.forget()

    def _span(self, day: str, first: int, last: int) -> None:
        state = self.days.get(day)
        row = self.days.put(day, state, lambda: DayAccount(id=day, first=first, last=last))
        # A quarantined event that is replayed comes late, and changes neither end.
        row.first, row.last = min(row.first, first), max(row.last, last)

    def _note_late(self, event: Event, fact: AccountingEvent, day: str) -> None:
        day_state = self.days.get(day)
        if day_state is None or day_state.closing is None:
            return
        self._late(event, fact, day, event.id)

    def _late(self, event: Event, fact: AccountingEvent, day: str, key: str) -> None:
        self.late.add(
            key,
            gaming_day=day,
            position=event.position,
            stream=event.stream,
            type=event.filed,
            time=event.envelope.time,
            actor=fact.actor,
            raw=event.raw.decode(),
        )

    # --- closing ------------------------------------------------------------------------------------------------------

    def _closing(self, event: Event, fact: AccountingEvent) -> None:
        data: Any = fact.data
        day = data.gaming_day
        day_state = self.days.get(day) or DayState()
        before = Closings(
            {day: day_state.closing} if day_state.closing is not None else {}, {day: day_state.overridden}
        )
        after = closed_days_fold.evolve(before, fact)
        state = replace(day_state, closing=after.closed_day(day), overridden=after.overridden.get(day, {}))
        at = event.position
        row = self.days.put(day, state, lambda: DayAccount(id=day, first=at, last=at))
        row.is_closed = state.closing is not None
        if isinstance(data, DayClosed):
            self._closed(event, data)
        if isinstance(data, DayAmended) and day_state.closing is not None:
            self._amended(event, data, state)

    def _closed(self, event: Event, data: DayClosed) -> None:
        accounts = ledger(self._find(data.gaming_day))
        # Events of the day in the same batch after the close are not known at it.
        accounts.days[data.gaming_day] = replace(accounts.days[data.gaming_day], last=event.position)
        accounts.layout = data.layout
        figures = report_figures(accounts, data.gaming_day, data.position)
        self._report(event, data, 0, figures, basis=base64.b64encode(dump(accounts)).decode())

    def _amended(self, event: Event, data: DayAmended, day_state: DayState) -> None:
        assert day_state.closing is not None
        for id_ in data.events:
            if (row := self._late_row(data.gaming_day, id_)) is not None:
                self.late.change(row.id, LateEvent).named = data.restatement
        first = self.reports.get(f"{data.gaming_day}#0")
        if first is None:
            return
        ids = sorted(day_state.closing.named)
        named = [row for id_ in ids if (row := self._late_row(data.gaming_day, id_)) is not None]
        accounts, changed = restated(first, named, event.stream.partition("/")[0], data.layout)
        figures = report_figures(accounts, data.gaming_day, data.position, data.restatement)
        report = self._report(event, data, data.restatement, figures)
        report.changed, report.reason = msgspec.json.encode(changed).decode(), data.reason

    def _late_row(self, day: str, event: str) -> LateEvent | None:
        row = self.late.get(slip_key(day, event)) or self.late.get(event)
        return row if row is not None and row.gaming_day == day else None

    def _report(self, event: Event, data: Any, number: int, figures: dict[str, Any], basis: str = "") -> DayReport:
        key = f"{data.gaming_day}#{number}"
        return self.reports.add(
            key,
            gaming_day=data.gaming_day,
            number=number,
            position=event.position,
            time=event.envelope.time,
            actor=event.envelope.actor,
            digest=data.digest,
            figures=msgspec.json.encode(figures).decode(),
            basis=basis,
        )


def slip_key(day: str, event: str) -> str:
    """The key of a late event that settles a slip of an earlier day."""
    return f"{day}|{event}"


def restated(
    closed: DayReport, named: Iterable[LateEvent], property_: str, layout: int
) -> tuple[Ledger, list[day_reports.ReportStep]]:
    """Return the accounts of a closed day with later events, and the changes by each, in its layout."""
    accounts = load(base64.b64decode(closed.basis))
    accounts.journal, accounts.layout = EmptyJournal(), layout
    events = [stored(row) for row in sorted(named, key=lambda row: row.position)]
    return accounts, list(day_reports.steps(accounts, closed.gaming_day, events, property_, layout))


def stored(row: LateEvent) -> Stored:
    """The event as the store has it."""
    return Stored(row.position, row.stream, int(row.id.rpartition("@")[2]), row.type, row.raw.encode())


def _first_and_last_positions(events: Iterable[Event]) -> dict[str, tuple[int, int]]:
    """Return the positions of the first and last of these events, by gaming day."""
    ends: dict[str, tuple[int, int]] = {}
    for event in events:
        if kind_of(event.stream) in WITH_DAYS:
            day = event.stream.rpartition("/")[2]
            ends[day] = (ends.get(day, (event.position, 0))[0], event.position)
    return ends
