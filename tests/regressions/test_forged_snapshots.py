"""Forged snapshots, and snapshots of another history, decide nothing: money follows from the events."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from structlog.testing import capture_logs

from events import catalogue
from events.desk.desk import Desk
from events.progressives import due_lock_and_lapse_appending, history_reader, progressive_state_following_store
from events.progressives.event_types import SharesLocked
from events.signing import house_signing_key
from events.store import EventStore, Snapshot, open_store
from events.store.snapshot_seals import name_of
from events.store.store_base_classes import RecordedStore
from events.tables.main_table_decider import EVOLVE
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino
from tests.support.houses.small_house import DAY, House

FOLD = f"{PROPERTY}/progressives/{NAME}#fold"
TABLE = f"{PROPERTY}/tables/FR1/{DAY}"
EXTRA_MINOR = 1_000_000
DISBELIEVED = "a snapshot is not believed: the events are read again"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a store whose house has a key and makes a snapshot at every opportunity."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setattr(progressive_state_following_store, "SNAPSHOT_EVERY", 1)
    house_signing_key.signer(tmp_path)
    is_file = request.param == "sqlite"
    return f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def casino(url: str) -> Iterator[Casino]:
    """After two rounds, with a snapshot of the progressive."""
    casino = Casino(open_store(url))
    casino.play("BJ1")
    casino.play("BJ1")
    casino.reconcile()
    assert casino.store.snapshot(FOLD, progressive_state_following_store.EVOLVE) is not None
    yield casino
    casino.close()


def written(store: EventStore, snapshot: Snapshot) -> None:
    """Write a snapshot row, as an intruder with the database but without the key does."""
    assert isinstance(store, RecordedStore)
    with store._appending() as here:
        here.save_snapshot(snapshot)


def row(store: EventStore, stream: str, evolve: str) -> Snapshot:
    """Return the stored row of a snapshot."""
    assert isinstance(store, RecordedStore)
    with store._reading() as here:
        snapshot_row = here.snapshot(stream, name_of(evolve))
    assert snapshot_row is not None
    return snapshot_row


def richer(store: EventStore) -> bytes:
    """The content of the fold's snapshot with 10,000.00 more on the meter."""
    snapshot = store.snapshot(FOLD, progressive_state_following_store.EVOLVE)
    assert snapshot is not None
    live = progressive_state_following_store.ProgressiveFollower(PROPERTY, NAME)
    assert live.load(snapshot.state, snapshot.version)
    assert live.fold is not None
    level = live.fold.state.levels["mega"]
    extra_micro = EXTRA_MINOR * 1_000_000
    level.base = msgspec.structs.replace(level.base, meter=level.base.meter + extra_micro)
    level.meter += extra_micro
    return live.dump(live.fold)


def forgeries(store: EventStore) -> dict[str, Snapshot]:
    """Return the forged state in every form: without a seal, or under a true, foreign or empty one."""
    honest, state = row(store, FOLD, progressive_state_following_store.EVOLVE), richer(store)
    code, end, _ = msgspec.msgpack.decode(honest.state)
    theirs = msgspec.msgpack.encode((b"\0" * 32, end, state))
    return {
        "as before there were seals": Snapshot(FOLD, honest.version, progressive_state_following_store.EVOLVE, state),
        "bare": msgspec.structs.replace(honest, state=state),
        "the honest code": msgspec.structs.replace(honest, state=msgspec.msgpack.encode((code, end, state))),
        "another code": msgspec.structs.replace(honest, state=theirs),
        "no code": msgspec.structs.replace(honest, state=msgspec.msgpack.encode((b"", b"", state))),
        "rubbish": msgspec.structs.replace(honest, state=b"\xc1"),
        "later": msgspec.structs.replace(honest, version=honest.version + 10**6),
    }


DISGUISES = ["as before there were seals", "bare", "the honest code", "another code", "no code", "rubbish", "later"]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_forged_fold_pays_what_the_facts_give(casino: Casino, url: str, disguise: str) -> None:
    assert list(forgeries(casino.store)) == DISGUISES
    written(casino.store, forgeries(casino.store)[disguise])
    other = reopened_casino(casino, open_store(url))  # another process, which knows nothing yet
    (hit,) = other.play("BJ1", hits=((1, "mega"),))
    with capture_logs() as logs:
        other.reconcile()
    assert any(log["event"] == DISBELIEVED for log in logs) == (disguise != "as before there were seals")
    lock = other.fold.lock(hit)
    assert lock is not None
    assert lock.share < 5_000_000 + EXTRA_MINOR
    locks = [catalogue.decode(event.type, event.raw).data for event in other.store.after(0, 10, [SharesLocked.TYPE])]
    assert [share.share_minor for event in locks for share in event.shares] == [lock.share]
    other.authorise(hit)
    paid = other.pay(hit)[0].data
    assert paid.amount_minor == lock.share
    other.desk.close()


