"""The Celery app `pitledger`: on files in the data folder, or on Redis (PITLEDGER_CELERY).

No task is needed for correctness. One may be lost, doubled or late on either broker; the sweep, which beat sends
every few seconds (PITLEDGER_SWEEP_S), finds what was forgotten. Integrity heads come as often as PITLEDGER_HEAD_S
says. There is no result backend and nothing is kept.
"""

import logging
import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import beat_init, worker_ready

from events.relay import status

FILESYSTEM = "filesystem"
SWEEP_S = 5.0
HEAD_S = 10.0
REDIS_VISIBLE_S = 60  # after that long, Redis hands a killed worker's task to another
QUEUE = "pitledger"


def settings() -> dict[str, Any]:
    """Celery's settings by the environment. Makes the folders of the filesystem broker."""
    sweep_s = float(os.environ.get("PITLEDGER_SWEEP_S") or SWEEP_S)
    # A sweep that nobody did before the next one is due is no use any more.
    sweep = {"task": "pitledger.sweep", "schedule": sweep_s, "options": {"expires": sweep_s}}
    head_s = float(os.environ.get("PITLEDGER_HEAD_S") or HEAD_S)
    head = {"task": "pitledger.publish_head", "schedule": head_s, "options": {"expires": head_s}}
    folder = status.data_folder() / "celery"
    folder.mkdir(parents=True, exist_ok=True)
    return {
        **_broker(os.environ.get("PITLEDGER_CELERY") or FILESYSTEM),
        "broker_connection_retry_on_startup": True,
        "task_default_queue": QUEUE,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "worker_prefetch_multiplier": 1,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_hijack_root_logger": False,
        "beat_schedule": {"sweep": sweep, "head": head},
        "beat_schedule_filename": str(folder / "beat-schedule"),
    }


def _broker(url: str) -> dict[str, Any]:
    if not url.startswith(FILESYSTEM):
        return {"broker_url": url, "broker_transport_options": {"visibility_timeout": REDIS_VISIBLE_S}}
    folder = status.data_folder() / "celery"
    for name in ("queue", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    options = {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
        "store_processed": False,
        "polling_interval": 0.1,
    }
    on_files = {"broker_url": "filesystem://localhost//", "broker_transport": "workers.files:Transport"}
    return {**on_files, "broker_transport_options": options}


# No fixups: with Django's settings in the environment Celery would load pages and models that no task needs.
logging.getLogger("kafka").setLevel(logging.WARNING)  # it tells every connection otherwise

# As root Celery warns of tasks that bring code with them. Ours are JSON: `accept_content` takes nothing else, and with
# anything that could bring code Celery would not warn but refuse to start.
warnings.filterwarnings("ignore", "You're running the worker with superuser privileges", SecurityWarning)

app = Celery("pitledger", include=["workers.tasks"], fixups=set())
app.add_defaults(settings)  # asked for when it is first needed


@worker_ready.connect
def _worker_is_ready(**_: object) -> None:
    status.announce("worker")


@beat_init.connect
def _beat_is_ready(**_: object) -> None:
    status.announce("beat")
