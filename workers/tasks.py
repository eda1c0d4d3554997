"""Celery tasks: thin, idempotent, restartable. Each names a subject; the streams define the due work."""

import logging
import random
import time
from contextlib import suppress
from typing import Protocol, cast

import msgspec
import structlog
from kombu.exceptions import OperationalError

from events.alerts.overdue_and_luck_event_recorder import hours_between, of_house, report, say_late
from events.alerts.system_recorded_event_types import IntegrityFailed
from events.errors import Conflict, Invalid, PitledgerError, Poison, Retry, Unknown
from events.inspection_draws.due_draw_publication import publish_due
from events.integrity import signing_stop_note
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Looked, decode
from events.integrity.signed_head_stores import Heads
from events.progressives import due_lock_and_lapse_appending, history_reader
from events.relay import integrity_heads_topic as on_topic
from events.relay import witness_delivery
from events.settings.setting_declarations import Settings
from events.signing import house_signing_key
from events.store import EventStore
from workers.celery_app import app


class Parts(Protocol):
    """Parts of this process, each built when the first task asks for it."""

    @property
    def settings(self) -> Settings: ...
    @property
    def store(self) -> EventStore: ...
    @property
    def heads(self) -> Heads: ...
    def verify(self) -> bool:
        """Begin to verify the whole history, in a process of its own; False where one is still at it."""

    def backup(self) -> bool:
        """Begin a scheduled backup where one is due, in a process of its own; False where one is still at it."""

    def start_notifier(self) -> bool:
        """Start to notify people of their open items, in a separate process; False where one still runs."""

    def judge(self) -> bool:
        """Start the test of closed results against chance, in a separate process; False where one still runs."""

    def remove_expired(self) -> int:
        """Remove uploads that no one attached, and stored exports whose time is over; return the number of uploads."""

    def access_log_extent(self) -> Looked | None:
        """Return the extent of the access log; None where it cannot be read."""

    def kafka(self) -> str:
        """Kafka's address. Raises Retry while the address of the embedded broker is unknown."""


ATTEMPTS_MAX = 5
PAUSE_S = 0.05
HEAD_BUDGET_S = 0.2  # a head must not keep a lock waiting

log = structlog.get_logger(__name__)
_choice = random.SystemRandom()


@app.task(name="pitledger.reconcile")
def reconcile(progressive: str) -> None:
    """Lock every lockable hit of this progressive. Sent at a hit and at the end of its initial deal."""
    _attempt(progressive)


@app.task(name="pitledger.sweep")
def sweep() -> None:
    """Reconcile every progressive, so that a lost task does no harm. A failed item does not block the others."""
    store, env = _worker_parts().store, _worker_parts().settings
    for progressive in history_reader.names(store, env.property_):
        try:
            _attempt(progressive)
            due_lock_and_lapse_appending.alert_waiting(store, env.property_, progressive, after_s=env.wait_alert_s)
            due_lock_and_lapse_appending.let_lapse(store, env.property_, progressive)
        except PitledgerError as error:
            log.error("a progressive could not be reconciled", progressive=progressive, why=str(error))


@app.task(name="pitledger.publish_head")
def publish_head() -> None:
    """Sign a head where events or lines of the access log are new, and publish the heads that the topic lacks."""
    if _worker_parts().settings.signer_at:
        return  # beat without a task broker: the worker has the key, and signs again once the broker answers
    # it logs every connection; the important ones are logged here
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    property_ = _worker_parts().settings.property_
    try:
        store, heads = _worker_parts().store, _worker_parts().heads
        if amiss := store.amiss():
            log.critical("the guards of the event store are not as they were made", amiss=amiss, then="run `verify`")
        _say_lost_lines(heads, lines := _worker_parts().access_log_extent())
        _, is_all = make_head(store, heads, property_, house_signing_key.signer(), HEAD_BUDGET_S, lambda: lines)
        _note_signer("")
        if not is_all:
            with suppress(OperationalError):  # without a broker, at the next due time
                publish_head.delay()
        on_topic.publish(heads, _worker_parts().kafka(), property_, house_signing_key.memory().given_up(property_))
    except Retry as error:
        log.warning("the heads wait", why=str(error))
    except (Conflict, Invalid, Poison, Unknown) as error:
        log.error("no head: the store or the topic is not what it was", why=str(error))
        _note_signer(str(error))


def _note_signer(why: str) -> None:
    """Note why no head can be signed, for `/healthz` and the page System."""
    with suppress(Retry):  # the next head writes it
        if signing_stop_note.signer_refusal() != why:
            signing_stop_note.note_refusal(why)


