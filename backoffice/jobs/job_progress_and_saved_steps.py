"""The progress of a job: the finished share, and the steps whose results are saved.

A saved step is not computed again by any process that continues the job. The share only grows: it is stored with the
job, and the next process counts from there.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec

from backoffice.jobs.job_state_and_lease_files import JobFolder, JobState, parts_of
from events.error_codes import coded
from events.errors import Retry
from events.store import EventStore, Stored

BEAT_S = 1.0  # between two writes of the state
SAVE_S = 10.0  # between two checkpoints in the middle of a step
EVERY = 200  # of many things, how often the clock is read
ALMOST = 99.0  # per cent: all of them are reached by the answer alone

_WRITTEN = "written"  # the checkpoint of a content

T = TypeVar("T")


class WrittenPart(msgspec.Struct, frozen=True):
    """The written part of a long file: its bytes, its last position, its lines."""

    size: int = 0
    at: int = 0
    lines: int = 0


class JobStopped(Exception):
    """The process ends. Another one continues with the job."""


class Progress:
    """Recorder of a job's progress, which saves the results of steps."""

    def __init__(self, folder: JobFolder, state: JobState, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._state, self._clock = folder, state, clock
        self._weights: dict[str, float] = {}
        self._done_stages: set[str] = set()
        self._step = ""
        self._is_stopped = False
        self._beat_at = self._saved_at = clock()

    def stop(self) -> None:
        """Make the job raise `JobStopped` at its next progress report."""
        self._is_stopped = True

    @property
    def percent(self) -> float:
        """Return how much is done."""
        return self._state.percent

    def plan(self, weights: Mapping[str, float]) -> None:
        """Name the steps, each with its share of the work."""
        self._weights = dict(weights)

    def step(self, name: str, shape: Any, compute: Callable[[], T]) -> T:
        """Return a step's result: the saved one, or a new one, which is saved."""
        content = self._folder.saved(name)
        if content is None:
            self._step = name
            self.reached(0.0)
            result = compute()
            self.save(name, msgspec.msgpack.encode(result))
        else:
            result = cast(T, msgspec.msgpack.decode(content, type=shape))
        self._done_stages.add(name)
        self._step = ""
        self.reached(0.0)
        return result

    def saved(self, name: str) -> bytes | None:
        """Return a checkpoint that was saved in the middle of a step."""
        return self._folder.saved(name)

    def save(self, name: str, content: bytes) -> None:
        """Save a checkpoint, from which another process continues."""
        self._folder.save(name, content)
        self._saved_at, self._state.stops = self._clock(), 0
        self._write()

    def written_part(self) -> WrittenPart:
        """Return how much of a long file is written already."""
        return written_in(self._folder)

    def add(self, before: WrittenPart, part: bytes, *, at: int, lines: int) -> WrittenPart:
        """Add a part with its lines to a long file, and save that. `at`: the last position that is in it now.

        Raises Retry if the disk is full.
        """
        try:
            size = self._folder.add_content(before.size, part) if part else before.size
        except OSError as error:
            raise Retry(coded("export-not-written", why=error.strerror or "")) from error
        now = WrittenPart(size, at, before.lines + lines)
        self.save(_WRITTEN, msgspec.msgpack.encode(now))
        return now

    def written_parts(self, written: WrittenPart) -> Iterator[bytes]:
        """Yield all parts that are written."""
        if (content := self._folder.open_content()) is not None:
            with content:
                yield from parts_of(content, written.size)

    @property
    def is_save_due(self) -> bool:
        """Return whether the last checkpoint is old enough for another one."""
        return self._clock() - self._saved_at >= SAVE_S

    def reached(self, share: float) -> None:
        """Note the share (0 to 1) of the current step that is done. Raises JobStopped."""
        if self._is_stopped:
            raise JobStopped
        whole = sum(self._weights.values()) or 1.0
        done = sum(self._weights.get(name, 0.0) for name in self._done_stages)
        here = self._weights.get(self._step, 0.0 if self._weights else 1.0) * min(max(share, 0.0), 1.0)
        self._state.percent = max(self._state.percent, min(100.0 * (done + here) / whole, ALMOST))
        if self._clock() - self._beat_at >= BEAT_S:
            self._write()

    def items_with_progress(self, things: Sequence[T], begin: float = 0.0, end: float = 1.0) -> Iterator[T]:
        """Yield the things, and note progress from one share to another."""
        for number, thing in enumerate(things):
            if number % EVERY == 0:
                self.reached(begin + (end - begin) * number / len(things))
            yield thing

    def stoppable_items(self, things: Iterable[T]) -> Iterator[T]:
        """Yield the things; `JobStopped` ends them in between."""
        for number, thing in enumerate(things):
            if number % EVERY == 0 and self._is_stopped:
                raise JobStopped
            yield thing

    def _write(self) -> None:
        self._beat_at = self._state.beat = self._clock()
        self._folder.write(self._state)


def written_in(folder: JobFolder) -> WrittenPart:
    """Return how much of the long file of a job is written."""
    checkpoint = folder.saved(_WRITTEN)
    return WrittenPart() if checkpoint is None else msgspec.msgpack.decode(checkpoint, type=WrittenPart)


class _WatchedStore:
    """A store that notes which position was read."""

    def __init__(self, store: EventStore, progress: Progress, until: int) -> None:
        self._store, self._progress, self._until = store, progress, max(until, 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        self._progress.reached(position / self._until)
        return self._store.after(position, limit, types, until)


def store_with_progress(store: EventStore, progress: Progress, until: int) -> EventStore:
    """Return the store; reading it up to a position is the progress of the current step."""
    return cast(EventStore, _WatchedStore(store, progress, until))
