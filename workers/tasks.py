"""The tasks: thin, idempotent, restartable. Each says "look at this", and the streams say what is to be done."""

import logging
import os
import random
import time
from functools import cache

import structlog
from celery.signals import worker_process_shutdown, worker_shutdown

from events.errors import Conflict, Invalid, PitledgerError, Poison, Retry, Unknown
from events.integrity import keys
from events.integrity.kept import Heads, open_heads
from events.integrity.publish import make_head
from events.progressives import service
from events.relay import embedded
from events.relay import heads as on_topic
from events.store import EventStore, open_store
from events.store.open import default_url
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
    for progressive in service.progressives(store(), property_()):
        try:
            _attempt(progressive)
            service.alert_waiting(store(), property_(), progressive, after_s=wait_alert_s())
            service.let_lapse(store(), property_(), progressive)
        except PitledgerError as error:
            log.error("a progressive could not be reconciled", progressive=progressive, why=str(error))


@app.task(name="pitledger.publish_head")
def publish_head() -> None:
    """Sign a head over what is stored, if anything is new, and send the topic those that it lacks."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # it tells every connection; what matters we say ourselves
    try:
        if amiss := store().amiss():
            log.critical("the guards of the event store are not as they were made", amiss=amiss, then="run `verify`")
        _, is_all = make_head(store(), heads(), property_(), keys.signer(), HEAD_BUDGET_S)
        if not is_all:  # the rest in turns with other tasks
            publish_head.delay()
        on_topic.publish(heads(), embedded.bootstrap(), property_(), keys.memory().given_up(property_()))
    except Retry as error:
        log.info("the heads wait", why=str(error))
    except (Conflict, Invalid, Poison, Unknown) as error:
        log.error("no head: the store or the topic is not what it was", why=str(error))


def wait_alert_s() -> float:
    """How long a level may wait for a round's initial deal: PITLEDGER_WAIT_ALERT_S."""
    return float(os.environ.get("PITLEDGER_WAIT_ALERT_S") or service.WAIT_ALERT_S)


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


@cache
def heads() -> Heads:
    """The heads beside the events."""
    return open_heads(os.environ.get("PITLEDGER_STORE") or default_url())


@worker_shutdown.connect
@worker_process_shutdown.connect
def close_store(**_: object) -> None:
    """Give the connections back; the next task would open the store again."""
    if store.cache_info().currsize:
        store().close()
        store.cache_clear()
    heads.cache_clear()