def reopened_casino(casino: Casino, store: EventStore) -> Casino:
    """The same casino as another process sees it."""
    other: Any = object.__new__(Casino)
    other.__dict__ |= {**casino.__dict__, "store": store, "desk": Desk(store, PROPERTY)}
    assert isinstance(other, Casino)
    return other


def test_a_forged_row_that_claims_to_be_later_does_not_keep_its_place(casino: Casino) -> None:
    written(casino.store, forgeries(casino.store)["later"])
    casino.play("BJ1")
    casino.reconcile()
    snapshot = casino.store.snapshot(FOLD, progressive_state_following_store.EVOLVE)
    assert snapshot is not None
    assert snapshot.version <= casino.store.position()


def test_a_genuine_snapshot_of_another_stream_is_not_believed(casino: Casino) -> None:
    honest = row(casino.store, FOLD, progressive_state_following_store.EVOLVE)
    stream = FOLD.replace(NAME, "other")
    written(casino.store, msgspec.structs.replace(honest, stream=stream))
    assert casino.store.snapshot(stream, progressive_state_following_store.EVOLVE) is None


def test_a_snapshot_of_events_that_are_no_longer_there_is_not_believed(casino: Casino, url: str) -> None:
    """The events are from an older backup, and the snapshots are newer."""
    without(url, casino.store.position() - 1)
    with capture_logs() as logs:
        assert casino.store.snapshot(FOLD, progressive_state_following_store.EVOLVE) is None
    assert [line["why"] for line in logs] == ["the event that it ends with is not in the store"]


def test_whoever_has_no_key_believes_none_and_keeps_none(
    casino: Casino, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = row(casino.store, FOLD, progressive_state_following_store.EVOLVE)
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "elsewhere"))
    other = reopened_casino(casino, open_store(url))
    assert other.store.snapshot(FOLD, progressive_state_following_store.EVOLVE) is None
    other.play("BJ1")
    other.reconcile()
    assert row(other.store, FOLD, progressive_state_following_store.EVOLVE) == before
    fresh = due_lock_and_lapse_appending.current(other.store, PROPERTY, NAME)
    assert other.fold.level("mega").meter == fresh.level("mega").meter
    other.store.close()


def test_a_process_notices_that_its_store_holds_another_history(casino: Casino, url: str) -> None:
    """A process does not add its earlier fold to events from a restored backup."""
    fed = due_lock_and_lapse_appending.current(casino.store, PROPERTY, NAME).level("mega").fed
    opened = history_reader.opening(casino.store, PROPERTY, NAME)[0]
    without(url, opened)
    assert due_lock_and_lapse_appending.current(casino.store, PROPERTY, NAME).level("mega").fed == 0
    casino.play("BJ2")
    assert 0 < due_lock_and_lapse_appending.current(casino.store, PROPERTY, NAME).level("mega").fed < fed


def test_a_forged_session_is_folded_from_its_events(url: str) -> None:
    house = House(open_store(url))
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=10_000))
    events = house.store.stream(TABLE)
    state = msgspec.json.encode(
        msgspec.structs.replace(house.desk.streams.cache._stored_states[TABLE].state, status="closed")
    )
    written(house.store, Snapshot(TABLE, len(events), name_of(EVOLVE), state))
    other = Desk(house.store, PROPERTY)
    house.desk.close()
    house.desk = other
    house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=10_000))
    house.close()


def without(url: str, after: int) -> None:
    """Take away the events behind a position, as an older backup of their table does."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            connection.execute("DROP TRIGGER pitledger_events_refuse_delete")
            connection.execute("DELETE FROM pitledger_events WHERE rowid > ?", (after,))
        return
    with psycopg.connect(url) as server:
        server.execute("ALTER TABLE pitledger_events DISABLE TRIGGER pitledger_events_refuse")
        server.execute("DELETE FROM pitledger_events WHERE notification_id > %s", (after,))
