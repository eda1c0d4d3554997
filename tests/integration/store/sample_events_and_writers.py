"""Events, actions and writers for the tests of the store."""

from threading import Thread
from typing import ClassVar

from events.envelope import EventData, Meta
from events.store import Append, AppendResult, EventStore, Key, NewEvent, open_store

TABLE = "athens/tables/bj-01/2026-11-21"
META = Meta(time="2026-11-21T10:00:00.000Z", actor="p-17", actorrole="dealer", causation="key-1")


class BetPlaced(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A bet, as far as the store cares."""

    TYPE: ClassVar[str] = "bet.placed.v1"
    amount_minor: int = 0
    player: str | None = None


class HitDeclared(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A rarer event."""

    TYPE: ClassVar[str] = "hit.declared.v1"
    level: str


def bets(count: int, amount_minor: int = 2500) -> list[NewEvent]:
    return [NewEvent(BetPlaced(amount_minor=amount_minor + number, player="p-ω"), META) for number in range(count)]


def add(store: EventStore, stream: str, count: int = 1, keys: tuple[Key, ...] = ()) -> AppendResult:
    """Append bets at the end of the stream."""
    return store.append([Append(stream, store.head(stream), bets(count))], keys)


def key(name: str, stream: str = TABLE, first: int = 1, count: int = 1) -> Key:
    return Key(name, b"hash of the inputs", stream, first, count)


def write_singly(url: str, writer: int, threads: int, events: int) -> None:
    """A process of its own: every thread writes one-event transactions into a stream of its own."""
    store = open_store(url)
    try:
        running = [Thread(target=_write, args=(store, f"w/{writer}/{thread}", events)) for thread in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    finally:
        store.close()


def _write(store: EventStore, stream: str, events: int) -> None:
    head = store.head(stream)
    for number in range(events):
        head = store.append([Append(stream, head, bets(1, number))]).heads[stream]


def create(url: str) -> None:
    """A process of its own: make the tables, as every process does that starts first."""
    store = open_store(url)
    try:
        store.create()
    finally:
        store.close()
