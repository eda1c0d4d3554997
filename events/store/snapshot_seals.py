"""Valid snapshots: sealed by this house's key, over a history that is still the store's.

Snapshots are in a table without guards, and money is decided by their content. So each is stored with the digest of its
last event, under a code (HMAC-SHA256) that only holders of the house's key can make. A snapshot is ignored if it was
written by hand, or is of another stream, version or house. The same holds if its event is no longer in the store, which
came from a backup. The events are then folded again.
"""

import hmac
from collections.abc import Callable
from hashlib import sha256

import msgspec
import structlog

from events.envelope import digest
from events.errors import Invalid
from events.store import EventReader, Snapshot, Stored

log = structlog.get_logger(__name__)

_SEALED = "+sealed-1"  # separate from those of earlier versions without seals: neither reads the other's


class _Sealed(msgspec.Struct, frozen=True, array_like=True):
    """Content in the snapshot's place. `end` is the digest of the event at the snapshot's version or position."""

    code: bytes
    end: bytes
    state: bytes


class Seals:
    """Maker and checker of seals. `key` is called until it returns one: it may be made after the store was opened."""

    def __init__(self, key: Callable[[], bytes | None]) -> None:
        self._ask = key
        self._key: bytes | None = None

    @property
    def key(self) -> bytes | None:
        """The key; None where this process does not have one: it then keeps no snapshots, and believes none."""
        if self._key is None:
            try:
                self._key = self._ask()
            except (Invalid, OSError) as error:
                log.error("no snapshots: the house's key cannot be read", why=str(error))
        return self._key

    def sealed(self, snapshot: Snapshot, history: EventReader) -> Snapshot | None:
        """Return the snapshot in its stored form; None without a key."""
        if self.key is None:
            return None
        end = _end_digest(snapshot, history)
        content = _Sealed(_code(self.key, snapshot, end), end, snapshot.state)
        return _with_state(snapshot, name_of(snapshot.evolve), msgspec.msgpack.encode(content))

    def opened(self, sealed_snapshot: Snapshot, evolve: str, history: EventReader) -> Snapshot | None:
        """Return the snapshot before `sealed`; None, and a line in the log, for an invalid seal."""
        if self.key is None:
            return None
        try:
            content = msgspec.msgpack.decode(sealed_snapshot.state, type=_Sealed)
        except (msgspec.MsgspecError, TypeError):
            content = _Sealed(b"", b"", b"")
        snapshot = _with_state(sealed_snapshot, evolve, content.state)
        if not hmac.compare_digest(content.code, _code(self.key, snapshot, content.end)):
            message = "it is not sealed by this house's key"
        elif content.end != _end_digest(snapshot, history):
            message = "the event that it ends with is not in the store"
        else:
            return snapshot
        log.error(
            "a snapshot is not believed: the events are read again",
            stream=sealed_snapshot.stream,
            at=sealed_snapshot.version,
            why=message,
        )
        return None


def name_of(evolve: str) -> str:
    """Return the name of the sealed snapshots of this `evolve`."""
    return evolve + _SEALED


def _with_state(snapshot: Snapshot, evolve: str, state: bytes) -> Snapshot:
    return msgspec.structs.replace(snapshot, evolve=evolve, state=state)


def _code(key: bytes, snapshot: Snapshot, end: bytes) -> bytes:
    sealed_parts = (snapshot.stream, snapshot.evolve, snapshot.version, end, snapshot.state)
    return hmac.new(key, msgspec.msgpack.encode(sealed_parts), sha256).digest()


def _end_digest(snapshot: Snapshot, history: EventReader) -> bytes:
    """Return the digest of the event that the snapshot ends with; empty without such an event."""
    last_event = _last_event(snapshot, history)
    return digest(last_event[0].raw) if last_event else b""


def _last_event(snapshot: Snapshot, history: EventReader) -> list[Stored]:
    """Return the last event by its version in the stream; for a fold over several streams ("NAME#WHAT"), by its
    position.
    """
    before = snapshot.version - 1
    if "#" in snapshot.stream:
        return history.after(before, 1, until=snapshot.version)
    return [stored for stored in history.stream(snapshot.stream, before, 1) if stored.version == snapshot.version]
