"""The tasks: thin, idempotent, restartable. Each says "look at this", and the streams say what is to be done."""

import logging
import random
import time
from functools import cache

import structlog
from celery.signals import worker_process_shutdown, worker_shutdown

from events.errors import Conflict, Invalid, PitledgerError, Poison, Retry, Unknown
from events.integrity.kept import Heads, open_heads
from events.integrity.publish import make_head
from events.progressives import service
from events.relay import heads as on_topic
from events.settings import settings
from events.signing import keys
from events.store import EventStore, open_store
from workers.app import app

ATTEMPTS_MAX = 5
PAUSE_S = 0.05
HEAD_BUDGET_S = 0.2  # a head must not keep a lock waiting

log = structlog.get_logger(__name__)
_choice = random.SystemRandom()


@app.task(name="pitledger.reconcile")
def reconcile(progressive: str) -> None:
    """Lock whatever of this progressive is lockable. Sent at a hit and at the end of its initial deal."""
    _attempt(progressive)


@app.task(name="pitledger.sweep")
def sweep() -> None:
    """Look at every progressive: a lost task is found here. One that fails does not keep the others waiting."""
    for progressive in service.progressives(store(), settings().property_):
        try:
            _attempt(progressive)
            service.alert_waiting(store(), settings().property_, progressive, after_s=settings().wait_alert_s)
            service.let_lapse(store(), settings().property_, progressive)
        except PitledgerError as error:
            log.error("a progressive could not be reconciled", progressive=progressive, why=str(error))


@app.task(name="pitledger.publish_head")
def publish_head() -> None:
    """Sign a head over what is stored, if anything is new, and send the topic those that it lacks."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # it tells every connection; what matters we say ourselves
    try:
        if amiss := store().amiss():
            log.critical("the guards of the event store are not as they were made", amiss=amiss, then="run `verify`")
        _, is_all = make_head(store(), heads(), settings().property_, keys.signer(), HEAD_BUDGET_S)
        if not is_all:  # the rest in turns with other tasks
            publish_head.delay()
        on_topic.publish(heads(), app.kafka(), settings().property_, keys.memory().given_up(settings().property_))
    except Retry as error:
        log.info("the heads wait", why=str(error))
    except (Conflict, Invalid, Poison, Unknown) as error:
        log.error("no head: the store or the topic is not what it was", why=str(error))


def _attempt(progressive: str) -> None:
    """Reconcile, again after a moment where somebody else wrote first or a database did not answer."""
    for attempt in range(ATTEMPTS_MAX):
        try:
            service.reconcile(store(), settings().property_, progressive)
            return
        except (Conflict, Retry) as error:
            log.info("reconciling again", progressive=progressive, attempt=attempt + 1, why=str(error))
            if attempt == ATTEMPTS_MAX - 1:
                raise
            time.sleep(PAUSE_S * 2**attempt * _choice.uniform(0.5, 1.0))


@cache
def store() -> EventStore:
    """This process's event store, opened by the first task."""
    return open_store()


@cache
def heads() -> Heads:
    """The heads beside the events."""
    return open_heads(settings().store)


@worker_shutdown.connect
@worker_process_shutdown.connect
def close_store(**_: object) -> None:
    """Give the connections back; the next task would open the store again."""
    if store.cache_info().currsize:
        store().close()
        store.cache_clear()
    heads.cache_clear()
