"""The Celery app `pitledger`: on files in the data folder, or on Redis (PITLEDGER_CELERY).

No task is needed for correctness. One may be lost, doubled or late on either broker; the sweep, which beat sends
every few seconds (PITLEDGER_SWEEP_S), finds what was forgotten. Integrity heads come as often as PITLEDGER_HEAD_S
says. There is no result backend and nothing is kept.
"""

import logging
import warnings
from pathlib import Path
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning

from events.errors import Retry
from events.settings import EMBEDDED, FILESYSTEM
from events.settings import settings as house_settings

REDIS_VISIBLE_S = 60  # after that long, Redis hands a killed worker's task to another
QUEUE = "pitledger"


def settings() -> dict[str, Any]:
    """Celery's settings by the environment. Makes the folders of the filesystem broker."""
    house = house_settings()
    # A sweep that nobody did before the next one is due is no use any more.
    sweep = {"task": "pitledger.sweep", "schedule": house.sweep_s, "options": {"expires": house.sweep_s}}
    head = {"task": "pitledger.publish_head", "schedule": house.head_s, "options": {"expires": house.head_s}}
    folder = house.data_folder / "celery"
    folder.mkdir(parents=True, exist_ok=True)
    return {
        **_broker(house.celery, folder),
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


def _broker(url: str, folder: Path) -> dict[str, Any]:
    if not url.startswith(FILESYSTEM):
        return {"broker_url": url, "broker_transport_options": {"visibility_timeout": REDIS_VISIBLE_S}}
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


def kafka() -> str:
    """Kafka's address, as the settings have it. Raises Retry for the embedded broker: who has started it knows."""
    if (address := house_settings().kafka) == EMBEDDED:
        raise Retry("nobody said where the embedded broker is")
    return address


# No fixups: with Django's settings in the environment Celery would load pages and models that no task needs.
logging.getLogger("kafka").setLevel(logging.WARNING)  # it tells every connection otherwise

# As root Celery warns of tasks that bring code with them. Ours are JSON: `accept_content` takes nothing else, and with
# anything that could bring code Celery would not warn but refuse to start.
warnings.filterwarnings("ignore", "You're running the worker with superuser privileges", SecurityWarning)

app = Celery("pitledger", include=["workers.tasks"], fixups=set())
app.add_defaults(settings)  # asked for when it is first needed
app.kafka = kafka  # a house hands in its own (backoffice/worker.py)
