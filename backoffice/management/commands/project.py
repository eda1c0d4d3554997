"""`./manage.py project`: update the read models from Kafka."""

import logging
import signal
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import structlog
from django.core.management.base import CommandError, CommandParser
from django.db import OperationalError, connections

from backoffice.management.house_command import HouseCommand
from backoffice.running import embedded_kafka_broker_process, status_files
from backoffice.running.container_blocked_part_rerun import run_part
from backoffice.running.heartbeat import Stop
from backoffice.running.status_reports_of_parts_into_database import begin_reports, note
from events.errors import PitledgerError, Unknown
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from events.store.property_owner_check import must_be_of
from events.store.wakeup_on_append_across_processes import READER, news_of
from projections.engine.batch_applier import POISON_MAX, Applier
from projections.engine.decoded_events import JustRead
from projections.engine.worker_task_sending_after_batch import send_all, sender
from projections.journal.idle_posting import JournalPoster
from projections.people.people_results_row_posting import ResultsPoster
from projections.registry import PROJECTORS, projectors

if TYPE_CHECKING:
    from projections.engine.runner import BetweenBatches, ProjectorProgress

log = structlog.get_logger(__name__)


class Command(HouseCommand):
    """Runs until SIGTERM or Ctrl-C; its place is in the read models, so it continues where it was."""

    help = (
        "Update the read models from the events on Kafka until Ctrl-C. An event that cannot be decoded or applied "
        "is quarantined, and later events of its stream wait. After the fix, --retry-poison applies quarantined "
        "events. If all read models run, the journal is posted too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        projector_names = ", ".join(PROJECTORS)
        parser.add_argument(
            "names", nargs="*", metavar="NAME", help=f"projections to run, of {projector_names}; default: all"
        )
        parser.add_argument("--retry-poison", action="store_true", help="apply the quarantined events and end")
        parser.add_argument(
            "--poison-max",
            type=int,
            default=POISON_MAX,
            metavar="N",
            help="stop if one read model has more than N quarantined events (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["retry_poison"]:
                self._work(options)
            else:
                run_part("project", lambda: self._work(options))
        except PitledgerError as error:
            raise CommandError(str(error), returncode=2 if isinstance(error, Unknown) else 1) from error

    def _work(self, options: dict[str, Any]) -> None:
        with closing(open_store()) as store:
            must_be_of(store, settings().property_)
            kinds, most = projectors(options["names"]), options["poison_max"]
            applier = Applier(kinds, settings().property_, poison_max=most, store=store)
            if options["retry_poison"]:
                self._retry(applier)
            else:
                self._run(applier, options["names"], store)

    def _run(self, applier: Applier, names: list[str], store: EventStore) -> None:
        from events.relay.gapless_event_topic_reader import (
            TopicTail,  # here: the command's help needs no client of Kafka
        )
        from projections.engine.runner import Runner, do_nothing

        stop = Stop("project")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        # After a failed statement it reports each following statement as left out.
        logging.getLogger("psycopg").setLevel(logging.ERROR)
        logging.getLogger("kafka").setLevel(logging.CRITICAL)  # the reader of the topic reports everything important
        with suppress(OperationalError):  # one that does not answer is waited for; one that does not fit is refused
            connections[applier.target.using].ensure_connection()
        begin_reports("projector")
        posters = do_nothing if names else _posters(store)
        with closing(news_of(listener=READER)) as news:
            source = TopicTail(embedded_kafka_broker_process.bootstrap(), settings().property_, store, news=news)
            Runner(applier, source, sender(), _announcer(names), posters).run(stop)
        log.info("the projector stops", position=applier.position)

    def _retry(self, applier: Applier) -> None:
        applier.load()
        poisoned_count = 0
        for projector in applier.projectors:
            applied = applier.release(projector)
            poisoned_count += applier.last.poisoned
            self.stdout.write(
                f"{projector.name}: {applied} events applied, {applier.last.poisoned} still cannot be applied"
            )
            send_all(sender(), applier.last.tasks)
        if poisoned_count:
            raise CommandError(f"{poisoned_count} events are still quarantined")


def _posters(store: EventStore) -> "BetweenBatches":
    """Return the background posting of the projector: the journal and the results of people."""
    posters = [kind(store, settings().property_) for kind in (JournalPoster, ResultsPoster)]

    def post(*, is_idle: bool, read: JustRead | None = None) -> None:
        for poster in posters:
            poster(is_idle=is_idle, read=read)

    return post


def _announcer(names: list[str]) -> "ProjectorProgress":
    """Return the report of a process of these projectors (none: all) to its status file and to the database."""
    name = "-".join(["project", *names])

    def announce(*, position: int, **figures: Any) -> None:
        status_files.announce(name, position=position, **figures)
        note("projector", position=position)

    return announce
