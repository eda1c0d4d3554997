"""The task broker on files: kombu's filesystem transport, without reads of half-written tasks.

The library writes a task in place. A worker that read at that moment failed on half a JSON, and so did each later one.
Here a task gets its name when it is whole, and is taken by renaming it. An unreadable task is left out: a task is a
wake-up call only, and the sweep does its work. The table of queues has a lock of its own.
"""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):  # type: ignore[misc]  # the library has no types
    """A queue is the files `....QUEUE.msg` of the folder; the oldest comes first."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        name = f"{time.time_ns() // 1_000_000}_{uuid4()}.{queue}.msg"
        path, fresh = Path(self.data_folder_out, name), Path(self.data_folder_out, f"{name}.new")
        try:
            fresh.write_text(dumps(payload), encoding="utf-8")
            fresh.replace(path)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink()
            raise ChannelError(f"the task {name} cannot be written: {error}") from error

    def _get(self, queue: str) -> Any:
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.partition(".")[2] == f"{queue}.msg" and (payload := self._taken(name)) is not None:
                return payload
        raise Empty

    def _taken(self, name: str) -> Any:
        """Return the task in this file, claimed from other processes; None without a readable task."""
        path, taken = Path(self.data_folder_in, name), Path(self.data_folder_in, f"{name}.{os.getpid()}")
        try:
            path.rename(taken)
            raw = taken.read_bytes()
            taken.unlink()
            return loads(raw)
        except OSError:  # another worker was quicker
            return None
        except ValueError:
            log.warning("a task that cannot be read is left out, the sweep will do its work: %s", name)
            return None

    def get_table(self, exchange: str) -> list[Any]:
        with self._table_locked():
            try:
                return list(super().get_table(exchange))
            except ValueError:  # a person died while he wrote it: bound again, it is written again
                return []

    def _queue_bind(self, exchange: str, *names: Any) -> None:
        with self._table_locked():
            try:
                super()._queue_bind(exchange, *names)
            except ValueError:
                self._exchange_file(exchange).unlink()
                super()._queue_bind(exchange, *names)

    @contextmanager
    def _table_locked(self) -> Iterator[None]:
        """The library's own lock begins when the file is empty already."""
        self.control_folder.mkdir(exist_ok=True)
        with (self.control_folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):  # type: ignore[misc]
    """Transport for Celery's setting `broker_transport`."""

    Channel = Channel
