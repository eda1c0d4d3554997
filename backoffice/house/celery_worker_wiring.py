"""The worker and its beat as processes of a house.

`celery --app backoffice.house.celery_worker_wiring worker` (or `beat`) starts them.

The tasks are those of `workers`. They get their parts here, from this process's installation.
"""

import functools
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from celery.signals import (
    after_setup_logger,
    beat_init,
    task_postrun,
    task_prerun,
    worker_process_shutdown,
    worker_shutdown,
)

from backoffice.access.access_log_end_for_heads import end_at
from backoffice.house.scheduled_backup_times_and_deletion import is_due
from backoffice.installation.dependency_injection import Installation, close, installation
from backoffice.running import (
    child_process_start_and_end,
    embedded_kafka_broker_process,
    heartbeat,
    logging_configuration,
    status_files,
    status_reports_of_parts_into_database,
)
from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.part_names_and_own_part import SETTING, own_part
from events.cases.upload_hold_and_removal import remove_unattached
from events.integrity.signed_head_format import Looked
from events.integrity.signed_head_stores import Heads, open_heads
from events.runtime import metric_counters
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import settings
from events.store import EventStore
from workers.celery_app import app
from workers.worker_and_beat_during_broker_outage import reached


@contextmanager
def kept_heads(here: Installation) -> Iterator[Heads]:
    """Yield the heads in the store's database."""
    yield open_heads(here.settings.store)


class WorkerParts:
    """Dependencies of the tasks (`workers.tasks.Parts`), each built when the first task needs it."""

    def __init__(self) -> None:
        self._worker_processes: dict[str, subprocess.Popen[bytes]] = {}
        self._backup_at: datetime | None = None

    @property
    def settings(self) -> Settings:
        return installation().settings

    @property
    def store(self) -> EventStore:
        return installation().store

    @property
    def heads(self) -> Heads:
        return installation().part(kept_heads)

    def access_log_extent(self) -> Looked | None:
        return end_at(self.settings.access)

    def kafka(self) -> str:
        return embedded_kafka_broker_process.bootstrap()

    def verify(self) -> bool:
        return self._begin("verify", "--report")

    def backup(self) -> bool:
        if not is_due(self.settings, self._backup_at):
            return True
        if not self._begin("backup", "--scheduled"):
            return False
        self._backup_at = datetime.now(UTC)
        return True

    def start_notifier(self) -> bool:
        return self._begin("notify")

    def judge(self) -> bool:
        return self._begin("chance-test")

    def remove_expired(self) -> int:
        from backoffice.cases.export.stored_unfinished_exports import (
            remove_old_exports,  # here: every start of beat would load it
        )

        remove_old_exports()
        return remove_unattached(self.store, self.settings.property_)

    def _begin(self, name: str, *options: str) -> bool:
        """Run a command of the house in a separate process, at the lowest priority; False where it runs already."""
        before = self._worker_processes.get(name)
        if before is not None and before.poll() is None:
            return False
        command = ["nice", "-n", "19", sys.executable, str(ROOT / "manage.py"), name, *options]
        mark = os.environ.get(child_process_start_and_end.MARK) or child_process_start_and_end.new_mark()
        self._worker_processes[name] = child_process_start_and_end.launch(
            command, env={**os.environ, SETTING: own_part()}, mark=mark, cwd=ROOT
        )
        return True


TASK_S = 120.0  # a task that takes longer hangs: the worker then gives no sign of life

app.parts = WorkerParts()
_task_began: list[float] = []  # when the task in hand did


logging_configuration.begin(settings().log)


@after_setup_logger.connect
def _say_what_matters(logger: logging.Logger, format: str = "", **_: object) -> None:
    """Format the log lines of Celery, and hide its messages about each task: a task logs its own result."""
    for handler in logger.handlers:
        handler.setFormatter(logging_configuration.formatter(settings().log, format))
        handler.addFilter(logging_configuration.NoFloods())
    if settings().log_tasks == "no":
        for name in ("celery.worker.strategy", "celery.app.trace"):
            logging.getLogger(name).setLevel(logging.WARNING)
    if logging_configuration.is_json() and (celery_worker := sys.modules.get("celery.apps.worker")) is not None:
        celery_worker.safe_say = _say_as_json  # type: ignore[attr-defined]  # Celery writes plain text at a signal


def _say_as_json(message: str, *_: object) -> None:
    """Write a line of Celery's own, such as that of its shutdown, in the form of the log."""
    os.write(1, f"{logging_configuration.json_line('info', message.strip(), logger='celery')}\n".encode())


@reached.connect
def _is_ready(sender: str, why: str, **_: object) -> None:
    """The worker is there whether its broker answers or not: no other person waits for that."""
    status_files.announce(sender, waits=why)
    if why:
        metric_counters.server_is_away("task broker", why)
    else:
        metric_counters.server_answers("task broker")
    _beats(sender)
    status_reports_of_parts_into_database.note(sender, waits=why)


@functools.cache
def _beats(name: str) -> None:
    status_reports_of_parts_into_database.begin_reports(name)
    heartbeat.keep_beating(name, lambda: not _task_began or time.monotonic() - _task_began[0] < TASK_S)


@task_prerun.connect
def _task_begins(**_: Any) -> None:
    _task_began[:] = [time.monotonic()]


@task_postrun.connect
def _task_is_done(sender: Any, state: str = "", **_: Any) -> None:
    _task_began.clear()
    metric_counters.count(
        metric_counters.TASKS, sender.name.rpartition(".")[2], "done" if state == "SUCCESS" else "failed"
    )


@beat_init.connect
def _beat_is_ready(**_: object) -> None:
    status_files.announce("beat")
    _beats("beat")


@worker_shutdown.connect
@worker_process_shutdown.connect
def _close(**_: object) -> None:
    """Give the connections back; the next task would open the store again."""
    close()
