"""A process that does one command and is killed at a chosen place of it.

It is a new one, never a fork of the tests' own: a fork has the locks of that one's threads, and not the threads.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from multiprocessing import get_context

import pytest

from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.cases.case_key_and_file_vault import Vault
from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.errors import Retry
from events.store import Append, AppendResult, EventStore, Key, LockedStore, open_store
from events.store.named_notes_shared_by_processes import Notes
from events.store.store_base_classes import RecordedStore, StoreSession

Where = Callable[[pytest.MonkeyPatch], None]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StoreSession, "append", lambda *_: die())


def before_it_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    write = StoreSession.append

    def append(session: StoreSession, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        written = write(session, appends, keys)
        die()
        return written

    monkeypatch.setattr(StoreSession, "append", append)


def before_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = RecordedStore.locked

    @contextmanager
    def locked(store: RecordedStore) -> Iterator[LockedStore]:
        with lock(store) as locked_store:
            yield locked_store
        die()

    monkeypatch.setattr(RecordedStore, "locked", locked)


def before_the_key_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Die before the key of a case is made."""
    monkeypatch.setattr(Vault, "make_key", lambda *_: die())


def before_the_key_is_destroyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Vault, "destroy", lambda *_: die())


def before_the_files_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the case is deleted already."""
    delete = Notes.remove

    def remove(notes: Notes, names: Iterable[str]) -> None:
        delete(notes, [*names][:1])
        die()

    monkeypatch.setattr(Notes, "remove", remove)


def opened(url: str) -> EventStore:
    """Open the store as another process would. All readers in the checklist are well."""
    store = open_store(url)
    checklist_system_state_source.register_source(store, lambda: SystemState(readers={}, head=10**9, aside={}))
    return store


def done_and_died(url: str, property_id: str, command: Command, where: Where) -> None:
    child = get_context("spawn").Process(target=do_and_die, args=(url, property_id, command, where))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL, "it was not killed; why not stands in what it wrote"


def do_and_die(url: str, property_id: str, command: Command, where: Where) -> None:
    with pytest.MonkeyPatch.context() as patch:
        desk = Desk(opened(url), property_id)
        where(patch)
        send_command(desk, command)


def send_command(desk: Desk, command: Command) -> None:
    """Send a command as a client does: retry while the store is busy, and print the answer."""
    for _ in range(10):
        answer: Future[list[Reply]] = Future()
        desk.serve([(command, answer)])
        failure = answer.exception(timeout=0)
        print(failure or answer.result(), file=sys.stderr, flush=True)
        if not isinstance(failure, Retry):
            break
