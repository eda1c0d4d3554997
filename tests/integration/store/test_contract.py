"""The duties of every backend of the store: memory, SQLite and PostgreSQL alike."""

from itertools import product
from pathlib import Path
from threading import Barrier, Thread

import msgspec
import pytest

from events.envelope import digest, first_prev
from events.errors import Conflict, KeyReused, Stale
from events.signing.house_signing_key import signer
from events.store import (
    MAX_BATCH,
    Append,
    EventStore,
    Key,
    NewEvent,
    OutdatedAssumptions,
    Snapshot,
    StreamEnd,
    Tally,
    everything,
    sqlite,
)
from events.store.stream_chain_verification import verify
from projections.engine.rebuild import chunks
from tests.integration.store.sample_events_and_writers import META, TABLE, BetPlaced, HitDeclared, add, bets, key

NEXT_DAY = "athens/tables/bj-01/2026-11-22"


def test_an_empty_store(store: EventStore) -> None:
    assert store.position() == 0
    assert store.head(TABLE) == StreamEnd(0, first_prev(TABLE))
    assert store.stream(TABLE) == []
    assert store.after(0, 10) == []
    assert store.after(0, 10, ["bet.placed.v1"]) == []
    assert store.last_stream("athens/") is None
    assert store.keys(["a"]) == {}
    assert store.snapshot(TABLE, "1") is None
    assert list(everything(store)) == []


def test_appended_events_are_read_back(store: EventStore) -> None:
    written = add(store, TABLE, 3)
    assert [stored_event.position for stored_event in written.stored] == [1, 2, 3]
    assert [stored_event.version for stored_event in written.stored] == [1, 2, 3]
    assert store.stream(TABLE) == store.after(0, 10) == written.stored
    assert store.head(TABLE) == written.heads[TABLE] == StreamEnd(3, digest(written.stored[-1].raw))
    assert store.position() == 3


def test_the_bytes_are_a_cloudevent_chained_to_the_one_before(store: EventStore) -> None:
    first, second = add(store, TABLE, 2).stored
    event = msgspec.json.decode(second.raw)
    assert event.pop("recordedat").endswith("Z")
    assert event == {
        "specversion": "1.0",
        "id": f"{TABLE}@2",
        "source": "athens",
        "type": "bet.placed.v1",
        "time": "2026-11-21T10:00:00.000Z",
        "subject": TABLE,
        "actor": "p-17",
        "actorrole": "dealer",
        "causation": "key-1",
        "prev": digest(first.raw).hex(),
        "data": {"amount_minor": 2501, "player": "p-ω"},
    }
    assert msgspec.json.decode(first.raw)["prev"] == first_prev(TABLE).hex()


def test_a_stream_is_read_in_parts(store: EventStore) -> None:
    events = add(store, TABLE, 5).stored
    add(store, NEXT_DAY)
    assert store.stream(TABLE, after=2) == events[2:]
    assert store.stream(TABLE, after=2, limit=2) == events[2:4]
    assert store.stream(TABLE, after=5) == []


def test_the_log_is_read_by_position_and_type(store: EventStore) -> None:
    head = store.head(TABLE)
    rare = NewEvent(HitDeclared(level="mega"), META)
    events = store.append([Append(TABLE, head, [*bets(2), rare, *bets(2), rare])]).stored
    assert store.after(1, 2) == events[1:3]
    assert store.after(1, 10, until=4) == events[1:4]
    assert store.after(0, 10, ["hit.declared.v1"]) == [events[2], events[5]]
    assert store.after(0, 1, ["hit.declared.v1"]) == [events[2]]
    assert store.after(3, 10, ["hit.declared.v1"], until=5) == []
    assert store.after(0, 4, ["hit.declared.v1", "bet.placed.v1", "never.seen.v1"]) == events[:4]
    assert store.after(0, 4, ["bet.placed.v1", "bet.placed.v1"]) == [*events[:2], *events[3:5]]
    assert list(everything(store, after=1, batch=2)) == events[1:]
    assert list(everything(store, types=["hit.declared.v1"], batch=1)) == [events[2], events[5]]


