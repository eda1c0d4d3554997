"""The desk: actions in, events out. One writer thread a process takes what is queued, decides, appends once, answers.

Actions are judged on cached state; on a conflict with another process the state is read again and the commands are
done one by one. Keys make every action safe to repeat: the same content gets the first answer, another a 409.
"""

import hashlib
import logging
import queue
import re
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Literal

import msgspec

from events import catalogue
from events.envelope import Action, ActionData, Who
from events.errors import Busy, Conflict, Invalid, KeyReused, PitledgerError, Retry, Stale
from events.problems import Problem, problem_of
from events.store import MAX_BATCH, EventStore, Key, Stored
from events.streams import Streams, Target, Work

log = logging.getLogger(__name__)

MAX_QUEUED = 10_000  # commands waiting for the writer; beyond it callers are told to come again
MAX_TAKEN = 1_000  # commands decided for one append
MAX_ACTIONS = 200  # in one request
_KEY = re.compile(r"[A-Za-z0-9._:/@+-]{1,120}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")


class Recorded(msgspec.Struct, frozen=True):
    """An event that an action wrote: its place in the store, and its own bytes as they lie there."""

    position: int
    event: msgspec.Raw


class Answer(msgspec.Struct, frozen=True):
    """What became of an accepted action; `position` is its last event's. `repeated`: done before, under this key."""

    key: str
    position: int
    events: list[Recorded]
    repeated: bool = False


Reply = Answer | Problem


class Command(msgspec.Struct, frozen=True):
    """What somebody sent in one request: for one stream, all or nothing ("atomic") or each by itself ("each")."""

    target: Target
    actions: tuple[Action, ...]
    who: Who
    mode: Literal["atomic", "each"] = "atomic"


Asked = tuple[Command, "Future[list[Reply]]"]  # a command, and where its replies are awaited


class Decision(msgspec.Struct):
    """A command with what was decided for it: replies so far, and the work that its reply waits for."""

    command: Command
    future: "Future[list[Reply]]"
    replies: list[Reply | Work | None]


