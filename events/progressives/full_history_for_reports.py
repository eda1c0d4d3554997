"""A progressive's whole life, from the last stored copy: for reports, and for no decision.

The fold that decides about money forgets settled hits; this one keeps every hit, and counts the bets. A copy is stored
at regular positions, each under its own name, so that a past day begins at the copy before it. Copies are snapshots
like others: sealed by the house's key, and valid only for the events from which they were made.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from events import catalogue
from events.progressives import history_reader
from events.progressives.event_to_fact_mapping import FACT_TYPES, fact_of
from events.progressives.fact_structs import AnyFact, Arm
from events.progressives.fold import VERSION, Fold
from events.store import EventStore, Snapshot, Stored, everything
from events.tables.event_types.shoe_and_dealt_cards import ShoeLoaded

EVERY = 200_000  # positions from one copy to the next
PACKS = 6  # for a table without a recorded number

_SNAPSHOT_FORMAT = f"life-1.{VERSION}"
_TYPES = (*sorted(FACT_TYPES), ShoeLoaded.TYPE)


class _Copy(msgspec.Struct, frozen=True):
    fold: bytes
    bets: dict[int, int]
    packs: dict[str, int]


class Life:
    """Everything up to `position`. `bets` are the armed ones by the packs in the shoe."""

    def __init__(self, fold: Fold, position: int) -> None:
        self.fold = fold
        self.position = position
        self.bets: Counter[int] = Counter()
        self._packs: dict[str, int] = {}  # by session: those of its shoe

    def observed(self) -> Counter[str]:
        """Return the valid hits by level."""
        return Counter(hit.level for hit in self.fold.state.hits.values() if not hit.void)

    def take(self, name: str, stored: Stored) -> None:
        """Apply the next event of those types. Raises `Poison` for an unreadable event."""
        data = catalogue.decode(stored.type, stored.raw).data
        if isinstance(data, ShoeLoaded):
            self._packs[stored.stream] = data.packs
        elif (fact := fact_of(stored.position, stored.stream, stored.type, data, name)) is not None:
            self._count(fact, is_refused=bool(self.fold.take((fact,))))
        self.position = stored.position

    def _count(self, fact: AnyFact, *, is_refused: bool) -> None:
        if isinstance(fact, Arm) and not is_refused:
            self.bets[self._packs.get(fact.table, PACKS)] += len(fact.bets)

    def dump(self) -> bytes:
        """A copy's content."""
        return msgspec.msgpack.encode(_Copy(self.fold.dump(), self.bets, self._packs))

    @classmethod
    def load(cls, snapshot: Snapshot) -> "Life | None":
        """Return the state of a snapshot; None for one of another version of the fold."""
        copy = msgspec.msgpack.decode(snapshot.state, type=_Copy)
        if (fold := Fold.load(copy.fold)) is None:
            return None
        life = cls(fold, snapshot.version)
        life.bets, life._packs = Counter(copy.bets), copy.packs
        return life


def life(store: EventStore, property_: str, name: str, until: int | None = None) -> Life:
    """Return the whole life up to a position, or to the last event. Stores the copies on the way. Raises Unknown,
    `Poison`.
    """
    own, opened = history_reader.stream_of(property_, name), history_reader.start(store, property_, name)
    last = store.position() if until is None else until
    life_ = _cached_life(store, own, opened.at, last) or Life(opened, opened.at)
    for stored in everything(store, life_.position, _TYPES, until=last):
        if stored.position // EVERY > life_.position // EVERY:
            store.save_snapshot(
                Snapshot(_name(own, stored.position // EVERY), life_.position, _SNAPSHOT_FORMAT, life_.dump())
            )
        if stored.stream == own or "/tables/" in stored.stream:
            life_.take(name, stored)
    return life_


def _cached_life(store: EventStore, own: str, opened: int, last: int) -> Life | None:
    """The last copy before a position."""
    for number in range(last // EVERY, opened // EVERY, -1):
        snapshot = store.snapshot(_name(own, number), _SNAPSHOT_FORMAT)
        if snapshot is not None and snapshot.version <= last and (life_ := Life.load(snapshot)) is not None:
            return life_
    return None


def _name(own: str, number: int) -> str:
    return f"{own}#life-{number}"


def sessions(store: EventStore, property_: str, gaming_day: str) -> Iterator[str]:
    """The streams of all tables that were opened on a gaming day."""
    tables, before = f"{property_}/tables/", None
    while (stream := store.last_stream(tables, before)) is not None:
        before = f"{tables}{stream.split('/')[2]}/"
        if store.head(f"{before}{gaming_day}").version:
            yield f"{before}{gaming_day}"
