"""The Celery app `pitledger`: on files in the data folder, or on Redis (PITLEDGER_CELERY).

No task is needed for correctness. One may be lost, doubled or late on either broker. The sweep, which beat sends every
few seconds (PITLEDGER_SWEEP_S), finds forgotten work. Integrity heads are signed every PITLEDGER_HEAD_S, and the whole
history is verified every PITLEDGER_VERIFY_S. There is no result backend, so no result is stored.
"""

import logging
import warnings
from pathlib import Path
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning

from events.settings.setting_declarations import FILESYSTEM
from events.settings.settings_from_environment import settings

REDIS_VISIBLE_S = 60  # after that long, Redis hands a killed worker's task to another
ANSWERS_S = 5.0  # a broker that takes longer is away
BACKUP_LOOK_S = 60.0  # between two checks for a due backup
CLEAN_S = 3_600.0  # between two removals of old files: they live for a day
QUEUE = "pitledger"


def of_celery() -> dict[str, Any]:
    """Return Celery's settings from the environment. Makes the folders of the filesystem broker."""
    env = settings()
    # A sweep that no one did before the next one is due is no use any more.
    sweep = {"task": "pitledger.sweep", "schedule": env.sweep_s, "options": {"expires": env.sweep_s}}
    often = {"schedule": env.head_s, "options": {"expires": env.head_s}}
    head, handed_over = {"task": "pitledger.publish_head", **often}, {"task": "pitledger.hand_over", **often}
    verified = {"task": "pitledger.verify", "schedule": env.verify_s, "options": {"expires": env.verify_s}}
    tell = {"task": "pitledger.tell", "schedule": env.tell_s, "options": {"expires": env.tell_s}}
    looked_at_s = min(env.backup_every_s, BACKUP_LOOK_S)
    backed_up = {"task": "pitledger.backup", "schedule": looked_at_s, "options": {"expires": looked_at_s}}
    watched = {"task": "pitledger.watch", "schedule": env.watch_s, "options": {"expires": env.watch_s}}
    cleaned = {"task": "pitledger.clean", "schedule": CLEAN_S, "options": {"expires": CLEAN_S}}
    regular = {"sweep": sweep, "head": head, "verify": verified, "watch": watched, "clean": cleaned}
    run_folder = env.data_folder / "run"
    run_folder.mkdir(parents=True, exist_ok=True)
    return {
        **_broker(env.celery, env.data_folder / "celery"),
        "broker_connection_retry_on_startup": True,
        "task_default_queue": QUEUE,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        # Once more over a new connection, since the last one may be gone. The sender has other work to do.
        "task_publish_retry_policy": {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
        "worker_consumer": "workers.worker_and_beat_during_broker_outage:PatientConsumer",
        "beat_scheduler": "workers.worker_and_beat_during_broker_outage:Scheduler",
        "worker_prefetch_multiplier": 1,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,  # our lines have a level of their own; all would become warnings
        "beat_schedule": regular
        | ({"witness": handed_over} if env.witness else {})
        | ({"tell": tell} if env.tells else {})
        | ({"backup": backed_up} if env.backup and env.backup_by == "worker" else {}),
        "beat_schedule_filename": str(run_folder / "beat-schedule"),
    }


def _broker(url: str, folder: Path) -> dict[str, Any]:
    if not url.startswith(FILESYSTEM):
        # (Without bounds a connection is sought permanently, and who asks a broker that hangs hangs with it.)
        bounds = {"max_retries": 0, "socket_timeout": ANSWERS_S, "socket_connect_timeout": ANSWERS_S}
        return {"broker_url": url, "broker_transport_options": bounds | {"visibility_timeout": REDIS_VISIBLE_S}}
    for name in ("queue", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    options = {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
        "store_processed": False,
        "polling_interval": 0.1,
    }
    on_files = {
        "broker_url": "filesystem://localhost//",
        "broker_transport": "workers.celery_file_transport_class:Transport",
    }
    return {**on_files, "broker_transport_options": options}


# No fixups: with Django's settings in the environment Celery would load pages and models that no task needs.
_kafka = logging.getLogger("kafka")
_kafka.setLevel(max(_kafka.level, logging.WARNING))  # otherwise it logs every connection

# As root Celery warns of tasks that contain code. Tasks here are JSON: `accept_content` takes no other form, and with
# one that can contain code Celery would refuse to start.
warnings.filterwarnings("ignore", "You're running the worker with superuser privileges", SecurityWarning)

app = Celery("pitledger", include=["workers.tasks"], fixups=set())
app.add_defaults(of_celery)  # asked for when it is first needed
