"""Sender of the projector's tasks to the workers.

It has a thread of its own, so read models do not wait for a task broker that does not answer.
"""

import functools
import logging
import queue
import threading
from collections.abc import Mapping

from events.runtime import metric_counters
from workers.celery_app import app

ROOM = 1_000  # most waiting tasks; the sweep does the work of further ones

log = logging.getLogger(__name__)


class Outbox:
    """Tasks on their way to the broker, and the thread that sends them."""

    def __init__(self, room: int = ROOM) -> None:
        self._task_queue: queue.Queue[tuple[str, Mapping[str, str]]] = queue.Queue(room)
        metric_counters.register_queue("task outbox", self._task_queue.qsize)
        threading.Thread(target=self._send, name="tasks", daemon=True).start()

    def put(self, name: str, arguments: Mapping[str, str]) -> None:
        """Add a task to the queue of the sending thread."""
        try:
            self._task_queue.put_nowait((name, arguments))
        except queue.Full:
            log.warning("task %s was not sent, the sweep will do its work: too many tasks wait", name)

    def _send(self) -> None:
        while True:
            name, arguments = self._task_queue.get()
            try:
                app.send_task(name, kwargs=dict(arguments))
                metric_counters.server_answers("task broker")
            except Exception as error:  # any error of the broker's client
                metric_counters.server_is_away("task broker", str(error))
                log.warning("task %s was not sent, the sweep will do its work: %s", name, error)


@functools.cache
def _outbox() -> Outbox:
    return Outbox()


def send(name: str, /, **arguments: str) -> None:
    """Wake a worker up. If the task broker does not answer, the sweep finds the work a little later."""
    _outbox().put(name, arguments)
