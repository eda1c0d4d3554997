"""What projections need of the rest of the house, as a port: somebody who sends tasks."""

import os
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

RECONCILE = "pitledger.reconcile"


class TaskPort(Protocol):
    """Sends tasks by name. A task is a wake-up call only: it may be lost, doubled or late."""

    def __call__(self, name: str, /, **arguments: str) -> None: ...


def send_nothing(name: str, /, **arguments: str) -> None:
    """For whoever wants no tasks sent: rebuilds, tests, a machine without workers."""


def property_name() -> str:
    """The property that this installation serves: PITLEDGER_PROPERTY."""
    return os.environ.get("PITLEDGER_PROPERTY") or "athens"


def task_port() -> TaskPort:
    """What the setting PITLEDGER_TASKS names ("package.module.function"); nobody is told anything without it."""
    path = getattr(settings, "PITLEDGER_TASKS", None)
    port: TaskPort = import_string(path) if path else send_nothing
    return port
