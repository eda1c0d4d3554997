"""Sends tasks to the workers, for the projector (setting PITLEDGER_TASKS)."""

import logging

from workers.app import app

log = logging.getLogger(__name__)


def send(name: str, /, **arguments: str) -> None:
    """Wake a worker up. If the task broker does not answer, the sweep finds the work a little later."""
    try:
        app.send_task(name, kwargs=arguments)
    except (OSError, app.connection_for_write().connection_errors) as error:
        log.warning("task %s was not sent, the sweep will do its work: %s", name, error)
