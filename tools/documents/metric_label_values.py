"""Values of the labels of metrics: each label has a closed list, which no one's id and no table's name is on."""

from collections.abc import Callable, Iterable, Mapping

from backoffice.running.part_names_and_own_part import PARTS
from backoffice.running.version import version
from events import catalogue
from events.runtime.metric_counters import ERROR_KINDS, Label
from projections.registry import PROJECTORS

SERVERS = ("store", "read", "kafka", "task broker")
QUEUES = ("desk", "task outbox", "event outbox", "celery", "jobs")
DISKS = ("data", "store", "read", "access", "backup")
OUTCOMES = ("accepted", "repeated", "refused", "checked", "done", "failed")
STATUSES = ("1xx", "2xx", "3xx", "4xx", "5xx")


def _tasks() -> Iterable[str]:
    from workers.celery_app import app

    app.loader.import_default_modules()
    return sorted(name.rpartition(".")[2] for name in app.tasks if name.startswith("pitledger."))


VALUES: Mapping[Label, Callable[[], Iterable[str]]] = {
    "part": lambda: (*PARTS, "command"),
    "type": lambda: sorted(catalogue.event_types()),
    "projection": lambda: PROJECTORS,
    "kind": lambda: ERROR_KINDS,
    "outcome": lambda: OUTCOMES,
    "status": lambda: STATUSES,
    "server": lambda: SERVERS,
    "queue": lambda: QUEUES,
    "disk": lambda: DISKS,
    "task": _tasks,
    "version": lambda: (version(),),
}