class Desk:
    """Takes commands from any thread; `close` finishes what is queued."""

    def __init__(self, store: EventStore, property_: str) -> None:
        self.store = store
        self.streams = Streams(store, property_)
        self._queue: queue.Queue[Asked | None] = queue.Queue(MAX_QUEUED)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, command: Command) -> "Future[list[Reply]]":
        """Queue a command. Its result is a reply for each action, in order. Raises Retry when too many wait."""
        if not 1 <= len(command.actions) <= MAX_ACTIONS:
            raise Invalid("actions", f"1 to {MAX_ACTIONS} actions at a time")
        future: Future[list[Reply]] = Future()
        try:
            self._queue.put_nowait((command, future))
        except queue.Full:
            raise Busy(f"{MAX_QUEUED} commands are waiting: come again in a moment") from None
        self._start()
        return future

    def do(self, command: Command, timeout: float = 30.0) -> list[Reply]:
        """Submit and wait."""
        return self.submit(command).result(timeout)

    def close(self) -> None:
        """Finish what is queued and stop the writer."""
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join(timeout=30)

    def _start(self) -> None:
        """The writer thread, from the first command on."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            taken = [first]
            stop = False
            while len(taken) < MAX_TAKEN and not stop:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    stop = True
                else:
                    taken.append(more)
            self.serve(taken)
            if stop:
                return

    def serve(self, taken: Sequence[Asked]) -> None:
        """Decide and write in the caller's thread, which must be the only one: the writer's, or a simulation's.

        Everything that was taken gets its answer, whatever happens to one of it.
        """
        try:
            self.streams.refresh_house()
            self._together(taken)
        except Retry as error:
            log.warning("the store did not answer %d commands: %s", len(taken), error)
            self.streams.forget()
            for _, future in taken:
                if not future.done():
                    future.set_exception(error)
        except Exception as error:  # whatever it is, it is not everybody's: each by itself has its own answer
            if not isinstance(error, Conflict):
                log.exception("%d commands could not be served together", len(taken))
            for one in taken:
                if not one[1].done():
                    self._alone(one)

    def _alone(self, one: Asked, attempts: int = 5) -> None:
        """One command with fresh state, again where another process was quicker."""
        failure: PitledgerError = Conflict("others were quicker again and again: read the table and decide anew")
        for attempt in range(attempts):
            self.streams.forget()
            try:
                self.streams.refresh_house()
                return self._together([one], looked_up=True)
            except (Stale, KeyReused) as error:
                log.info("conflict %d on %s: %s", attempt + 1, one[0].target, error)
            except Exception as error:
                log.exception("a command failed")
                failure = error if isinstance(error, PitledgerError) else Retry("try again")
                break
        self.streams.forget()  # what was decided is not what is stored
        one[1].set_exception(failure)

    def _together(self, taken: Sequence[Asked], *, looked_up: bool = False) -> None:
        """Decide all, append in as few transactions as the batch limit allows, then answer.

        Keys are looked up only for what was sent alone (`looked_up`): the append itself refuses a key that was used,
        and `_decide` asks before it answers with a problem. Most actions are new, and this saves a round trip.
        """
        keys = [action.key for command, _ in taken for action in command.actions] if looked_up else []
        known = dict(self.store.keys(keys)) if keys else {}
        waiting: list[Decision] = []
        size = 0
        for command, future in taken:
            if self.streams.is_own_transaction(command.target):
                self._commit(waiting)
                waiting, size = [], 0
                future.set_result(self._own_transaction(command))
                continue
            decision = Decision(command, future, self._decide(command, known))
            added = sum(len(work.events) for work in _works(decision.replies))
            if added > MAX_BATCH:
                self.streams.rollback(_works(decision.replies))
                too_many = Invalid(
                    "actions", f"they make {added} events, {MAX_BATCH} go together: send fewer at a time"
                )
                future.set_result([problem_of(too_many)])
                continue
            if size + added > MAX_BATCH and waiting:
                self.streams.rollback(_works(decision.replies))
                self._commit(waiting)
                waiting, size = [], 0
                decision.replies = self._decide(command, known)
            for work in _works(decision.replies):
                known[work.key.key] = work.key
            waiting.append(decision)
            size += added
        self._commit(waiting)

    def _own_transaction(self, command: Command) -> list[Reply]:
        """A progressive's actions, each judged at its own position with the store's lock held."""
        replies: list[Reply] = []
        for action in command.actions:
            try:
                data, key = self._check(command, action)
                written = self.streams.progressive(command.target, action, data, command.who, key)
                replies.append(_answer(key, written))
            except KeyReused:
                replies.append(self._repeat(command, action))
            except PitledgerError as error:
                replies.append(problem_of(error, action.key))
        return replies

    def _repeat(self, command: Command, action: Action) -> Reply:
        _, key = self._check(command, action)
        return self._first_answer(self.store.keys([action.key])[action.key], key)

    def _decide(self, command: Command, known: dict[str, Key]) -> list[Reply | Work | None]:
        """A reply for each action: what it did before, a problem, or work to be appended. Atomic: all or nothing."""
        replies: list[Reply | Work | None] = []
        mine: set[str] = set()
        for index, action in enumerate(command.actions):
            try:
                data, key = self._check(command, action)
                if action.key in mine:
                    raise KeyReused(f"the key {action.key} stands twice in one request")
                if (before := known.get(action.key)) is not None:
                    replies.append(self._first_answer(before, key))
                    continue
                work = self.streams.decide(command.target, action, data, command.who, key)
                mine.add(action.key)
                replies.append(work)
            except (Stale, Retry):
                raise
            except PitledgerError as error:
                if action.key not in known and self.store.keys([action.key]):
                    raise KeyReused(f"the key {action.key} was used before") from error
                if self.streams.is_behind():
                    raise Stale("refused by a state that another process has moved on from") from error
                problem = problem_of(error, action.key, index if len(command.actions) > 1 else None)
                if command.mode == "atomic":
                    self.streams.rollback(_works(replies))
                    return [problem]
                replies.append(problem)
        return replies

    def _check(self, command: Command, action: Action) -> tuple[ActionData, Key]:
        """The action's data and its key with the hash of its content. Raises Invalid."""
        if not _KEY.fullmatch(action.key):
            raise Invalid("key", "1 to 120 letters, digits and . _ : / @ + -")
        if action.time is not None and not _TIME.fullmatch(action.time):
            raise Invalid("time", "UTC as 2026-11-21T20:15:00.000Z")
        data = catalogue.decode_action(action)
        body = (command.target, command.who.person, action.type, action.intent, action.round, action.corrects, data)
        return data, Key(action.key, hashlib.sha256(msgspec.json.encode(body)).digest(), "", 0, 0)

    def _first_answer(self, before: Key, now: Key) -> Reply:
        """The answer that this key got the first time. Its events may still be on their way in this very batch."""
        if before.content != now.content:
            raise KeyReused(f"the key {now.key} was used before, with another content: use a new key")
        stored = self.store.stream(before.stream, after=before.first - 1, limit=before.count)
        if len(stored) < before.count:
            raise Stale("the first use of this key is being written just now")
        return _answer(before, stored, repeated=True)

    def _commit(self, waiting: Sequence[Decision]) -> None:
        """One append for all decisions, then their answers."""
        works = [work for decision in waiting for work in _works(decision.replies)]
        written: dict[str, list[Stored]] = {}
        if works:
            written = self.streams.append(works)
        for decision in waiting:
            decision.future.set_result([_reply(reply, written) for reply in decision.replies])


def _works(replies: Iterable[Reply | Work | None]) -> list[Work]:
    return [reply for reply in replies if isinstance(reply, Work)]


def _reply(reply: Reply | Work | None, written: dict[str, list[Stored]]) -> Reply:
    if isinstance(reply, Work):
        return _answer(reply.key, written[reply.key.key])
    assert reply is not None
    return reply


def _answer(key: Key, stored: Sequence[Stored], *, repeated: bool = False) -> Answer:
    events = [Recorded(event.position, msgspec.Raw(event.raw)) for event in stored]
    return Answer(key.key, stored[-1].position, events, repeated)
