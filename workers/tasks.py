"""The tasks: thin, idempotent, restartable. Each says "look at this", and the streams say what is to be done."""

import os
import random
import time
from functools import cache

import structlog
from celery.signals import worker_process_shutdown, worker_shutdown

from events.errors import Conflict, PitledgerError, Retry
from events.progressives import service
from events.store import EventStore, open_store
from workers.app import app

ATTEMPTS_MAX = 5
PAUSE_S = 0.05

log = structlog.get_logger(__name__)
_choice = random.SystemRandom()


@app.task(name="pitledger.reconcile")
def reconcile(progressive: str) -> None:
    """Lock whatever of this progressive is lockable. Sent at a hit and at the end of its initial deal."""
    _attempt(progressive)


@app.task(name="pitledger.sweep")
def sweep() -> None:
    """Look at every progressive: a lost task is found here. One that fails does not keep the others waiting."""
    for progressive in service.progressives(store(), property_()):
        try:
            _attempt(progressive)
        except PitledgerError as error:
            log.error("a progressive could not be reconciled", progressive=progressive, why=str(error))


def _attempt(progressive: str) -> None:
    """Reconcile, again after a moment where somebody else wrote first or a database did not answer."""
    for attempt in range(ATTEMPTS_MAX):
        try:
            service.reconcile(store(), property_(), progressive)
            return
        except (Conflict, Retry) as error:
            log.info("reconciling again", progressive=progressive, attempt=attempt + 1, why=str(error))
            if attempt == ATTEMPTS_MAX - 1:
                raise
            time.sleep(PAUSE_S * 2**attempt * _choice.uniform(0.5, 1.0))


def property_() -> str:
    """The property that this worker serves: PITLEDGER_PROPERTY."""
    return os.environ.get("PITLEDGER_PROPERTY") or "athens"


@cache
def store() -> EventStore:
    """This process's event store, opened by the first task."""
    return open_store()


@worker_shutdown.connect
@worker_process_shutdown.connect
def close_store(**_: object) -> None:
    """Give the connections back; the next task would open the store again."""
    if store.cache_info().currsize:
        store().close()
        store.cache_clear()
