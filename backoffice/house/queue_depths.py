"""Queues of the house that no part reports: tasks at the broker, background jobs."""

import msgspec

from backoffice.jobs.job_state_and_lease_files import STATE, JobState
from backoffice.jobs.on_demand_jobs import FOLDER
from events.settings.setting_declarations import FILESYSTEM
from events.settings.settings_from_environment import settings
from workers.celery_app import QUEUE

ANSWER_S = 1.0


def depths() -> dict[str, int]:
    """Return how much waits in each queue; one that cannot be read is left out."""
    by_queue = {"celery": _celery(), "jobs": _jobs()}
    return {name: depth for name, depth in by_queue.items() if depth is not None}


def _celery() -> int | None:
    """Tasks that no worker has taken yet."""
    house_settings = settings()
    if house_settings.celery.startswith(FILESYSTEM):
        try:
            return sum(1 for _ in (house_settings.data_folder / "celery" / "queue").iterdir())
        except OSError:
            return None
    import redis

    try:
        with redis.Redis.from_url(
            house_settings.celery, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S
        ) as client:
            return int(client.llen(QUEUE))
    except (redis.RedisError, OSError):
        return None


def _jobs() -> int | None:
    """Background jobs that have not ended."""
    running = 0
    for path in (settings().data_folder / FOLDER).glob(f"*/{STATE}"):
        try:
            running += msgspec.json.decode(path.read_bytes(), type=JobState).status == "running"
        except (OSError, msgspec.MsgspecError):
            continue
    return running
