"""What takes longer than a page may: worked out beside the pages, by one thread, and shown when it is there.

A page waits a moment, and is told how far the work is otherwise. The same question asked twice is one piece of work;
what takes too long is ended: commands have all the time in the world. Nothing here carries truth.
"""

import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from backoffice.installation import Installation
from events.errors import PitledgerError
from events.store import EventStore, Stored

log = logging.getLogger(__name__)

WAIT_S = 0.05  # that a page waits for a quick answer
LONGEST_S = 60.0
WAITING = 8  # pieces of work that may wait
KEPT = 32  # answers
EVERY = 1_000  # of many things, how often the time is looked at

T = TypeVar("T")


class Ended(Exception):
    """It took too long, or the process ends."""


class Progress:
    """How far a piece of work is: which position it has read, of how many."""

    def __init__(self, of: int) -> None:
        self.at, self.of = 0, of
        self._until = float("inf")

    def begin(self, longest_s: float) -> None:
        self._until = time.monotonic() + longest_s

    def end(self) -> None:
        """Whoever works on it stops at the next look."""
        self._until = 0.0

    def reached(self, at: int) -> None:
        """Raises Ended when there is no more time."""
        self.at = max(self.at, min(at, self.of))
        if time.monotonic() > self._until:
            raise Ended

    def each(self, things: Iterable[T]) -> Iterator[T]:
        """Those things, with a look at the time now and then."""
        for number, one in enumerate(things):
            if number % EVERY == 0:
                self.reached(self.at)
            yield one

    @property
    def percent(self) -> int:
        return 100 * self.at // self.of if self.of else 0


class Piece:
    """A piece of work: waiting, done with an answer, or ended with the reason why."""

    def __init__(self, work: Callable[[Progress], Any], of: int) -> None:
        self.progress = Progress(of)
        self.answer: Any = None
        self.why_not = ""
        self.took_s = 0.0
        self._work, self._done = work, threading.Event()

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    def wait(self, at_most_s: float) -> bool:
        """Whether it is done within that time."""
        return self._done.wait(at_most_s)

    def do(self, longest_s: float) -> None:
        """Work it out. What goes wrong is its answer, and no error of whoever works."""
        began = time.monotonic()
        self.progress.begin(longest_s)
        try:
            self.answer = self._work(self.progress)
        except PitledgerError as error:
            self.why_not = str(error)
        except Ended:
            self.why_not = f"not done within {longest_s:.0f} s"
        except Exception:
            log.exception("a piece of work failed")
            self.why_not = "it failed; the log of the pages says why"
        self.took_s = time.monotonic() - began
        self._done.set()


class BackRoom:
    """One thread, what waits for it, and the last answers."""

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._pieces: OrderedDict[Hashable, Piece] = OrderedDict()
        self._waiting: queue.Queue[Piece | None] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def ask(
        self,
        question: Hashable,
        work: Callable[[Progress], Any],
        of: int,
        is_fresh: Callable[[Any], bool] = lambda answer: True,
        wait_s: float = WAIT_S,
    ) -> Piece | None:
        """The work on a question, begun where nobody has asked it or the answer is old; None where too many wait."""
        with self._lock:
            piece = self._pieces.get(question)
            if piece is None or (piece.is_done and not (piece.answer is not None and is_fresh(piece.answer))):
                piece = self._begin(question, work, of)
        if piece is not None:
            piece.wait(wait_s)
        return piece

    def _begin(self, question: Hashable, work: Callable[[Progress], Any], of: int) -> Piece | None:
        if self._waiting.qsize() >= WAITING:
            return None
        piece = self._pieces[question] = Piece(work, of)
        self._pieces.move_to_end(question)
        for old in [one for one, its in self._pieces.items() if its.is_done][: max(len(self._pieces) - KEPT, 0)]:
            del self._pieces[old]
        self._waiting.put(piece)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="back room", daemon=True)
            self._thread.start()
        return piece

    def _work(self) -> None:
        while (piece := self._waiting.get()) is not None:
            piece.do(self._longest_s)

    def close(self) -> None:
        """What is being worked on stops at its next look at the time, and what waits at its first."""
        self._longest_s = 0.0
        for piece in self._pieces.values():
            piece.progress.end()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(5.0)


@contextmanager
def back_room(here: Installation) -> Iterator[BackRoom]:
    """The one of this process."""
    found = BackRoom()
    try:
        yield found
    finally:
        found.close()


class _Watched:
    """A store that tells how far it was read."""

    def __init__(self, store: EventStore, progress: Progress) -> None:
        self._store, self._progress = store, progress

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        self._progress.reached(position)
        return self._store.after(position, limit, types, until)


def watched(store: EventStore, progress: Progress) -> EventStore:
    """The store, as long as there is time to read it."""
    return cast(EventStore, _Watched(store, progress))
