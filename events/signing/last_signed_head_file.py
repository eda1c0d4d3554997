"""The signer's memory of its last head, stored with its key. People with access to the database cannot reach it.

Heads are in the database, which can be emptied or replaced by an older backup. The signer signs no head before its last
one, and none that conflicts with it. People decide to continue from a restored store, and the decision is recorded here
too.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.signing.public_key_copy_for_containers import publish, published


class LastHead(msgspec.Struct, frozen=True, kw_only=True):
    """A head: its number, the number and last position of its events, the root of their tree, and its digest."""

    number: int
    size: int
    position: int
    root: str
    digest: str


class GivenUpHeads(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of people to continue without the heads after `last_kept` up to `last`, whose events are lost."""

    last_kept: int = msgspec.field(name="kept")
    last: LastHead
    time: str


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of people: after head number `after`, the last one of the key `former`, `key` signs heads."""

    after: int
    former: str
    key: str
    time: str


class GivenUpAccessLines(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of people to continue without lost lines of the access log.

    The lines follow line `last_kept`, and heads up to number `head` cover them.
    """

    last_kept: int = msgspec.field(name="kept")
    head: int
    time: str


class _Content(msgspec.Struct, frozen=True, kw_only=True):
    last: LastHead | None = None
    given_up: tuple[GivenUpHeads, ...] = ()
    new_keys: tuple[NewKey, ...] = ()
    looks_given_up: tuple[GivenUpAccessLines, ...] = ()


class Memory:
    """One file for each property in the folder of the keys. `must_write` raises Conflict in other containers."""

    def __init__(self, folder: Path, must_write: Callable[[], object] = lambda: None) -> None:
        self._folder = folder
        self._must_write = must_write

    def last(self, property_: str) -> LastHead | None:
        """Return the newest head signed here; None before the first one, or since `accept`. Raises Invalid."""
        return self._read(property_).last

    def given_up(self, property_: str) -> Sequence[GivenUpHeads]:
        """Return the heads given up in favour of backups, in order. Raises Invalid."""
        return self._read(property_).given_up

    def looks_given_up(self, property_: str) -> Sequence[GivenUpAccessLines]:
        """Return the lines of the access log that were given up, in order. Raises Invalid."""
        return self._read(property_).looks_given_up

    def give_up_looks(self, property_: str, given_up_lines: GivenUpAccessLines) -> None:
        """Continue with an access log that lost its end."""
        with self._alone():
            content = self._read(property_)
            looks_given_up = (*content.looks_given_up, given_up_lines)
            self._write(property_, msgspec.structs.replace(content, looks_given_up=looks_given_up))

    def note(self, property_: str, last: LastHead) -> None:
        """Record a new head. Of two processes that write at the same time, the later head stays."""
        with self._alone():
            content = self._read(property_)
            if content.last is None or content.last.number < last.number:
                self._write(property_, msgspec.structs.replace(content, last=last))

    def accept(self, property_: str, last: LastHead | None, time: str, elsewhere: GivenUpHeads | None = None) -> None:
        """Continue from this head (None: from the beginning), of a store that lost the later ones. `time` is the
        house's.

        `elsewhere`: given-up heads outside the signer's memory that another holder still has. They may be later than
        `time`, where a clock was set back.
        """
        with self._alone():
            content = self._read(property_)
            given_up_heads = content.given_up
            if elsewhere is not None:
                time = max(time, elsewhere.time)
            if content.last is not None:
                last_kept = last.number if last else 0
                given_up_heads = (*given_up_heads, GivenUpHeads(last_kept=last_kept, last=content.last, time=time))
            if elsewhere is not None:
                given_up_heads = (*given_up_heads, elsewhere)
            self._write(property_, msgspec.structs.replace(content, last=last, given_up=given_up_heads))

    def is_new_key(self, property_: str, after: int, key: str) -> bool:
        """Return whether people decided that this key signs after this head. Raises Invalid."""
        return any((new_key.after, new_key.key) == (after, key) for new_key in self._read(property_).new_keys)

    def change_key(self, property_: str, last: LastHead, new: NewKey) -> None:
        """Continue from this head with another key; the former one signs no further head."""
        with self._alone():
            content = self._read(property_)
            self._write(property_, msgspec.structs.replace(content, last=last, new_keys=(*content.new_keys, new)))

    def _path(self, property_: str) -> Path:
        return self._folder / f"last-head.{quote(property_, safe='')}.json"

    def _read(self, property_: str) -> _Content:
        path = self._path(property_)
        try:
            return msgspec.json.decode(path.read_bytes(), type=_Content)
        except FileNotFoundError:
            return self._published(property_)
        except (OSError, msgspec.MsgspecError) as error:
            raise Invalid(str(path), coded("signer-memory-unreadable", why=str(error))) from error

    def _published(self, property_: str) -> _Content:
        """Return the signer's last public copy if its own file is lost; empty without a copy."""
        folder = published(self._folder)
        if folder is None or not (copy := folder / self._path(property_).name).exists():
            return _Content()
        return msgspec.json.decode(copy.read_bytes(), type=_Content)

    def _write(self, property_: str, content: _Content) -> None:
        """Replace the file as a whole, also in a power cut."""
        path = self._path(property_)
        fresh = path.with_suffix(f".{os.getpid()}")
        with fresh.open("wb") as file:
            file.write(msgspec.json.encode(content))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        publish(self._folder)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._must_write()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # For reading only: a file restored from a backup may belong to another user.
            lock = os.open(self._folder / "last-head.lock", os.O_RDONLY | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)
        except OSError as error:
            raise Invalid("PITLEDGER_DATA", coded("signer-memory-not-written", why=str(error))) from error
