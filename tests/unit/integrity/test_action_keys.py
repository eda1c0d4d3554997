"""Every event of an action is stored under the action's key, in each of its streams."""

import msgspec
import pytest

from events.desk.locked_decisions import keys_of
from events.envelope import Meta
from events.integrity.action_keys_against_events import KeyAudit
from events.people.role_grant_decider import RoleGranted
from events.store import Append, Key, NewEvent
from events.store.in_memory_store import MemoryStore

META = Meta(time="2026-11-20T20:00:00.000Z", actor="p-1", actorrole="administrator")
STREAMS = ("athens/people", "athens/floor", "athens/house")


@pytest.fixture
def store() -> MemoryStore:
    """Two events without an action, and two in each of three streams from one action."""
    store, keyed_meta = MemoryStore(), msgspec.structs.replace(META, causation="till-7")
    for meta, streams in ((META, STREAMS[:1]), (keyed_meta, STREAMS)):
        heads = [store.head(stream) for stream in streams]
        events = [NewEvent(RoleGranted(person=f"p-{n}", role="dealer"), meta) for n in range(2)]
        appends = [Append(stream, head, events) for stream, head in zip(streams, heads, strict=True)]
        places = [(append.stream, append.head.version + 1, 2) for append in appends]
        store.append(appends, keys_of("till-7", b"said", places) if meta is keyed_meta else ())
    return store


def key_findings(store: MemoryStore, at_once: int) -> list[str]:
    caused = KeyAudit()
    for after in range(0, 8, at_once):
        caused.take(store, store.after(after, at_once))
    return [finding.event for finding in caused.findings]


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_an_honest_store_has_every_key(store: MemoryStore, at_once: int) -> None:
    assert key_findings(store, at_once) == []


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_a_key_taken_away_is_missed_by_its_events(store: MemoryStore, at_once: int) -> None:
    del store._keys["till-7#3"]
    assert key_findings(store, at_once) == ["athens/house@1", "athens/house@2"]


def test_without_its_own_key_an_action_has_none(store: MemoryStore) -> None:
    del store._keys["till-7"]
    assert key_findings(store, 8) == [
        f"{stream}@{n}" for stream, first in zip(STREAMS, (3, 1, 1), strict=True) for n in (first, first + 1)
    ]


@pytest.mark.parametrize(
    ("change", "astray"),
    [({"first": 2}, [1]), ({"count": 1}, [2]), ({"stream": "athens/people"}, [1, 2])],
)
def test_a_key_that_stands_for_other_events_is_told(
    store: MemoryStore, change: dict[str, object], astray: list[int]
) -> None:
    key: Key = store._keys["till-7#2"]
    store._keys["till-7#2"] = msgspec.structs.replace(key, **change)
    assert key_findings(store, 8) == [f"athens/floor@{version}" for version in astray]
