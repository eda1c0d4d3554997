"""The topic against the store: equal, lost and edited events. The comparison creates nothing."""

import pytest

from events.errors import Retry
from events.integrity.head_signing import last_head, make_head
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import MemoryHeads
from events.relay.event_topic_reader_and_setup import is_there
from events.relay.integrity_heads_topic import publish, published
from events.relay.kafka_against_store_comparison import compare
from events.signing import house_signing_key
from events.store import EventStore, Stored
from events.store.in_memory_store import MemoryStore
from tests.servers.ports import free_port
from tests.support.processes.relays_and_topic_readers import PROPERTY, relaying, spin, within
from tests.unit.integrity.test_heads import say


def sent(store: EventStore, bootstrap: str) -> None:
    """Everything that is stored, on the topic."""
    with relaying(store, bootstrap):
        within(lambda: compare(store, bootstrap, PROPERTY).position == store.position(), "the relay sends all of it")


def changed(store: EventStore, drop_after: int = 10**9, edit: int = 0) -> MemoryStore:
    """Return the store after an intruder cut or edited its tables."""
    other = MemoryStore()
    for event in store.after(0, 10_000, until=drop_after):
        raw = event.raw.replace(b'"number":', b'"number": ') if event.position == edit else event.raw
        new = Stored(event.position, event.stream, event.version, event.type, raw)
        other._events.append(new)
        other._streams.setdefault(event.stream, []).append(new)
    return other


def test_the_topic_is_the_store_or_the_difference_is_named(bootstrap: str, store: EventStore) -> None:
    was_there = is_there(bootstrap)
    assert compare(store, bootstrap, PROPERTY).events == 0
    assert is_there(bootstrap) == was_there, "nothing is made by looking"
    spin(store, 250)
    sent(store, bootstrap)
    comparison = compare(store, bootstrap, PROPERTY)
    assert (comparison.events, comparison.position, comparison.differences) == (250, 250, [])
    cut = compare(changed(store, drop_after=247), bootstrap, PROPERTY).differences
    assert [(difference.position, difference.message) for difference in cut] == [
        (position, "stands on the topic, beyond the store's end") for position in (248, 249, 250)
    ]
    (edited,) = compare(changed(store, edit=17), bootstrap, PROPERTY).differences
    assert (edited.position, edited.message) == (17, "is another event on the topic than in the store")
    spin(store, 10)
    assert compare(store, bootstrap, PROPERTY).differences == [], "what waits to be sent is no difference"


def test_without_a_broker_it_is_said() -> None:
    with pytest.raises(Retry):
        compare(MemoryStore(), f"127.0.0.1:{free_port()}", PROPERTY)


def test_heads_that_were_given_up_for_a_backup_are_followed_by_those_in_their_place(
    bootstrap: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    store, heads, by = MemoryStore(), MemoryHeads(), house_signing_key.signer(folder)
    for _ in range(4):
        say(store, 3)
        make_head(store, heads, PROPERTY, by)
    publish(heads, bootstrap, PROPERTY)
    backup, heads_ = MemoryStore(), MemoryHeads()
    backup._events, backup._streams = store._events[:6], {"athens/people": store._streams["athens/people"][:6]}
    heads_._heads = heads._heads[:2]
    memory = house_signing_key.memory(folder)
    memory.accept(PROPERTY, last_head(decode(heads_._heads[-1])), store.clock())
    say(backup, 2)
    assert make_head(backup, heads_, PROPERTY, by)[0] is not None
    assert publish(heads_, bootstrap, PROPERTY, memory.given_up(PROPERTY)) == 1
    assert list(published(bootstrap, PROPERTY))[-1] == heads_.last()
    assert publish(heads_, bootstrap, PROPERTY, memory.given_up(PROPERTY)) == 0