@pytest.mark.parametrize("near", [-1, 3, 1_000])
def test_events_of_some_types_are_the_same_however_near_the_end_is(
    store: EventStore, near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "NEAR", near)
    rare = NewEvent(HitDeclared(level="mega"), META)
    events = store.append([Append(TABLE, store.head(TABLE), [*bets(3), rare, *bets(1), rare, *bets(2)])]).stored
    for types in (["hit.declared.v1"], ["bet.placed.v1"], ["hit.declared.v1", "bet.placed.v1"], ["never.seen.v1"]):
        for after, until, limit in product(range(9), (None, 0, 4, 8), (1, 3, 10)):
            beyond = [
                event for event in events if event.position > after and (until is None or event.position <= until)
            ]
            expected = [event for event in beyond if event.type in types][:limit]
            assert store.after(after, limit, types, until) == expected


def test_chunks_for_a_rebuild_end_where_the_store_ended(store: EventStore) -> None:
    events = add(store, TABLE, 7).stored
    reading = chunks(store, after=1, size=2)
    read = next(reading)
    add(store, NEXT_DAY)
    for chunk in reading:
        read += chunk
    assert read == events[1:]
    assert list(chunks(store, until=3, size=2)) == [events[:2], events[2:3]]


def test_several_streams_in_one_append(store: EventStore) -> None:
    meter = "athens/progressives/three-sevens"
    written = store.append([Append(TABLE, store.head(TABLE), bets(2)), Append(meter, store.head(meter), bets(1))])
    assert [(stored_event.stream, stored_event.version) for stored_event in written.stored] == [
        (TABLE, 1),
        (TABLE, 2),
        (meter, 1),
    ]
    assert written.heads == {TABLE: store.head(TABLE), meter: store.head(meter)}


def test_a_rolled_session_carries_the_chain_on(store: EventStore) -> None:
    add(store, TABLE)
    rolled = store.append(
        [Append(TABLE, store.head(TABLE), bets(1)), Append(NEXT_DAY, store.head(NEXT_DAY), bets(1), follows=TABLE)]
    ).stored
    assert msgspec.json.decode(rolled[1].raw)["prev"] == digest(rolled[0].raw).hex()
    assert verify(store).findings == []


@pytest.mark.parametrize("version", [0, 1, 3])
def test_another_version_is_stale_and_nothing_is_written(store: EventStore, version: int) -> None:
    head = add(store, TABLE, 2).heads[TABLE]
    with pytest.raises(Stale, match=TABLE):
        store.append(
            [Append(NEXT_DAY, store.head(NEXT_DAY), bets(1)), Append(TABLE, StreamEnd(version, head.digest), bets(1))]
        )
    assert store.position() == 2
    assert store.stream(NEXT_DAY) == []


def test_another_content_of_the_same_version_is_stale(store: EventStore) -> None:
    add(store, TABLE, 2)
    with pytest.raises(Stale):
        store.append([Append(TABLE, StreamEnd(2, digest(b"something else")), bets(1))], [key("a")])
    assert store.position() == 2
    assert store.keys(["a"]) == {}


def test_a_head_can_be_checked_without_an_event(store: EventStore) -> None:
    head = add(store, TABLE).heads[TABLE]
    assert store.append([Append(TABLE, head, [])], [key("a", first=2, count=0)]).heads == {TABLE: head}
    assert store.keys(["a"]).keys() == {"a"}
    with pytest.raises(Stale):
        store.append([Append(TABLE, store.head(NEXT_DAY), []), Append(NEXT_DAY, store.head(NEXT_DAY), bets(1))])
    assert store.position() == 1


def test_keys_are_kept_with_their_events(store: EventStore) -> None:
    keys = [key("a"), key("b", first=2, count=2)]
    add(store, TABLE, 3, tuple(keys))
    assert store.keys(["b", "c", "a"]) == {"a": keys[0], "b": keys[1]}


