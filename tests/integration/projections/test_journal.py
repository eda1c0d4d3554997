"""The journal's entries in the read models: each is posted once by any number of posters, and equals the accounts."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Sum

from events.accounting.journal.ledger_entry import LedgerEntry
from events.accounting.report.property_ledger_fold import NotingLedger, accounting_event
from events.errors import Conflict, Retry
from events.store import EventStore, everything, open_store
from projections.engine.decoded_events import Event, JustRead, decode
from projections.engine.models import Reader
from projections.journal import idle_posting as beside_others
from projections.journal import journal_rows_from_events, posted_entries_check_against_events
from projections.journal.idle_posting import EVERY_S, LATER_S, OTHERS, JournalPoster
from projections.journal.journal_rows_from_events import JournalPosting
from projections.journal.models import JournalEntry
from tests.frozen import frozen_stores
from tests.simulation.random_cage_days import Books
from tests.support.clocks.settable_clocks import SettableSeconds

DAY = "2026-11-20"


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """Two days of a house with a cage, with later events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(tmp_path_factory.mktemp("data")))
        books = Books(5)
        books.two_days()
        yield books.store
        books.close()


def by_the_accounts(store: EventStore, property_: str) -> list[tuple[object, ...]]:
    """Every entry of every day, as rows."""
    whole = NotingLedger("")
    entries: list[LedgerEntry] = []
    for stored_event in everything(store):
        if (fact := accounting_event(stored_event, property_)) is not None:
            entries += whole.posted(fact)
    return sorted(journal_rows_from_events.rows(entries), key=str)


def stored(using: str) -> list[tuple[object, ...]]:
    return sorted(JournalEntry.objects.using(using).values_list(), key=str)


def test_each_entry_of_the_accounts_once(days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_rows_from_events, "BATCH", 50)
    first = JournalPosting(days, frozen_stores.PROPERTY, using)
    count = first.catch_up()
    assert (first.catch_up(), first.position) == (0, days.position())
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY)
    assert len(stored(using)) == count
    late = JournalEntry.objects.using(using).filter(day=DAY).exclude(dated=DAY)
    assert late.exists()
    assert late.exclude(takes_back="").exists()


def test_another_process_goes_on_where_one_ended(using: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without a snapshot. Of two posters at once, one gets a conflict."""
    store = open_store(frozen_stores.sqlite_url("night", tmp_path))
    monkeypatch.setattr(journal_rows_from_events, "BATCH", 1_000)
    monkeypatch.setattr(journal_rows_from_events, "SNAPSHOT_EVERY", 2_000)
    poster, other = (JournalPosting(store, frozen_stores.PROPERTY, using) for _ in range(2))
    half = store.after(store.position() // 2, 1)[0].position
    while poster.is_behind(half):
        poster.step(half)
    with pytest.raises(Conflict, match="Another process posts the journal"):
        other.catch_up()
    JournalPosting(store, frozen_stores.PROPERTY, using).catch_up()
    assert stored(using) == by_the_accounts(store, frozen_stores.PROPERTY)
    assert JournalEntry.objects.using(using).filter(rule="progressive.locked").aggregate(Sum("micro"))["micro__sum"]
    store.close()


def test_on_another_history_it_begins_afresh(days: EventStore, using: str, tmp_path: Path) -> None:
    JournalPosting(days, frozen_stores.PROPERTY, using).catch_up()
    store = open_store(frozen_stores.sqlite_url("tables", tmp_path))
    JournalPosting(store, frozen_stores.PROPERTY, using).catch_up()
    assert stored(using) == by_the_accounts(store, frozen_stores.PROPERTY)
    store.close()


def test_a_store_that_was_exchanged_under_it_is_noticed(
    days: EventStore, using: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restore exchanges the store while the process runs."""
    first = JournalPosting(days, frozen_stores.PROPERTY, using)
    first.catch_up()
    store = open_store(frozen_stores.sqlite_url("tables", tmp_path))
    monkeypatch.setattr(first, "_store", store)
    with pytest.raises(Conflict, match="another history"):
        first.catch_up()
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY), "nothing of the other"
    store.close()


def test_beside_other_work_it_posts_a_batch_at_a_time(
    days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_rows_from_events, "BATCH", 50)
    clock = SettableSeconds(step_s=1.0)
    poster = JournalPoster(days, frozen_stores.PROPERTY, using, clock)
    counts = [0]
    while counts[-1] < len(by_the_accounts(days, frozen_stores.PROPERTY)):
        poster(is_idle=True)
        counts.append(len(stored(using)))
    assert max(after - before for before, after in pairwise(counts)) <= 50, "one batch"
    poster(is_idle=True)
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY)


def test_while_events_come_nobody_waits_for_a_large_batch(
    days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.journal.idle_posting.FEW", 40)
    clock = SettableSeconds(step_s=1.0)
    poster = JournalPoster(days, frozen_stores.PROPERTY, using, clock)
    poster(is_idle=False)
    few = len(stored(using))
    assert 0 < few <= 40, "of forty events"
    clock.now += OTHERS - 3
    poster(is_idle=False)
    assert len(stored(using)) == few, "nearly all of the time is the others'"
    clock.now += 2
    poster(is_idle=True)
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY), "nothing has come for a while"


