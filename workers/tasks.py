"""The tasks: thin, idempotent, restartable. Each says "look at this", and the streams say what is to be done."""

import logging
import random
import time
from contextlib import suppress
from typing import Any, cast

import msgspec
import structlog
from kombu.exceptions import OperationalError

from events.alerts.said import IntegrityFailed
from events.alerts.watchman import hours_between, of_house, report, say_late
from events.errors import Conflict, Invalid, PitledgerError, Poison, Retry, Unknown
from events.integrity.heads import Looked, decode
from events.integrity.kept import Heads
from events.integrity.publish import make_head
from events.progressives import service
from events.relay import heads as on_topic
from events.relay import witness
from events.signing import keys
from workers.app import app
from workers.parts import Parts

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
    store, given = _parts().store, _parts().settings
    for progressive in service.progressives(store, given.property_):
        try:
            _attempt(progressive)
            service.alert_waiting(store, given.property_, progressive, after_s=given.wait_alert_s)
            service.let_lapse(store, given.property_, progressive)
        except PitledgerError as error:
            log.error("a progressive could not be reconciled", progressive=progressive, why=str(error))


@app.task(name="pitledger.publish_head")
def publish_head() -> None:
    """Sign a head where events or lines of the access log are new, and send the topic the heads that it lacks."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # it tells every connection; what matters we say ourselves
    property_ = _parts().settings.property_
    try:
        store, heads = _parts().store, _parts().heads
        if amiss := store.amiss():
            log.critical("the guards of the event store are not as they were made", amiss=amiss, then="run `verify`")
        _say_lost_lines(heads, lines := _parts().looked())
        _, is_all = make_head(store, heads, property_, keys.signer(), HEAD_BUDGET_S, lambda: lines)
        if not is_all:
            _again(publish_head)
        on_topic.publish(heads, _parts().kafka(), property_, keys.memory().given_up(property_))
    except Retry as error:
        log.warning("the heads wait", why=str(error))
    except (Conflict, Invalid, Poison, Unknown) as error:
        log.error("no head: the store or the topic is not what it was", why=str(error))


def _say_lost_lines(heads: Heads, lines: Looked | None) -> None:
    """Log an access log that is shorter than the last head covers: no later head hides that."""
    raw = heads.last()
    covered = decode(raw).looked if raw else None
    if lines is not None and isinstance(covered, Looked) and covered.lines > lines.lines:
        log.critical("the access log lost lines", has=lines.lines, covered=covered.lines, then="run `verify`")


@app.task(name="pitledger.watch")
def watch() -> None:
    """Say what no event says by itself; what was closed is held against chance in a process of its own."""
    store = _parts().store
    watchman = of_house(store, _parts().settings.property_)
    try:
        if late := say_late(store, watchman):
            log.warning("slips are open for too long", slips=late)
    except (Conflict, Retry) as error:
        log.info("the watchman looks again", why=str(error))
        return
    if not (watchman.closes or watchman.has_counted):
        return
    if _parts().judge():
        watchman.has_counted = False
    else:
        log.info("what was closed is still being judged")


@app.task(name="pitledger.verify")
def verify() -> None:
    """Begin to verify the whole history. It takes its time, and no lock waits for it."""
    if not _parts().verify():
        log.info("a verification is still at work")


@app.task(name="pitledger.backup")
def backup() -> None:
    """Begin a scheduled backup where one is due. No lock waits for it."""
    if not _parts().backup():
        log.info("a backup is still at work")


@app.task(name="pitledger.tell")
def tell() -> None:
    """Begin to tell people what waits. A mail server that does not answer keeps no jackpot waiting."""
    if not _parts().tell():
        log.info("people are still being told")


@app.task(name="pitledger.hand_over")
def hand_over() -> None:
    """Hand the witness the heads that it lacks, and write down when it was reached; again when it is due."""
    try:
        before = witness.standing(_parts().settings.witness)
        if before is not None:
            witness.note(_handed_over(before))
    except Retry as error:
        log.info("the witness waits", why=str(error))


def _handed_over(before: witness.Standing) -> witness.Standing:
    """How the witness was reached this time."""
    given, now = _parts().settings, _parts().store.clock()
    before = msgspec.structs.replace(before, since=before.since or before.reached or now)
    try:
        given_up = keys.memory().given_up(given.property_)
        last = witness.hand_over(_parts().heads, given.witness, given.property_, given_up)
        found = witness.Standing(where=given.witness, since=before.since, last=last, reached=now, tried=now)
    except PitledgerError as error:
        is_grave = not isinstance(error, Retry)
        log.log(40 if is_grave else 30, "the witness was not reached", since=before.reached, why=str(error))
        found = msgspec.structs.replace(before, tried=now, why=str(error))
        _say_that_nobody_witnesses(found, now)
    return found


def _say_that_nobody_witnesses(standing: witness.Standing, now: str) -> None:
    """Where the witness was not reached for as long as the rules say, or never: once for each time."""
    store, last = _parts().store, standing.reached or standing.since
    watchman = of_house(store, _parts().settings.property_)
    with suppress(Conflict, Retry):
        if hours_between(last, now) > watchman.witness_hours(store):
            said = (f"the witness {standing.where} was not reached since {last}: {standing.why}"[:500],)
            report(store, watchman, IntegrityFailed(kind="witness", thing=last, findings=said, count=1))


def _attempt(progressive: str) -> None:
    """Reconcile, again after a moment where somebody else wrote first or a database did not answer."""
    for attempt in range(ATTEMPTS_MAX):
        try:
            service.reconcile(_parts().store, _parts().settings.property_, progressive)
            return
        except (Conflict, Retry) as error:
            log.info("reconciling again", progressive=progressive, attempt=attempt + 1, why=str(error))
            if attempt == ATTEMPTS_MAX - 1:
                raise
            time.sleep(PAUSE_S * 2**attempt * _choice.uniform(0.5, 1.0))


def _again(task: Any) -> None:
    """The rest in turns with other tasks; where no broker takes it, when it is due."""
    with suppress(OperationalError):
        task.delay()


def _parts() -> Parts:
    """What whoever started this worker has handed in."""
    return cast(Parts, app.parts)
