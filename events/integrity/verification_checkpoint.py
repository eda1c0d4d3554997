"""Progress of a verification, so that the next one continues from there: in the data folder, under the house's seal.

Earlier events were verified then and are not read again. So the progress is valid only under the seal, and only while
the store still holds its last event, byte for byte. Later heads prove the earlier tree once more.
"""

import hmac
import os
from hashlib import sha256
from pathlib import Path

import msgspec
import structlog

from events.integrity.head_signing import EVOLVE
from events.store import EventReader
from events.store.stream_chain_verification import ChainSnapshot

FORM = f"{EVOLVE}, 2"
SAVE_EVERY = 500_000  # events: the stored progress has one line a stream
log = structlog.get_logger(__name__)


class VerifiedState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything up to the last event of `chains`, whose digest is `last`.

    `held`: the valid heads, by size. `seen`: the number of action keys, and of their events.
    """

    chains: ChainSnapshot
    reckoner: bytes
    last: bytes
    held: dict[int, tuple[int, str]]
    vouched: int
    vouched_size: int
    seen: tuple[int, int] = (0, 0)
    evolve: str = FORM


class Checkpoint:
    """One file. Without a key nothing is kept, and nothing believed."""

    def __init__(self, path: Path, key: bytes | None) -> None:
        self._path, self._key = path, key
        self._saved = 0

    def load(self, store: EventReader) -> VerifiedState | None:
        """Return the progress of the last verification; None, and a line in the log, where it is not to be believed."""
        if self._key is None or not self._path.exists():
            return None
        raw = self._path.read_bytes()
        if not hmac.compare_digest(raw[:32], self._seal(raw[32:])):
            log.error("what was verified before is not believed: it is not sealed by this house's key")
            return None
        verified_state = msgspec.msgpack.decode(raw[32:], type=VerifiedState)
        position = verified_state.chains.position
        here = store.after(position - 1, 1, until=position)
        if verified_state.evolve != FORM or not here or sha256(here[0].raw).digest() != verified_state.last:
            log.error("what was verified before is not of this store: verified anew", position=position)
            return None
        self._saved = verified_state.chains.events
        return verified_state

    def due(self, events: int) -> bool:
        """Return whether so many events are worth a checkpoint."""
        return events - self._saved >= SAVE_EVERY

    def save(self, verified_state: VerifiedState) -> None:
        """Replace the file as a whole."""
        if self._key is None:
            return
        content = msgspec.msgpack.encode(verified_state)
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(self._seal(content) + content)
        fresh.replace(self._path)
        self._saved = verified_state.chains.events

    def _seal(self, content: bytes) -> bytes:
        assert self._key is not None
        return hmac.new(self._key, b"pitledger.verified.v1\0" + content, sha256).digest()