def in_batches(store: EventStore, size: int) -> list[JustRead]:
    """Return the projector's batches of events."""
    events = [event for event in decode(everything(store)) if isinstance(event, Event)]
    batches = [events[first : first + size] for first in range(0, len(events), size)]
    return [JustRead(batch[0].position - 1, batch) for batch in batches]


def test_what_the_projector_has_read_is_not_read_again(
    days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside_others, "OTHERS", 0)
    clock, batches = SettableSeconds(step_s=1.0), in_batches(days, 70)
    poster = JournalPoster(days, frozen_stores.PROPERTY, using, clock)
    after = days.after

    def closings_alone(position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> Any:
        """Refuse to read the whole store. Only the closes of days may be read, once before the first entry."""
        assert types, "the store is read"
        assert set(types) <= {"day.closed.v1", "day.amended.v1", "day.overridden.v1"}
        return after(position, limit, types, until)

    with monkeypatch.context() as patch:
        patch.setattr(days, "after", closings_alone)
        for read in batches:
            clock.now += EVERY_S
            poster(is_idle=False, read=read)
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY)


def test_what_was_not_kept_for_it_is_read_from_the_store(
    days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing, repeated and too large batches, and restarted processes: the poster reads the events from the store."""
    monkeypatch.setattr(beside_others, "MOST", 100)
    poster = JournalPoster(days, frozen_stores.PROPERTY, using, clock := SettableSeconds(step_s=1.0))
    for number, read in enumerate(in_batches(days, 40)):
        if number % 7 == 3:
            continue
        if number % 11 == 5:
            poster(is_idle=False, read=read)
        if number % 13 == 6:
            poster = JournalPoster(days, frozen_stores.PROPERTY, using, clock)
        clock.now += 0.1 * number
        poster(is_idle=False, read=read)
    for _ in range(3):
        clock.now += EVERY_S
        poster(is_idle=True)
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY)


def test_what_it_cannot_do_is_left_for_later(days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After another poster or a failed store, the poster starts a minute later at the last posted event."""
    clock = SettableSeconds(step_s=1.0)
    poster = JournalPoster(days, frozen_stores.PROPERTY, using, clock)
    with monkeypatch.context() as first:
        first.setattr(journal_rows_from_events, "BATCH", 50)
        poster(is_idle=True)
    JournalPosting(days, frozen_stores.PROPERTY, using).catch_up()
    poster(is_idle=True)
    assert poster._due > clock.now + LATER_S - 5, "somebody else was quicker"
    clock.now += LATER_S
    for error in (Retry("it does not answer"), KeyError("an account")):
        with monkeypatch.context() as failing:
            failing.setattr(days, "position", lambda why=error: (_ for _ in ()).throw(why))
            poster(is_idle=True)
            assert poster._due > clock.now + LATER_S - 5, "not again at once"
        clock.now += LATER_S
    for _ in range(30):
        poster(is_idle=True)
    assert stored(using) == by_the_accounts(days, frozen_stores.PROPERTY)


def journal_findings(store: EventStore, using: str) -> list[tuple[str, int]]:
    return [
        (finding.message, finding.further_findings)
        for finding in posted_entries_check_against_events.journal_against(store, frozen_stores.PROPERTY, using)
    ]


def test_the_first_entry_that_the_events_do_not_make_is_named(
    days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert journal_findings(days, using) == [], "nothing was posted"
    JournalPosting(days, frozen_stores.PROPERTY, using).catch_up()
    monkeypatch.setattr(posted_entries_check_against_events, "BATCH", 50)
    assert journal_findings(days, using) == []
    entries = JournalEntry.objects.using(using).order_by("id")
    entry, other = entries[10], entries[entries.count() - 1]
    entries.filter(id=entry.id).update(debit="Assets:Cash", micro=entry.micro + 1)
    entries.filter(id=other.id).delete()
    text = f"debit: live 'Assets:Cash', copy {entry.debit!r}, micro: live {entry.micro + 1}, copy {entry.micro}"
    assert journal_findings(days, using) == [(f"journal: JournalEntry {entry.id}: {text}", 1)]
    entries.bulk_create([entry], update_conflicts=True, unique_fields=["id"], update_fields=["debit", "micro"])
    assert journal_findings(days, using) == [(f"journal: JournalEntry {other.id}: only in the copy read model", 0)]
    entries.bulk_create([other])
    for id_ in (-1, entry.id + 500, other.id + 500, (days.position() + 7) * journal_rows_from_events.NUMBERS):
        other.id = id_
        other.save(using=using, force_insert=True)
        assert journal_findings(days, using) == [(f"journal: JournalEntry {id_}: only in the live read model", 0)]
        other.delete(using=using)


def test_entries_of_another_history_are_not_compared(days: EventStore, using: str) -> None:
    """The entries will be posted again."""
    JournalPosting(days, frozen_stores.PROPERTY, using).catch_up()
    readers = Reader.objects.using(using).filter(projection=journal_rows_from_events.NAME)
    for change in ({"version": 0}, {"property": "paris"}, {"digest": "0" * 64}):
        before = readers.values(*change).get()
        readers.update(**change)
        with pytest.raises(Conflict, match="They are being posted again"):
            journal_findings(days, using)
        readers.update(**before)
    assert journal_findings(days, using) == []
