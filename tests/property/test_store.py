"""The store against a model, and the chains against tampering."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from events.envelope import digest, first_prev
from events.errors import Conflict, KeyReused, Stale
from events.store import Append, EventStore, Key, Stored, StreamEnd, open_store
from events.store.in_memory_store import MemoryStore
from events.store.stream_chain_verification import verify
from tests.integration.store.sample_events_and_writers import bets, key

STREAMS = ["athens/tables/bj-01/2026-11-21", "athens/tables/bj-01/2026-11-22", "athens/progressives/sevens"]


class Step(NamedTuple):
    """One append: events by stream, the error of the expected head, its key, and whether it is under the lock."""

    counts: dict[str, int]
    off: int
    key: str | None
    locked: bool


steps = st.lists(
    st.builds(
        Step,
        counts=st.dictionaries(st.sampled_from(STREAMS), st.integers(0, 3), min_size=1),
        off=st.sampled_from([0, 0, 0, 0, 1, -1]),
        key=st.none() | st.sampled_from("abcdefgh"),
        locked=st.booleans(),
    ),
    max_size=12,
)


@contextmanager
def backends() -> Iterator[list[EventStore]]:
    """Yield one store of each kind that needs no server."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        stores = [open_store("memory://"), open_store(f"sqlite:///{Path(folder)}/events.sqlite3")]
        for store in stores:
            closing.callback(store.close)
            store.create()
        yield stores


def run(store: EventStore, step: Step, versions: dict[str, int]) -> type[Conflict] | None:
    """Try a step, and return the conflict's type, or None after a write."""
    appends = [
        Append(stream, StreamEnd(max(versions[stream] + step.off, 0), store.head(stream).digest), bets(count))
        for stream, count in step.counts.items()
    ]
    keys = [key(step.key)] if step.key else []
    try:
        if step.locked:
            with store.locked() as locked:
                locked.append(appends, keys)
        else:
            store.append(appends, keys)
    except Conflict as conflict:
        return type(conflict)
    return None


def expected(step: Step, versions: dict[str, int], used: set[str]) -> type[Conflict] | None:
    if step.key in used:
        return KeyReused
    stale = any(max(versions[stream] + step.off, 0) != versions[stream] for stream in step.counts)
    return Stale if stale else None


@settings(max_examples=40, deadline=None)
@given(steps)
def test_every_backend_does_what_the_model_does(script: Sequence[Step]) -> None:
    with backends() as stores:
        versions, used, order = dict.fromkeys(STREAMS, 0), set[str](), list[tuple[str, int]]()
        for step in script:
            outcome = expected(step, versions, used)
            assert [run(store, step, versions) for store in stores] == [outcome] * len(stores)
            if outcome is None:
                used |= {step.key} if step.key else set()
                for stream, count in step.counts.items():
                    order += [(stream, versions[stream] + number) for number in range(1, count + 1)]
                    versions[stream] += count
        for store in stores:
            events = store.after(0, 1000)
            assert [(stored_event.stream, stored_event.version) for stored_event in events] == order
            assert [stored_event.position for stored_event in events] == list(range(1, len(order) + 1))
            assert {stream: store.head(stream).version for stream in STREAMS} == versions
            assert store.keys(list("abcdefgh")).keys() == used
            assert verify(store).findings == []


class TamperedStore(MemoryStore):
    """A store with events that were changed without its knowledge."""

    def __init__(self, events: list[Stored]) -> None:
        super().__init__()
        self._events = events


def filled(counts: Sequence[int]) -> list[Stored]:
    store = MemoryStore()
    for number, count in enumerate(counts):
        stream = STREAMS[number % len(STREAMS)]
        store.append([Append(stream, store.head(stream), bets(count))])
    return store.after(0, 1000)


logs = st.lists(st.integers(1, 3), min_size=4, max_size=9).map(filled)


def not_last(events: list[Stored]) -> list[int]:
    """Return the places of events with a later event in their stream, which the chain protects."""
    last = {stored.stream: place for place, stored in enumerate(events)}
    return [place for place, stored in enumerate(events) if place != last[stored.stream]]


@given(logs, st.data())
def test_any_changed_byte_is_found(events: list[Stored], data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(not_last(events)))
    raw = bytearray(events[place].raw)
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    events[place] = msgspec.structs.replace(events[place], raw=bytes(raw))
    assert verify(TamperedStore(events)).findings


@given(logs, st.data())
def test_any_missing_event_is_found(events: list[Stored], data: st.DataObject) -> None:
    del events[data.draw(st.sampled_from(not_last(events)))]
    assert verify(TamperedStore(events)).findings


@given(logs, st.data())
def test_an_event_filed_elsewhere_is_found(events: list[Stored], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(events) - 1))
    name, value = data.draw(
        st.sampled_from([("stream", "athens/tables/cr-9/2026-11-21"), ("version", 99), ("type", "hit.declared.v1")])
    )
    events[place] = msgspec.structs.replace(events[place], **{name: value})
    assert verify(TamperedStore(events)).findings


def test_a_new_stream_may_not_begin_in_the_middle_of_anothers_chain() -> None:
    store = MemoryStore()
    foreign = StreamEnd(0, digest(store.append([Append(STREAMS[2], store.head(STREAMS[2]), bets(1))]).stored[0].raw))
    store.append([Append(STREAMS[0], foreign, bets(1))])
    assert [finding.message for finding in verify(store).findings] == [
        "its prev is not the digest of the event before it"
    ]


def test_verify_reads_up_to_a_position_and_tells_its_progress() -> None:
    store, progress = MemoryStore(), list[int]()
    store.append([Append(STREAMS[0], StreamEnd(0, first_prev(STREAMS[0])), bets(5))], [Key("a", b"", STREAMS[0], 1, 5)])
    verified = verify(store, until=3, progress=progress.append)
    assert (verified.position, verified.events, verified.streams, progress) == (3, 3, 1, [3])
