"""The task broker on files: remains of a crash in its folder stop no worker."""

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from workers import celery_app

TASK = {"body": "x" * 20_000, "headers": {}, "properties": {}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.delenv("PITLEDGER_CELERY", raising=False)
    return tmp_path / "celery"


@pytest.fixture
def channel(folder: Path) -> Iterator[Any]:
    """A worker's channel."""
    with connected() as connection:
        yield connection.channel()


def connected() -> Any:
    """Connect by the settings of the app."""
    names = ("transport", "transport_options")
    celery_settings = celery_app.of_celery()
    return Connection(celery_settings["broker_url"], **{name: celery_settings[f"broker_{name}"] for name in names})


def taken(channel: Any) -> int:
    """Return the number of available tasks."""
    count = 0
    while True:
        try:
            assert channel._get("pitledger") == TASK
        except Empty:
            return count
        count += 1


def test_a_half_written_task_is_left_out_and_the_next_is_done(channel: Any, folder: Path) -> None:
    (folder / "queue" / "1_a.pitledger.msg").write_text('{"body": "half')
    (folder / "queue" / "2_b.pitledger.msg").write_bytes(b"")
    channel._put("pitledger", TASK)
    assert taken(channel) == 1
    assert list((folder / "queue").iterdir()) == []


def test_a_half_written_table_of_queues_is_written_again(channel: Any, folder: Path) -> None:
    (folder / "control" / "pitledger.exchange").write_text('[["", "pit')
    channel._queue_bind("pitledger", "pitledger", "", "pitledger")
    assert [row.queue for row in channel.get_table("pitledger")] == ["pitledger"]


def test_workers_that_read_while_others_write_see_whole_tasks_each_once(folder: Path, channel: Any) -> None:
    """With the library's own channel, some workers read half a task and ended."""
    failures: list[Exception] = []
    tasks_read: list[int] = []
    done = threading.Event()

    def at_work(work: Any) -> None:
        try:
            with connected() as connection:
                work(connection.channel())
        except Exception as error:
            failures.append(error)

    def write(channel: Any) -> None:
        for _ in range(300):
            channel._put("pitledger", TASK)

    def read(channel: Any) -> None:
        while not done.is_set():
            tasks_read.append(taken(channel))

    writers, readers = ([threading.Thread(target=at_work, args=(work,)) for _ in range(2)] for work in (write, read))
    for thread in (*writers, *readers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert failures == []
    assert sum(tasks_read) + taken(channel) == 600
