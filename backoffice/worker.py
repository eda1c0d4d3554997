"""The worker and its beat as processes of a house: `celery --app backoffice.worker worker`, or `beat`.

The tasks are those of `workers`; what they need of the house is handed to them here.
"""

from celery.signals import beat_init, worker_ready

from backoffice.running import embedded, status
from workers.app import app

app.kafka = embedded.bootstrap


@worker_ready.connect
def _worker_is_ready(**_: object) -> None:
    status.announce("worker")


@beat_init.connect
def _beat_is_ready(**_: object) -> None:
    status.announce("beat")
