"""Several processes at one store: no reader by position misses an event, and the tables are created once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from time import monotonic

from events.store import Stored, open_store
from events.store.stream_chain_verification import verify
from tests.integration.store.sample_events_and_writers import create, write_singly

PROCESSES, THREADS, EVENTS = 3, 2, 60
DEADLINE_SECONDS = 60


@contextmanager
def processes(work: Callable[..., None], arguments: list[tuple[object, ...]]) -> Iterator[list[SpawnProcess]]:
    """Run `work` in a process of its own for each of the arguments."""
    context = get_context("spawn")
    running = [context.Process(target=work, args=each) for each in arguments]
    for process in running:
        process.start()
    try:
        yield running
        for process in running:
            process.join(DEADLINE_SECONDS)
        assert [process.exitcode for process in running] == [0] * len(running)
    finally:
        for process in running:
            process.kill()
            process.join()


def test_a_tailing_reader_sees_every_event_exactly_once(shared_url: str) -> None:
    store = open_store(shared_url)
    store.create()
    seen: list[Stored] = []
    deadline = monotonic() + DEADLINE_SECONDS
    with processes(write_singly, [(shared_url, writer, THREADS, EVENTS) for writer in range(PROCESSES)]):
        while len(seen) < PROCESSES * THREADS * EVENTS and monotonic() < deadline:
            seen += store.after(seen[-1].position if seen else 0, 100)
    assert seen == store.after(0, 10 * len(seen))
    assert len(seen) == PROCESSES * THREADS * EVENTS
    verified = verify(store)
    assert (verified.findings, verified.streams) == ([], PROCESSES * THREADS)
    store.close()


def test_four_processes_make_the_tables_at_once(shared_url: str) -> None:
    with processes(create, [(shared_url,)] * 4):
        pass
    store = open_store(shared_url)
    assert store.position() == 0
    store.close()
