"""Runs the demo: a new house, all processes, the day, the books, the checks."""

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from django.core.management import call_command

from backoffice.access import personal_data_access_log as access_log
from backoffice.installation.processes_in_start_order import LOOPBACK, processes
from backoffice.running import database_and_mail_settings, embedded_kafka_broker_process
from backoffice.running.part_start_watch_and_restart import Process
from backoffice.running.supervisor import Supervisor
from events.alerts.overdue_and_luck_event_recorder import judge, of_house
from events.errors import Conflict
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.relay.event_topic_reader_and_setup import TOPIC, ensure_topic, partition_of
from events.runtime.clock import start as start_clock
from events.settings.setting_declarations import CLOCK, EMBEDDED
from events.settings.settings_from_environment import settings
from events.signing.house_signing_key import signer
from events.store import EventStore, everything, open_store
from projections.engine.models import Reader
from projections.engine.projection_positions_and_wait import wait_for
from projections.progressives.models import Hit
from projections.registry import PROJECTORS
from tools.demo import accountant_closes_the_day, addresses_to_visit, demo_house_setup, logins
from tools.demo.final_books_and_checks import report
from tools.demo.gaming_day_play import DayProgress, DemoDay
from tools.demo.http_terminal import DemoTerminal
from tools.demo.independent_topic_event_count import count_distinct
from tools.demo.printed_output import Out

SHOW_EVERY_SECONDS = 1.0
CAUGHT_UP_SECONDS = 120.0


def run(seed: int, hours: float, stream: TextIO, *, show_logs: bool, watch_s: float = 0.0) -> int:
    """Play the day and print its books. 0 only if every invariant holds.

    `watch_s`: the night is played for a reader and lasts so many seconds at least; 0: as fast as the machine plays it.
    """
    out, data = Out(stream), settings().data_folder
    clock = start_clock(data / CLOCK, demo_house_setup.SET_UP)
    call_command("migrate", verbosity=0)
    store = open_store(settings().store, clock)
    store.create()
    must_be_new(store)
    out.line(
        f"A new house in {os.path.relpath(data)}: "
        f"event store, read models, people, {len(demo_house_setup.TABLES)} tables."
    )
    keys = demo_house_setup.found_house(store)
    if logins.is_demo(data):
        logins.let_in(data)
    port = free_web_port()
    parts = processes(settings().kafka, port, data)
    out.line(f"Starting {', '.join(part.name for part in parts)} ...")
    with (data / "processes.log").open("w") as log:
        supervisor = Supervisor(
            parts, data, output=sys.stdout if show_logs else log, cwd=database_and_mail_settings.ROOT
        )
        try:
            supervisor.take_over()
            supervisor.start(need_all=True)
            for line in addresses_to_visit.invitation(data, port):
                out.line(line)
            with contextlib.closing(DemoTerminal(f"http://{LOOPBACK}:{port}", keys, clock)) as terminal:
                day = _play(terminal, seed, hours, out, watch_s)
                _close(day, store)
            stored_count = sum(1 for _ in everything(store))
            on_topic = count_distinct(_bootstrap(parts), settings().property_)
            reports = accountant_closes_the_day.reports(store, settings().property_)
            out.line("Verifying the night: store, heads, topic and read models by recomputation ...")
            call_command("verify", stdout=log, stderr=log)
        finally:
            supervisor.stop()
            store.close()
            clock.stand()
    return report(out.line, stored_count, on_topic, day.planted, reports)


def _close(day: DemoDay, store: EventStore) -> None:
    """Accounting closes the day and restates it; surveillance judges its chances."""
    accountant_closes_the_day.play(day, store, lambda: _seen(store))
    judge(store, of_house(store, settings().property_))
    _seen(store)


def free_web_port() -> int:
    """The port that people know, or another one while something else listens there or with it."""
    port = settings().web_port
    needed = (port, settings().port_of_live(port), settings().port_of_pages(port))
    return (
        embedded_kafka_broker_process.free_port() if any(map(embedded_kafka_broker_process.accepts, needed)) else port
    )


def _seen(store: EventStore) -> None:
    """The read models have everything, and a signed head stands over it. Raises Conflict."""
    if not wait_for(store.position(), CAUGHT_UP_SECONDS, PROJECTORS):
        raise Conflict(f"the projector has not read all in time: see {settings().data_folder / 'processes.log'}")
    sign(store)


def sign(store: EventStore) -> None:
    """Sign a head over the whole night, for `verify` and certificates."""
    heads = open_heads(settings().store)
    try:
        make_head(store, heads, settings().property_, signer(), looked=access_log.end_if_known)
    finally:
        heads.close()


def must_be_new(store: EventStore) -> None:
    """Require an empty installation: a demo never plays into a real house. Raises Conflict."""
    fresh = "the demo plays into an empty one"
    if store.position():
        raise Conflict(f"the event store (PITLEDGER_STORE) holds events already: {fresh}")
    if Reader.objects.filter(position__gt=0).exists():
        raise Conflict(f"the read models (PITLEDGER_READ) have read events already: {fresh}")
    kafka, partition = settings().kafka, partition_of(settings().property_)
    if kafka != EMBEDDED:
        ensure_topic(kafka, partition)
        if count_distinct(kafka, settings().property_):
            raise Conflict(
                f"the topic {TOPIC} (PITLEDGER_KAFKA) holds events already: {fresh}; "
                "`./manage.py relay --empty-topic` empties it"
            )


def _bootstrap(parts: Sequence[Process]) -> str:
    """Return Kafka's address, from the processes' environment."""
    return next(part.env["PITLEDGER_KAFKA"] for part in parts if part.name == "relay")


def _share(hit: str) -> int | None:
    """A hit's share once it is locked, as the read models have it."""
    hit_row = Hit.objects.filter(hit=hit, status="locked").first()
    return hit_row.share_minor if hit_row else None


def _play(terminal: DemoTerminal, seed: int, hours: float, out: Out, watch_s: float) -> DemoDay:
    started = shown_at = time.monotonic()
    day = DemoDay(terminal, seed, hours, _share)
    for progress in day.play():
        time.sleep(max(0.0, started + progress.share * watch_s - time.monotonic()))
        now = time.monotonic()
        if now - shown_at >= SHOW_EVERY_SECONDS or progress.share >= 1.0:
            shown_at = now
            out.over(_line(progress, now - started))
    out.line(f"\nPlayed {terminal.sent:,} actions, {terminal.written:,} events; accounting closes the day ...")
    return day


def _line(progress: DayProgress, seconds: float) -> str:
    bar = "#" * round(30 * progress.share)
    rate = progress.events / max(seconds, 0.001)
    return f"{progress.clock} [{bar:<30}] {progress.rounds:,} rounds, {progress.events:,} events, {rate:,.0f} a second"
