"""The tasks that a projector wants sent once its batch is committed, and who sends them."""

from collections.abc import Iterable
from typing import Protocol

import msgspec
import structlog
from django.conf import settings
from django.utils.module_loading import import_string

log = structlog.get_logger(__name__)


class WorkerTask(msgspec.Struct, frozen=True, order=True):
    """A wake-up call: the task's name and its arguments, in the order of their names (`task` makes one)."""

    name: str
    arguments: tuple[tuple[str, str], ...] = ()


def task(name: str, /, **arguments: str) -> WorkerTask:
    """A task by name, to be sent with these arguments. The same one twice in a batch is sent once."""
    return WorkerTask(name, tuple(sorted(arguments.items())))


class TaskSender(Protocol):
    """Sends tasks by name. A task is a wake-up call only: it may be lost, doubled or late."""

    def __call__(self, name: str, /, **arguments: str) -> None: ...


def send_nothing(name: str, /, **arguments: str) -> None:
    """Send no task: for rebuilds, tests, a machine without workers."""


def send_all(send: TaskSender, tasks: Iterable[WorkerTask]) -> None:
    """Send each task. A task that cannot be sent costs only time: the periodic sweeps do its work later."""
    for task in sorted(tasks):
        arguments = dict(task.arguments)
        try:
            send(task.name, **arguments)
        except Exception as error:  # any error of the broker's client
            log.warning("a task could not be sent", task=task.name, **arguments, error=str(error))


def sender() -> TaskSender:
    """Return the function that PITLEDGER_TASKS names ("package.module.function"), else one that sends nothing."""
    path = getattr(settings, "PITLEDGER_TASKS", None)
    send: TaskSender = import_string(path) if path else send_nothing
    return send
