"""The journal's rows against the events: each entry that was posted, made again, and no other. Reads only."""

from collections.abc import Iterator
from typing import Any

from django.db import connections
from django.db.models import Max

from events.accounting.report.day_reports import closed_layouts
from events.accounting.report.ledger_fold_for_journal_only import LeanLedger
from events.error_codes import coded
from events.errors import Conflict
from events.integrity.heads_consistency import Finding
from events.store import EventReader
from projections.engine.models import Reader
from projections.engine.same_store_check_by_digest import holds
from projections.engine.table_copies import RowDifference
from projections.journal.journal_rows_from_events import NAME, NUMBERS, VERSION, made_of, rows
from projections.journal.models import JournalEntry

BATCH = 5_000  # events
BEGIN = -(2**63)  # allowed characters of an id
COLUMNS = [field.attname for field in JournalEntry._meta.concrete_fields]

Row = tuple[Any, ...]


def journal_against(store: EventReader, property_: str, using: str = "default") -> list[Finding]:
    """Return the first row that differs from the events, up to the posted position; later ones are counted.

    Raises Conflict where rows cannot be compared: they were posted by another version or from another history, or are
    being posted again.
    """
    if not {JournalEntry._meta.db_table, Reader._meta.db_table} <= {*connections[using].introspection.table_names()}:
        return []
    last = JournalEntry.objects.using(using).aggregate(last=Max("id"))["last"]  # before the place, which only grows
    reader = _reader(using)
    if reader is None and last is None:
        return []
    if reader is None or reader.version != VERSION or reader.property != property_ or not holds(store, reader):
        raise Conflict(coded("journal-of-another-version"))
    differences = [*_differences(store, property_, using, reader.position)]
    differences += _rows_beyond_posting(using, reader.position, last)
    after = _reader(using)
    if after is None or after.position < reader.position:
        raise Conflict(coded("journal-being-posted"))
    return [_first_finding(differences)] if differences else []


def _reader(using: str) -> Reader | None:
    return Reader.objects.using(using).filter(projection=NAME).first()


def _differences(store: EventReader, property_: str, using: str, until: int) -> Iterator[RowDifference]:
    last = BEGIN
    for end, made in _expected_rows(store, property_, until):
        there = _stored_rows(using, last, (end + 1) * NUMBERS)
        wanted = {str(entry[0]): entry for entry in made}
        for key in sorted({*there, *wanted}, key=int):
            if there.get(key) != wanted.get(key):
                yield _difference(key, there.get(key), wanted.get(key))
        last = (end + 1) * NUMBERS


def _expected_rows(store: EventReader, property_: str, until: int) -> Iterator[tuple[int, list[tuple[object, ...]]]]:
    """Yield the rows of each batch of events, and the position up to which they are complete."""
    accounts, at = LeanLedger(closed=closed_layouts(store, property_)), 0
    while at < until:
        events = store.after(at, BATCH, until=until)
        at = until if len(events) < BATCH else events[-1].position
        yield at, rows(made_of(accounts, events, property_))


def _stored_rows(using: str, begin: int, end: int) -> dict[str, Row]:
    entries = JournalEntry.objects.using(using).filter(id__gte=begin, id__lt=end)
    return {str(row[0]): row for row in entries.values_list(*COLUMNS)}


def _difference(key: str, live: Row | None, copy: Row | None) -> RowDifference:
    if live is None or copy is None:
        return RowDifference("JournalEntry", key, None, "copy" if live is None else "live")
    both = {name: (old, new) for name, old, new in zip(COLUMNS, live, copy, strict=True) if old != new}
    return RowDifference("JournalEntry", key, both, "both")


def _rows_beyond_posting(using: str, position: int, last: int | None) -> list[RowDifference]:
    """Return the rows beyond the position of the posting: no batch posted them."""
    if last is None or last < (position + 1) * NUMBERS:
        return []
    unposted = JournalEntry.objects.using(using).filter(id__gte=(position + 1) * NUMBERS, id__lte=last).order_by("id")
    return [RowDifference("JournalEntry", str(key), None, "live") for key in unposted.values_list("id", flat=True)]


def _first_finding(differences: list[RowDifference]) -> Finding:
    position = max(0, int(differences[0].key) // NUMBERS)
    return Finding("read model", position, f"journal: {differences[0]}"[:500], differences[0].key, len(differences) - 1)