def test_what_is_outdated_is_told_in_one_look(store: EventStore) -> None:
    add(store, TABLE, 3, (key("a"), key(NEXT_DAY)))
    assert store.outdated([], {}) == OutdatedAssumptions(frozenset(), frozenset())
    assert store.outdated(["b", "c"], {TABLE: 3, NEXT_DAY: 0}) == OutdatedAssumptions(frozenset(), frozenset())
    assert store.outdated(["b", "a"], {TABLE: 2, NEXT_DAY: 0}) == OutdatedAssumptions(
        frozenset({"a"}), frozenset({TABLE})
    )
    assert store.outdated([NEXT_DAY], {TABLE: 7}) == OutdatedAssumptions(frozenset({NEXT_DAY}), frozenset())
    assert store.outdated([], {TABLE: 0, "ω/b": 0}) == OutdatedAssumptions(frozenset(), frozenset({TABLE}))


def test_keys_are_counted_and_listed(store: EventStore) -> None:
    assert (store.tally(), store.keys_after("", 10, marked=False)) == (Tally(0, 0, 0), [])
    keys = [key("b", count=2), key("b#2"), key("a/x#y"), key("a", first=3)]
    add(store, TABLE, 3, tuple(keys))
    assert store.tally() == Tally(3, 2, 3)
    assert [key_.key for key_ in store.keys_after("", 10, marked=False)] == ["a", "a/x#y", "b", "b#2"]
    assert store.keys_after("a", 1, marked=True) == [keys[2]]
    assert store.keys_after("a/x#y", 10, marked=True) == [keys[1]]


def test_a_thousand_keys_are_asked_at_once(store: EventStore) -> None:
    add(store, TABLE, 1, tuple(key(f"k{number}") for number in range(MAX_BATCH)))
    assert len(store.keys([f"k{number}" for number in range(500, 1500)])) == 500


def test_a_key_is_used_once(store: EventStore) -> None:
    add(store, TABLE, 1, (key("a"),))
    with pytest.raises(KeyReused):
        add(store, TABLE, 1, (key("b"), Key("a", b"other", NEXT_DAY, 1, 1)))
    assert store.position() == 1
    assert store.keys(["a", "b"]) == {"a": key("a")}


def test_after_a_lost_acknowledgement_the_repeated_append_is_told_of_its_key(store: EventStore) -> None:
    head = store.head(TABLE)
    append = [Append(TABLE, head, bets(1))]
    store.append(append, [key("a")])
    with pytest.raises(KeyReused):  # and not Stale, though the stream has moved on
        store.append(append, [key("a")])
    assert store.keys(["a"]) == {"a": key("a")}


def test_what_no_store_may_take(store: EventStore) -> None:
    head = store.head(TABLE)
    for appends, keys in [
        ([Append(TABLE, head, bets(MAX_BATCH + 1))], []),
        ([], [key(f"k{number}") for number in range(MAX_BATCH + 1)]),
        ([Append(TABLE, head, bets(1))], [key("a"), key("a")]),
        ([Append(TABLE, head, bets(1)), Append(TABLE, head, bets(1))], []),
        ([Append(TABLE, head, bets(1), follows=NEXT_DAY)], []),
    ]:
        with pytest.raises(ValueError, match=r"at most 1000|twice|only follow"):
            store.append(appends, keys)
    assert store.position() == 0


def test_a_full_batch(store: EventStore) -> None:
    assert add(store, TABLE, MAX_BATCH).stored[-1].position == MAX_BATCH
    assert verify(store).findings == []


def test_the_last_stream_of_a_table(store: EventStore) -> None:
    for stream in [
        NEXT_DAY,
        TABLE,
        "athens/tables/bj-010/2027-01-01",
        "athens/tables/bj-0/2027-01-01",
        "Athens/a",
        "ω/b",
    ]:
        add(store, stream)
    assert store.last_stream("athens/tables/bj-01/") == NEXT_DAY
    assert store.last_stream("athens/tables/bj-02/") is None
    assert store.last_stream("") == "ω/b"


