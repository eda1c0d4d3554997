"""Discrepancies, and how far the count of each drop box is."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import discrepancies_with_explanations
from events.accounting.discrepancies_with_explanations import Discrepancy
from events.accounting.event_types.soft_count import (
    CountDiffered,
    CountEntered,
    CountSettled,
    DiscrepancyExplained,
    Figures,
    OfBox,
)
from events.accounting.event_with_position import AccountingEvent
from events.accounting.soft_count_progress import name_of
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.tables.event_types.counts import DropPut
from events.tables.event_types.money import DropCounted, DropRemoved
from events.tables.moved_amount_declarations import amount
from projections.accounts.models import BoxAccount, FoundAccount
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.row_cache_for_batches import States
from projections.tables.models import TableDay

OF_TRAYS = ("table_count", "shift_count", "closer")

OF_BOXES = frozenset((DropPut, DropRemoved, DropCounted, CountEntered, CountDiffered, CountSettled))


class Discrepancies:
    """A row each, open until it is explained."""

    def __init__(self, target: WriteTarget) -> None:
        self._discrepancies: States[FoundAccount, Discrepancy] = States(target, FoundAccount, Discrepancy)

    def take(self, fact: AccountingEvent, time: str, counted: TableDay | None) -> None:
        """`counted` is the table's day where it was found."""
        data = fact.data
        if isinstance(data, DiscrepancyFound):
            self._new(fact, data, time, counted)
        if isinstance(data, DiscrepancyExplained) and (before := self._discrepancies.get(data.discrepancy)) is not None:
            after = discrepancies_with_explanations.evolve({data.discrepancy: before}, fact)[data.discrepancy]
            row = self._discrepancies.put(data.discrepancy, after, FoundAccount)
            row.reason, row.explained_at, row.explained_by = data.reason, fact.position, fact.actor

    def changes(self) -> Changes:
        """The changed rows."""
        return self._discrepancies.changes()

    def forget(self) -> None:
        """Drop the cached state."""
        self._discrepancies.forget()

    def _new(self, fact: AccountingEvent, data: DiscrepancyFound, time: str, table_day: TableDay | None) -> None:
        state = discrepancies_with_explanations.evolve({}, fact)[fact.id]
        is_of_tray = data.kind in OF_TRAYS and table_day is not None
        self._discrepancies.put(
            fact.id,
            state,
            lambda: FoundAccount(
                id=fact.id,
                position=fact.position,
                stream=fact.stream,
                table=data.table or "",
                gaming_day=state.gaming_day,
                kind=data.kind,
                band=data.band,
                time=time,
                since=table_day.counted_before if is_of_tray and table_day is not None else 0,
                content=msgspec.json.encode(data).decode(),
            ),
        )


class BoxCountFigures(msgspec.Struct, frozen=True, gc=False):
    """Return the visible figures of a box: both counters' figures once both are in, and the final ones.

    `whole` is a count of one sum (`drop.counted.v1`), as houses without a count room have it.
    """

    first: Figures | None = None
    second: Figures | None = None
    settled: Figures | None = msgspec.field(name="found", default=None)
    whole: int | None = None


class BoxRows:
    """A row a box of a table's day."""

    def __init__(self, target: WriteTarget) -> None:
        self._boxes: States[BoxAccount, BoxCountFigures] = States(target, BoxAccount, BoxCountFigures)

    def load(self, facts: Iterable[AccountingEvent]) -> None:
        """The boxes that these are about."""
        self._boxes.load({key for fact in facts if (key := _key_of(fact)) is not None})

    def take(self, fact: AccountingEvent) -> None:
        """Put, removed, entered, verified, counted."""
        if (key := _key_of(fact)) is None:
            return
        data: Any = fact.data
        row = self._boxes.put(
            key, _figures_after(self._boxes.get(key) or BoxCountFigures(), data), lambda: _box(key, fact)
        )
        if isinstance(data, DropPut):
            row.put_at, row.shift = fact.position, data.shift
        elif isinstance(data, DropRemoved):
            row.removed_at = fact.position
        elif isinstance(data, DropCounted):
            row.counted_at, row.counters = fact.position, _people((fact.actor,))
        else:
            _note(row, fact, data)

    def changes(self) -> Changes:
        """The changed rows."""
        return self._boxes.changes()

    def forget(self) -> None:
        """Drop the cached state."""
        self._boxes.forget()


def _note(row: BoxAccount, fact: AccountingEvent, data: Any) -> None:
    """Note an event of the count room. Before the second figures only the fact of a count is known."""
    if isinstance(data, CountEntered):
        row.entered_at, row.counters = fact.position, _people((data.counter,))
    elif isinstance(data, CountDiffered):
        row.entered_at, row.differed_at, row.counters = None, fact.position, _people(data.counters)
    elif isinstance(data, CountSettled):
        row.entered_at, row.differed_at, row.counted_at = None, None, fact.position
        row.shift, row.counters = data.shift, _people(data.counters)


def _figures_after(counts: BoxCountFigures, data: Any) -> BoxCountFigures:
    if isinstance(data, DropCounted):
        return BoxCountFigures(whole=amount(data, "drop") + amount(data, "drop_promotional"))
    if isinstance(data, CountDiffered):
        return replace(counts, first=data.first, second=data.second)
    if isinstance(data, CountSettled):
        return BoxCountFigures(first=data.first, second=data.second, settled=data.counted)
    return counts


def _key_of(fact: AccountingEvent) -> str | None:
    data: Any = fact.data
    if isinstance(data, DropPut | DropRemoved | DropCounted):
        return f"{fact.stream}#{data.drop_box}"
    if isinstance(data, OfBox):
        return name_of(fact.stream.partition("/")[0], data, data.gaming_day)
    return None


def _box(key: str, fact: AccountingEvent) -> BoxAccount:
    stream, _, name = key.partition("#")
    table, gaming_day = stream.split("/")[2:4]
    return BoxAccount(id=key, stream=stream, table=table, gaming_day=gaming_day, drop_box=name)


def _people(names: Iterable[str]) -> str:
    return msgspec.json.encode([*names]).decode()
