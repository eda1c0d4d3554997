"""The desk: actions in, events out. One writer thread a process takes what is queued, decides, appends once, answers.

Actions are judged on cached state; on a conflict with another process the state is read again and the commands are
done one by one. Keys make every action safe to repeat: the same content gets the first answer, another a 409.
"""

import logging
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress

import msgspec

from events.commands import (
    MAX_ACTIONS,
    Answer,
    Checked,
    Command,
    Recorded,
    Reply,
    answer,
    first_answer,
    one_by_one,
    read,
    too_many,
)
from events.envelope import Action, Who
from events.errors import Busy, Conflict, Invalid, KeyReused, PitledgerError, Retry, Stale
from events.problems import problem_of
from events.questions import Questions
from events.store import MAX_BATCH, EventStore, Key, Stored
from events.streams import Streams, Work

__all__ = ["MAX_ACTIONS", "Answer", "Checked", "Command", "Desk", "Recorded", "Reply"]

log = logging.getLogger(__name__)

MAX_QUEUED = 10_000  # commands waiting for the writer; beyond it callers are told to come again
MAX_TAKEN = 1_000  # commands decided for one append
MAX_LOOKED_UP = 5_000  # keys in one query
ATTEMPTS = 5  # to be quicker than others


Asked = tuple[Command, "Future[list[Reply]]"]  # a command, and where its replies are awaited


class Decision(msgspec.Struct, frozen=True, gc=False):
    """What was decided for a command: a reply for each action, or the work that its reply waits for (by its key)."""

    replies: list[Reply | Work]
    works: dict[str, Work]

    @property
    def size(self) -> int:
        """How many events it makes."""
        return sum([len(work.events) for work in self.works.values()])


