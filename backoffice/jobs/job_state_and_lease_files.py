"""The folder of one job: its state, the steps that are saved, its answer, and the lease of the process at work."""

import fcntl
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import IO, Literal

import msgspec

from backoffice.running.open_files_locks_full_disk import if_there_is_room
from events.streams.problem_details import Problem

STATE, LEASE, ANSWER, CONTENT = "state.json", "lease", "answer", "content"
FAST = 1  # zlib's level
_LENGTH = struct.Struct(">I")  # bytes of a compressed part, in front of it


class Basis(msgspec.Struct, frozen=True):
    """Basis of an answer: the events up to a position, and the digest of the last of them."""

    position: int
    digest: str = ""


class JobState(msgspec.Struct, kw_only=True):
    """State of a job. Times are seconds since 1970; `stops`: how often it was stopped since it last saved a step.

    `failure` is the reason why it failed, with its code.
    """

    basis: Basis
    version: str
    status: Literal["running", "done", "failed"] = "running"
    percent: float = 0.0
    failure: Problem | None = None
    began: float = 0.0
    beat: float = 0.0
    ended: float = 0.0
    stops: int = 0


class JobFolder:
    """Files are replaced whole, so that a reader never sees half of one and a killed process leaves none behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> JobState | None:
        """Return the state; None where no one has asked yet, or the file cannot be read."""
        try:
            return msgspec.json.decode((self.path / STATE).read_bytes(), type=JobState)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, state: JobState) -> None:
        """Replace the state."""
        self._write_file(STATE, msgspec.json.encode(state))

    def save(self, name: str, content: bytes) -> None:
        """Keep a step's result, or the answer."""
        self._write_file(f"{name}.z", zlib.compress(content, FAST))

    def saved(self, name: str) -> bytes | None:
        """Return the bytes saved under this name."""
        try:
            return zlib.decompress((self.path / f"{name}.z").read_bytes())
        except (OSError, zlib.error):
            return None

    def forget_steps(self) -> None:
        """Delete every saved step and the answer."""
        for path in self.path.glob("*.z"):
            path.unlink(missing_ok=True)

    def forget_content(self) -> None:
        """Delete the content. Processes that have it open read on."""
        (self.path / CONTENT).unlink(missing_ok=True)

    def add_content(self, size: int, part: bytes) -> int:
        """Add a part to the content, whose first `size` bytes are valid; return its new size. Raises OSError."""
        packed = zlib.compress(part, FAST)
        with os.fdopen(os.open(self.path / CONTENT, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.truncate(size)
            file.seek(size)
            file.write(_LENGTH.pack(len(packed)) + packed)
        return size + _LENGTH.size + len(packed)

    def open_content(self) -> IO[bytes] | None:
        """Open the content for reading; None before it exists."""
        try:
            return (self.path / CONTENT).open("rb")
        except FileNotFoundError:
            return None

    def is_leased(self) -> bool:
        """Return whether a process is at work on this job."""
        with self.lease() as is_mine:
            return not is_mine

    @contextmanager
    def lease(self) -> Iterator[bool]:
        """Hold the job; False where another process or thread holds it. The kernel ends the lease with its process."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.path / LEASE).open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def delete(self) -> None:
        """Delete the whole folder."""
        rmtree(self.path, ignore_errors=True)

    def _write_file(self, name: str, content: bytes) -> None:
        with if_there_is_room():
            half = self.path / f".{name}.{os.getpid()}"
            half.write_bytes(content)
            half.replace(self.path / name)


def parts_of(content: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the parts of a content from where it was read last, up to a size in bytes."""
    while content.tell() < size:
        (length,) = _LENGTH.unpack(content.read(_LENGTH.size))
        yield zlib.decompress(content.read(length))
