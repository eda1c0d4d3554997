"""Background jobs: each question is computed once, by one thread of one process, for all its readers.

State, finished steps and answers are files in the data folder. Processes share them; a killed process leaves them to
the next one that is asked. An answer is valid for its basis: the same events, the same software.
"""

import hashlib
import logging
import os
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
from django.utils import translation

from backoffice.installation.dependency_injection import Installation
from backoffice.jobs.job_progress_and_saved_steps import JobStopped, Progress, WrittenPart, written_in
from backoffice.jobs.job_state_and_lease_files import ANSWER, Basis, JobFolder, JobState
from backoffice.running.version import version
from backoffice.wording.error_code_sentences import message_of
from backoffice.wording.reader_language_choice import ENGLISH
from events.error_codes import coded
from events.errors import PitledgerError
from events.store import EventStore
from events.streams.problem_details import Problem, problem_about, problem_of

log = logging.getLogger(__name__)

WAIT_S = 0.05  # that a page waits for a quick answer
LOOK_S = 0.2  # between two checks of another process's job
WAITING_MAX = 8  # jobs of this process that may wait
STOPS_MAX = 10  # times in a row that a job may be stopped without one more saved step
KEPT_MAX, KEPT_S = 64, 7 * 86_400.0  # answers on disk: how many, and for how long after the last of them
DECODED_MAX = 16  # answers in memory
FAILED = "Calculation failed"  # title of a problem
FOLDER, EXPORTS = "jobs", "exports"
EXPORT_KEPT_S = 900.0  # files may name people: they are kept for a short time


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A question and the way to its answer. `work` computes it as of a basis; `shape` is the answer's type.

    `holds`: whether a basis is still valid, where it is not one of the store's events. `language` is that of a
    file with words for people; answers without one hold figures and codes alone, and serve readers of all languages.
    """

    question: tuple[str, ...]
    shape: Any
    work: Callable[[Progress, Basis], Any]
    holds: Callable[[Basis], bool] | None = None
    language: str = ""


class Job(msgspec.Struct, kw_only=True):
    """Status of a job for a page: the answer, or its failure, or the percentage done.

    `position`: the last of its events (0: not known yet).
    """

    percent: int
    position: int = 0
    answer: Any = None
    failure: Problem | None = None
    may_retry: bool = False

    @property
    def reason(self) -> str:
        """Return the reason of its failure in the active language; "" without one."""
        return message_of(self.failure) if self.failure is not None else ""

    @property
    def is_done(self) -> bool:
        """Return whether it has ended."""
        return self.answer is not None or self.failure is not None


class Jobs:
    """The jobs of a data folder, as one process works on them. `holds`: whether a basis still equals the store."""

    def __init__(
        self,
        folder: Path,
        holds: Callable[[Basis], bool] = lambda basis: True,
        clock: Callable[[], float] = time.time,
        kept_s: float = KEPT_S,
    ) -> None:
        self._folder, self._holds, self._clock, self._kept_s = folder, holds, clock, kept_s
        self._decoded: OrderedDict[tuple[str, Basis], Any] = OrderedDict()
        self._own_jobs: dict[str, threading.Event] = {}
        self._queue: queue.Queue[tuple[Task, Basis] | None] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._progress: Progress | None = None
        self._is_closed = False

    def ask(
        self, task: Task, basis: Basis, *, any_basis: bool = False, retry: bool = False, wait_s: float = WAIT_S
    ) -> Job | None:
        """Return the job of a question; begin it where no one has, or its basis is another. None: too many jobs
        wait.

        `any_basis` takes an answer to earlier events; `retry` begins again after a failure.
        """
        name, until = name_of(task), time.monotonic() + wait_s
        if (job := self._ended_job(task, name, basis, any_basis=any_basis, retry=retry)) is not None:
            return job
        if not self._begin(task, name, basis):
            return None
        while True:
            own_job, seconds_left = self._own_jobs.get(name), until - time.monotonic()
            if (job := self._ended_job(task, name, basis, any_basis=True)) is not None or seconds_left <= 0:
                return job or self._running(name, basis)
            if own_job is not None:
                own_job.wait(seconds_left)
            else:
                time.sleep(min(seconds_left, LOOK_S))

    def content(self, task: Task) -> IO[bytes] | None:
        """Open the long file that a job writes; None before it exists."""
        return self._job_folder(name_of(task)).open_content()

    def written_part(self, task: Task) -> WrittenPart:
        """Return how much of the long file of a job at work is written."""
        return written_in(self._job_folder(name_of(task)))

    def close(self) -> None:
        """Stop the running job, and start no waiting one. Another process continues with them."""
        self._is_closed = True
        if self._progress is not None:
            self._progress.stop()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join(5.0)

    # --- the asking side ----------------------------------------------------------------------------------------------

    def _ended_job(self, task: Task, name: str, basis: Basis, *, any_basis: bool, retry: bool = False) -> Job | None:
        """The job, where it has ended for this basis."""
        if name in self._own_jobs:  # before its state is read: a job that ends in between has written another one
            return None
        state = self._job_folder(name).state()
        if state is None or state.status == "running" or state.version != version():
            return None
        if not (any_basis or state.basis == basis):
            return None
        if state.status == "failed":
            if retry:
                return None
            position, failure = state.basis.position, state.failure
            return Job(percent=round(state.percent), position=position, failure=failure, may_retry=True)
        answer = self._answer(task, name, state.basis)
        return None if answer is None else Job(percent=100, position=state.basis.position, answer=answer)

    def _answer(self, task: Task, name: str, basis: Basis) -> Any:
        key = (name, basis)
        if key not in self._decoded:
            content = self._job_folder(name).saved(ANSWER)
            if content is None:
                return None
            self._decoded[key] = msgspec.msgpack.decode(content, type=task.shape)
            while len(self._decoded) > DECODED_MAX:
                self._decoded.popitem(last=False)
        return self._decoded[key]

    def _running(self, name: str, basis: Basis) -> Job:
        """The job that is at work or waits; one that has begun may be of an earlier basis."""
        state = self._job_folder(name).state()
        if state is None or state.status != "running":
            return Job(percent=0, position=basis.position)
        return Job(percent=int(state.percent), position=state.basis.position)

    def _begin(self, task: Task, name: str, basis: Basis) -> bool:
        """Queue it here, unless it is at work already. False where too many wait."""
        with self._lock:
            if name in self._own_jobs or self._job_folder(name).is_leased():
                return True
            if self._queue.qsize() >= WAITING_MAX or self._is_closed:
                return False
            self._own_jobs[name] = threading.Event()
            self._queue.put((task, basis))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
                self._thread.start()
        return True

    def _job_folder(self, name: str) -> JobFolder:
        return JobFolder(self._folder / name)

    # --- the working side ---------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (todo := self._queue.get()) is not None:
            task, basis = todo
            name = name_of(task)
            try:
                if not self._is_closed:
                    self._do(task, name, basis)
            except Exception:  # a full disk, a folder that a person deleted: the next who asks begins again
                log.exception("the job %s could not be worked on", task.question)
            finally:
                self._own_jobs.pop(name).set()

    def _do(self, task: Task, name: str, basis: Basis) -> None:
        folder = self._job_folder(name)
        with folder.lease() as is_mine:
            if not is_mine or _is_answered(folder, basis):  # by another process, since it was asked
                return
            state = self._continued_state(folder, basis, task.holds or self._holds)
            if state.stops > STOPS_MAX:
                self._fail(folder, state, problem_about(500, FAILED, coded("calculation-stopped")))
                return
            self._run(task, folder, state)
        self._expire()

    def _continued_state(self, folder: JobFolder, basis: Basis, holds: Callable[[Basis], bool]) -> JobState:
        """The state to continue with: the one of a stopped job as far as its basis holds, else a new one."""
        state = folder.state()
        if state is None or state.status != "running" or state.version != version() or not holds(state.basis):
            folder.forget_steps()
            folder.forget_content()
            state = JobState(basis=basis, version=version(), began=self._clock())
        else:
            state.stops += 1
        state.beat = self._clock()
        folder.write(state)
        return state

    def _run(self, task: Task, folder: JobFolder, state: JobState) -> None:
        self._progress = Progress(folder, state, self._clock)
        if self._is_closed:
            self._progress.stop()
        try:
            with translation.override(task.language or ENGLISH):
                answer = task.work(self._progress, state.basis)
        except JobStopped:
            state.stops = max(state.stops - 1, 0)  # an orderly end is no failure of the job
            folder.write(state)
        except PitledgerError as error:
            self._fail(folder, state, problem_of(error))
        except Exception:
            log.exception("the job %s failed", task.question)
            self._fail(folder, state, problem_about(500, FAILED, coded("calculation-failed")))
        else:
            self._finish(folder, state, answer)

    def _finish(self, folder: JobFolder, state: JobState, answer: Any) -> None:
        folder.forget_steps()
        folder.save(ANSWER, msgspec.msgpack.encode(answer))
        state.status, state.percent, state.ended = "done", 100.0, self._clock()
        folder.write(state)

    def _fail(self, folder: JobFolder, state: JobState, failure: Problem) -> None:
        folder.forget_steps()
        folder.forget_content()
        state.status, state.failure, state.ended = "failed", failure, self._clock()
        folder.write(state)

    def _expire(self) -> None:
        """Delete the oldest answers, beyond the named limits."""
        by_age = [
            (state.beat, path) for path in self._folder.iterdir() if (state := JobFolder(path).state()) is not None
        ]
        by_age.sort(reverse=True)
        oldest = self._clock() - self._kept_s
        for number, (beat, path) in enumerate(by_age):
            folder = JobFolder(path)
            if (number >= KEPT_MAX or beat < oldest) and not folder.is_leased():
                folder.delete()


def _is_answered(folder: JobFolder, basis: Basis) -> bool:
    """Return whether the folder has the answer of this version to these events."""
    state = folder.state()
    if state is None or (state.status, state.version, state.basis) != ("done", version(), basis):
        return False
    return folder.saved(ANSWER) is not None


def name_of(task: Task) -> str:
    """Return the name of a question's folder."""
    question = (*task.question, task.language) if task.language else task.question
    return hashlib.sha256(msgspec.json.encode(question)).hexdigest()[:32]


def basis_at(store: EventStore, position: int | None = None) -> Basis:
    """Return the basis of an answer that depends on all events up to a position, or on all there are."""
    last = store.position() if position is None else position
    events = store.after(last - 1, 1, until=last) if last else []
    return Basis(last, hashlib.sha256(events[0].raw).hexdigest() if events else "")


@contextmanager
def background_jobs(here: Installation) -> Iterator[Jobs]:
    """Yield the jobs of this process."""
    with _jobs(here, FOLDER, KEPT_S) as jobs:
        yield jobs


@contextmanager
def export_jobs(here: Installation) -> Iterator[Jobs]:
    """Yield the jobs of this process that make files. They have a thread of their own: no report waits for others."""
    with _jobs(here, EXPORTS, EXPORT_KEPT_S) as jobs:
        yield jobs


@contextmanager
def _jobs(here: Installation, name: str, kept_s: float) -> Iterator[Jobs]:
    folder = Path(here.settings.data or os.curdir) / name

    def holds(basis: Basis) -> bool:
        """Return whether the store still has these events: it may have been restored from a backup."""
        return basis_at(here.store, basis.position) == basis

    with closing(Jobs(folder, holds, kept_s=kept_s)) as jobs:
        yield jobs