def _say_lost_lines(heads: Heads, lines: Looked | None) -> None:
    """Log an access log that is shorter than the last head covers: no later head hides that."""
    raw = heads.last()
    covered = decode(raw).looked if raw else None
    if lines is not None and isinstance(covered, Looked) and covered.lines > lines.lines:
        log.critical("the access log lost lines", has=lines.lines, covered=covered.lines, then="run `verify`")


@app.task(name="pitledger.watch")
def watch() -> None:
    """Report overdue matters; start the check of closed figures against chance in a process of its own."""
    store = _worker_parts().store
    watchman = of_house(store, _worker_parts().settings.property_)
    try:
        if late := say_late(store, watchman):
            log.warning("slips are open, or draws unrevealed, for too long", late=late)
        publish_due(store, _worker_parts().settings.property_)
    except (Conflict, Retry) as error:
        log.info("the watchman looks again", why=str(error))
        return
    if not (watchman.closes or watchman.has_counted):
        return
    if _worker_parts().judge():
        watchman.has_counted = False
    else:
        log.info("what was closed is still being judged")


@app.task(name="pitledger.clean")
def clean() -> None:
    """Remove files of cases whose time is over."""
    try:
        if removed := _worker_parts().remove_expired():
            log.info("uploads that were never attached are removed", removed=removed)
    except Retry as error:
        log.info("old files are removed later", why=str(error))


@app.task(name="pitledger.verify")
def verify() -> None:
    """Start a verification of the whole history. It runs long, and no lock waits for it."""
    if not _worker_parts().verify():
        log.info("a verification is still at work")


@app.task(name="pitledger.backup")
def backup() -> None:
    """Start a scheduled backup where one is due. No lock waits for it."""
    if _worker_parts().settings.signer_at:
        return  # a backup is made where the keys are
    if not _worker_parts().backup():
        log.info("a backup is still at work")


@app.task(name="pitledger.tell")
def tell() -> None:
    """Start sending notifications. A mail server that does not answer blocks no jackpot."""
    if not _worker_parts().start_notifier():
        log.info("people are still being told")


@app.task(name="pitledger.hand_over")
def hand_over() -> None:
    """Send the witness the heads that it lacks, and note the time; called again when due."""
    try:
        before = witness_delivery.last_contact(_worker_parts().settings.witness)
        if before is not None:
            witness_delivery.note(_handed_over(before))
    except Retry as error:
        log.info("the witness waits", why=str(error))


def _handed_over(before: witness_delivery.Standing) -> witness_delivery.Standing:
    """Send the heads to the witness and return its new standing."""
    env, now = _worker_parts().settings, _worker_parts().store.clock()
    before = msgspec.structs.replace(before, since=before.since or before.reached or now)
    try:
        given_up_heads = house_signing_key.memory().given_up(env.property_)
        last = witness_delivery.hand_over(_worker_parts().heads, env.witness, env.property_, given_up_heads)
        delivery = witness_delivery.Standing(where=env.witness, since=before.since, last=last, reached=now, tried=now)
    except PitledgerError as error:
        is_grave = not isinstance(error, Retry)
        log.log(40 if is_grave else 30, "the witness was not reached", since=before.reached, why=str(error))
        delivery = msgspec.structs.replace(before, tried=now, why=str(error))
        _say_that_nobody_witnesses(delivery, now)
    return delivery


def _say_that_nobody_witnesses(delivery: witness_delivery.Standing, now: str) -> None:
    """Report a witness that was not reached for as long as the rules allow, once per outage."""
    store, last = _worker_parts().store, delivery.reached or delivery.since
    watchman = of_house(store, _worker_parts().settings.property_)
    with suppress(Conflict, Retry):
        if hours_between(last, now) > watchman.witness_hours(store):
            findings = (f"the witness {delivery.where} was not reached since {last}: {delivery.why}"[:500],)
            report(store, watchman, IntegrityFailed(kind="witness", thing=last, findings=findings, count=1))


def _attempt(progressive: str) -> None:
    """Reconcile, again after a moment where another writer was first or a database did not answer."""
    for attempt in range(ATTEMPTS_MAX):
        try:
            due_lock_and_lapse_appending.reconcile(
                _worker_parts().store, _worker_parts().settings.property_, progressive
            )
            return
        except (Conflict, Retry) as error:
            log.info("reconciling again", progressive=progressive, attempt=attempt + 1, why=str(error))
            if attempt == ATTEMPTS_MAX - 1:
                raise
            time.sleep(PAUSE_S * 2**attempt * _choice.uniform(0.5, 1.0))


def _worker_parts() -> Parts:
    """Return the parts that the process which started this worker handed in."""
    return cast(Parts, app.parts)