def test_a_snapshot_is_the_latest_of_its_evolve(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    signer()  # whoever has no key keeps no snapshots in a database
    add(store, TABLE, 7)
    for version, evolve, state in [(5, "7", b"five"), (9, "7", b"nine"), (8, "7", b"late"), (1, "8", b"other")]:
        store.save_snapshot(Snapshot(TABLE, version, evolve, state))
    assert store.snapshot(TABLE, "7") == Snapshot(TABLE, 9, "7", b"nine")
    assert store.snapshot(TABLE, "8") == Snapshot(TABLE, 1, "8", b"other")
    assert store.snapshot(NEXT_DAY, "7") is None


def test_a_decision_under_the_lock(store: EventStore) -> None:
    add(store, TABLE, 2, (key("a"),))
    with store.locked() as locked:
        assert locked.position() == 2
        assert locked.after(0, 10, ["bet.placed.v1"]) == locked.stream(TABLE) == locked.after(0, 10)
        assert locked.keys(["a"]) == {"a": key("a")}
        assert locked.last_stream("athens/") == TABLE
        first = locked.append([Append(TABLE, locked.head(TABLE), bets(1))], [key("b")])
        second = locked.append([Append(TABLE, first.heads[TABLE], bets(1))])
    assert [stored_event.version for stored_event in store.stream(TABLE)] == [1, 2, 3, 4]
    assert store.head(TABLE) == second.heads[TABLE]


def test_a_failed_decision_leaves_nothing(store: EventStore) -> None:
    def fail() -> None:
        with store.locked() as locked:
            heads = [Append(stream, locked.head(stream), bets(2)) for stream in (TABLE, NEXT_DAY)]
            locked.append(heads, [key("a")])
            raise ZeroDivisionError

    add(store, TABLE)
    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.position() == 1
    assert store.keys(["a"]) == {}
    assert store.last_stream("athens/") == TABLE
    add(store, TABLE)
    assert verify(store).findings == []


def test_a_conflict_under_the_lock_undoes_all_of_it_even_when_caught(store: EventStore) -> None:
    def decide() -> None:
        with store.locked() as locked:
            locked.append([Append(TABLE, locked.head(TABLE), bets(1))])
            with pytest.raises(Conflict):
                locked.append([Append(TABLE, StreamEnd(7, b""), bets(1))])

    with pytest.raises(Stale):
        decide()
    assert store.position() == 0


def test_nobody_writes_while_the_lock_is_held(store: EventStore) -> None:
    started = Barrier(2)

    def write() -> None:
        started.wait(60)
        add(store, NEXT_DAY)

    other = Thread(target=write)
    with store.locked() as locked:
        other.start()
        started.wait(60)
        assert locked.position() == 0
        locked.append([Append(TABLE, locked.head(TABLE), bets(1))])
        assert [stored_event.stream for stored_event in locked.after(0, 10)] == [TABLE]
    other.join(60)
    assert [stored_event.stream for stored_event in store.after(0, 10)] == [TABLE, NEXT_DAY]


def test_of_two_writers_at_one_head_one_is_stale(store: EventStore) -> None:
    head, refused, started = store.head(TABLE), [], Barrier(8)

    def write(number: int) -> None:
        started.wait(60)
        try:
            store.append([Append(TABLE, head, bets(1, number))])
        except Stale as stale:
            refused.append(stale)

    threads = [Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (store.position(), len(refused)) == (1, 7)


def test_the_data_of_an_event_may_be_large(store: EventStore) -> None:
    large = NewEvent(BetPlaced(player="x" * 890_000), META)
    store.append([Append(TABLE, store.head(TABLE), [large])])
    assert len(store.stream(TABLE)[0].raw) > 890_000
