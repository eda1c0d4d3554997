"""The desk: actions in, events out. One writer thread a process takes the queued ones, decides, appends once, answers.

Actions are judged on cached state; on a conflict with another process the state is read again and the commands are
done one by one. Keys make every action safe to repeat: the same content gets the first answer, another a 409.
"""

import logging
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress

from events.desk.action_trials_and_state_queries import Questions
from events.desk.command_and_answer_structs import MAX_ACTIONS, Command, Reply
from events.desk.decisions_and_appends import Streams
from events.desk.queued_commands_appended_together import (
    ATTEMPTS,
    CommandBatch,
    QueuedCommand,
    conflict_after_retries,
    used_keys,
)
from events.error_codes import coded
from events.errors import Busy, Conflict, Invalid, KeyReused, PitledgerError, Retry, Stale, defect_of
from events.people.authority import FRESH_S
from events.runtime import metric_counters
from events.store import EventStore
from events.streams import stream_kind_declaration

log = logging.getLogger(__name__)

MAX_QUEUED = 10_000  # commands waiting for the writer; further callers get a retry
MAX_TAKEN = 1_000  # commands decided for one append
WARY = 100  # batches that are looked up after one in which a key was used
# Clients that were answered together soon send again together. An append costs nearly the same for ten as for one, so
# the first of them is delayed a little.
SEVERAL, TOGETHER_S = 3, 0.0005


class Desk:
    """Takes commands from any thread; `close` finishes the queued ones."""

    def __init__(self, store: EventStore, property_: str, fresh_s: int = FRESH_S) -> None:
        stream_kind_declaration.declared()  # the rules of all games are loaded before the first request
        self.store = store
        self.streams = Streams(store, property_, fresh_s)
        self.questions = Questions(store, property_, fresh_s)
        self._queue: queue.SimpleQueue[QueuedCommand | None] = queue.SimpleQueue()  # None: stop
        metric_counters.register_queue("desk", self._queue.qsize)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._wary = 0  # batches whose keys are looked up before they are decided

    def submit(self, command: Command) -> "Future[list[Reply]]":
        """Queue a command. Its result is a reply for each action, in order. Raises Unknown, Retry when too many wait.

        A question (`Command.checks`) is answered at once and in the caller's thread: the writer has no part in it.
        """
        if not 1 <= len(command.actions) <= MAX_ACTIONS:
            raise Invalid("actions", coded("actions-count", most=MAX_ACTIONS))
        if (look_up := stream_kind_declaration.kind_by_name(command.target.kind).routing.look_up) is not None:
            look_up(self.store, command.target)
        if command.checks:
            return _finished_future(self.questions.check(command))
        if self._queue.qsize() >= MAX_QUEUED:
            raise Busy(coded("commands-waiting", count=MAX_QUEUED))
        future: Future[list[Reply]] = Future()
        self._queue.put((command, future))
        if self._thread is None:  # put first: a writer that is being closed stops at its None, this comes after it
            self._start()
        return future

    def do(self, command: Command, timeout: float = 30.0) -> list[Reply]:
        """Submit and wait."""
        return self.submit(command).result(timeout)

    def close(self) -> None:
        """Finish the queued commands and stop the writer."""
        with self._starting:  # the next one must not begin before this one has ended
            if self._thread is not None:
                self._queue.put(None)
                self._thread.join(timeout=30)
                self._thread = None
        if not self._queue.empty():  # put behind the None by a person who saw a writer
            self._start()

    def _start(self) -> None:
        """The writer thread, from the first command on."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        command, before = self._queue.get(), 0
        while command is not None:
            commands = [command]
            if before >= SEVERAL and self._queue.qsize() < before:
                time.sleep(TOGETHER_S)
            with suppress(queue.Empty):
                while len(commands) < MAX_TAKEN and (command := self._queue.get_nowait()) is not None:
                    commands.append(command)
            self.serve(commands)
            before = len(commands)
            if command is not None:
                command = self._queue.get()

    def serve(self, commands: Sequence[QueuedCommand]) -> None:
        """Decide and write in the caller's thread, which must be the only one: the writer's, or a simulation's.

        Every taken command gets its own answer, independent of others.
        """
        try:
            self._as_new(commands)
            with suppress(Retry):  # a snapshot that is lost costs nothing but time
                self.streams.cache.save_snapshots()
            self.streams.cache.drop_unused()
        except Retry as error:
            log.warning("the store did not answer %d commands: %s", len(commands), error)
            self.streams.cache.forget()
            for _, future in commands:
                if not future.done():
                    future.set_exception(error)
        # an unknown error may concern one command only: each is decided alone and gets its own answer
        except Exception as error:
            if not isinstance(error, Conflict):
                log.exception("%d commands could not be served together", len(commands))
            for pending in commands:
                if not pending[1].done():
                    self._alone(pending)

    def _alone(self, waiting_command: QueuedCommand) -> None:
        """Decide one command with fresh state, and again if another process was quicker."""
        failure: PitledgerError = conflict_after_retries()
        for attempt in range(ATTEMPTS):
            self.streams.cache.forget()
            try:
                # It was alone, and its key may have been used.
                return self._decide_and_append([waiting_command], looked_up=True)
            except (Stale, KeyReused) as error:
                log.info("conflict %d on %s: %s", attempt + 1, waiting_command[0].target, error)
            except Exception as error:
                log.exception("a command failed")
                failure = error if isinstance(error, PitledgerError) else defect_of(error)
                break
        self.streams.cache.forget()  # the decided events are not stored
        waiting_command[1].set_exception(failure)

    def _as_new(self, commands: Sequence[QueuedCommand]) -> None:
        """Append the actions together, without a look-up of their keys.

        Most actions are new, and the append refuses a used key. Then all are decided again with their keys looked up,
        in one query. A terminal that repeats one action often repeats more. So its next batches are looked up first: it
        gets its first answers, at almost no cost for others.
        """
        is_looked_up = self._wary > 0 and len(commands) > 1
        self._wary -= is_looked_up
        try:
            self._decide_and_append(commands, looked_up=is_looked_up)
        except KeyReused:
            self._wary = WARY
            self.streams.cache.forget()  # the decided events are not stored
            self._decide_and_append([pending for pending in commands if not pending[1].done()], looked_up=True)

    def _decide_and_append(self, commands: Sequence[QueuedCommand], *, looked_up: bool) -> None:
        """Decide all, append in as few transactions as the batch limit allows, then answer."""
        batch = CommandBatch(self.streams, used_keys(self.store, commands) if looked_up else {})
        self.streams.ids.expect(action for command, _ in commands for action in command.actions)
        for command, future in commands:
            batch.take(command, future)
        batch.commit()


def _finished_future(replies: list[Reply]) -> "Future[list[Reply]]":
    future: Future[list[Reply]] = Future()
    future.set_result(replies)
    return future