class Desk:
    """Takes commands from any thread; `close` finishes what is queued."""

    def __init__(self, store: EventStore, property_: str) -> None:
        self.store = store
        self.streams = Streams(store, property_)
        self.questions = Questions(store, property_)
        self._queue: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()  # None: stop
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, command: Command) -> "Future[list[Reply]]":
        """Queue a command. Its result is a reply for each action, in order. Raises Retry when too many wait.

        A question (`Command.checks`) is answered at once and in the caller's thread: the writer has no part in it.
        """
        if not 1 <= len(command.actions) <= MAX_ACTIONS:
            raise Invalid("actions", f"1 to {MAX_ACTIONS} actions at a time")
        if command.checks:
            return _done(self.questions.check(command))
        if self._queue.qsize() >= MAX_QUEUED:
            raise Busy(f"{MAX_QUEUED} commands are waiting: come again in a moment")
        future: Future[list[Reply]] = Future()
        self._queue.put((command, future))
        if self._thread is None:  # put first: a writer that is being closed stops at its None, this comes after it
            self._start()
        return future

    def do(self, command: Command, timeout: float = 30.0) -> list[Reply]:
        """Submit and wait."""
        return self.submit(command).result(timeout)

    def close(self) -> None:
        """Finish what is queued and stop the writer."""
        with self._starting:  # the next one must not begin before this one has ended
            if self._thread is not None:
                self._queue.put(None)
                self._thread.join(timeout=30)
                self._thread = None
        if not self._queue.empty():  # put behind the None by somebody who saw a writer
            self._start()

    def _start(self) -> None:
        """The writer thread, from the first command on."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        more = self._queue.get()
        while more is not None:
            taken = [more]
            with suppress(queue.Empty):
                while len(taken) < MAX_TAKEN and (more := self._queue.get_nowait()) is not None:
                    taken.append(more)
            self.serve(taken)
            if more is not None:
                more = self._queue.get()

    def serve(self, taken: Sequence[Asked]) -> None:
        """Decide and write in the caller's thread, which must be the only one: the writer's, or a simulation's.

        Everything that was taken gets its answer, whatever happens to one of it.
        """
        try:
            self._together(taken)
            with suppress(Retry):  # a snapshot that is lost costs nothing but time
                self.streams.save_snapshots()
            self.streams.drop_unused()
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

    def _alone(self, one: Asked) -> None:
        """One command with fresh state, again where another process was quicker."""
        failure: PitledgerError = _outrun()
        for attempt in range(ATTEMPTS):
            self.streams.forget()
            try:
                return self._together([one], looked_up=True)  # it was alone, and its key may have been used
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

        The keys of several commands are looked up in one query: a terminal that repeats an old one gets its first
        answer, and costs the others nothing. One that came alone saves the round trip, for most actions are new and
        the append itself refuses a key that was used; it is `looked_up` when that has happened.
        """
        known = self._used_keys(taken) if looked_up or len(taken) > 1 else {}
        waiting: list[tuple[Decision, Future[list[Reply]]]] = []
        pending: set[str] = set()
        size = 0
        for command, future in taken:
            if not pending.isdisjoint([action.key for action in command.actions]):  # repeated before it was answered
                self._commit(waiting)
                waiting, pending, size = [], set(), 0
            if self.streams.is_own_transaction(command.target):
                self._commit(waiting)
                waiting, size = [], 0
                future.set_result(self._own_transaction(command))
                continue
            if is_house := self.streams.is_house(command.target):
                self._commit(waiting)
                waiting, size = [], 0
            decision = self._decide(command, known)
            added = decision.size
            if added > MAX_BATCH:
                self.streams.rollback(list(decision.works.values()))
                future.set_result([too_many(added)])
                continue
            if size + added > MAX_BATCH and waiting:
                self.streams.rollback(list(decision.works.values()))
                self._commit(waiting)
                waiting, size = [], 0
                decision = self._decide(command, known)
            known.update({key: work.key for key, work in decision.works.items()})
            pending.update(decision.works)
            waiting.append((decision, future))
            size += added
            if is_house:
                self._commit(waiting)
                waiting, size = [], 0
        self._commit(waiting)

    def _used_keys(self, taken: Sequence[Asked]) -> dict[str, Key]:
        """Those of the commands' keys that were used before."""
        keys = [action.key for command, _ in taken for action in command.actions]
        found: dict[str, Key] = {}
        for first in range(0, len(keys), MAX_LOOKED_UP):
            found.update(self.store.keys(keys[first : first + MAX_LOOKED_UP]))
        return found

    def _own_transaction(self, command: Command) -> list[Reply]:
        """A progressive's actions, each judged at its own position with the store's lock held."""
        if (problem := one_by_one(command)) is not None:
            return [problem]
        replies: list[Reply] = []
        for index, action in enumerate(command.actions):
            try:
                replies.append(self._of_progressive(command, action))
            except PitledgerError as error:
                replies.append(problem_of(error, action.key, index if len(command.actions) > 1 else None))
        return replies

    def _of_progressive(self, command: Command, action: Action) -> Answer:
        data, content = read(command, action)
        key = Key(action.key, content, "", 0, 0)
        for _ in range(ATTEMPTS):
            try:
                written = self.streams.progressive(command.target, action, data, command.who, key)
                return answer(action.key, written)
            except KeyReused:
                return first_answer(self.store, self.store.keys([action.key])[action.key], content)
            except Stale as error:  # somebody's roles have changed just now
                log.info("conflict on %s: %s", command.target, error)
        raise _outrun()

    def _decide(self, command: Command, known: dict[str, Key]) -> Decision:
        """A reply for each action: what it did before, a problem, or work to be appended. Atomic: all or nothing."""
        decision = Decision([], {})
        who = self.streams.in_force(command.who)
        for index, action in enumerate(command.actions):
            try:
                decision.replies.append(self._judge(command, action, who, known, decision.works))
            except (Stale, Retry):
                raise
            except PitledgerError as error:
                self._must_be_up_to_date(error, action, known)
                problem = problem_of(error, action.key, index if len(command.actions) > 1 else None)
                if command.mode == "atomic":
                    self.streams.rollback(list(decision.works.values()))
                    return Decision([problem], {})
                decision.replies.append(problem)
        return decision

    def _judge(
        self, command: Command, action: Action, who: Who, known: dict[str, Key], works: dict[str, Work]
    ) -> Answer | Work:
        """The first answer of a key that is known, or new work, which joins `works`."""
        data, content = read(command, action)
        if (before := known.get(action.key)) is not None:
            return first_answer(self.store, before, content)
        if action.key in works:
            raise KeyReused(f"the key {action.key} stands twice in one request")
        work = works[action.key] = self.streams.decide(command.target, action, data, who, content)
        return work

    def _must_be_up_to_date(self, error: PitledgerError, action: Action, known: dict[str, Key]) -> None:
        """A problem is answered only for a new key, and by what is stored now. Raises KeyReused or Stale otherwise."""
        if action.key not in known and self.store.keys([action.key]):
            raise KeyReused(f"the key {action.key} was used before") from error
        if self.streams.is_behind():
            raise Stale("refused by a state that another process has moved on from") from error

    def _commit(self, waiting: Sequence[tuple[Decision, "Future[list[Reply]]"]]) -> None:
        """One append for all decisions, then their answers."""
        works = [work for decision, _ in waiting for work in decision.works.values()]
        written = self.streams.append(works) if works else {}
        for decision, future in waiting:
            future.set_result([_reply(reply, written) for reply in decision.replies])


def _done(replies: list[Reply]) -> "Future[list[Reply]]":
    future: Future[list[Reply]] = Future()
    future.set_result(replies)
    return future


def _outrun() -> Conflict:
    return Conflict("others were quicker again and again: read the table and decide anew")


def _reply(reply: Reply | Work, written: dict[str, list[Stored]]) -> Reply:
    return answer(reply.key.key, written[reply.key.key]) if isinstance(reply, Work) else reply
