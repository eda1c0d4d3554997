"""`./manage.py relay`: send events from the event store to Kafka."""

from contextlib import suppress
from typing import Any

from django.core.management.base import CommandParser

from backoffice.freshness.history_mismatch import BLOCKED
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.running import embedded_kafka_broker_process, status_files
from backoffice.running.container_blocked_part_rerun import run_part
from backoffice.running.heartbeat import Stop
from backoffice.running.status_reports_of_parts_into_database import begin_reports, note
from events.errors import Conflict, Retry
from events.settings.setting_declarations import EMBEDDED
from events.settings.settings_from_environment import settings
from events.store import open_store


class Command(HouseCommand):
    """Only one relay works at a time; a second one waits."""

    help = "Send the events of the store to Kafka in order until Ctrl-C. Continues after the last record of the topic."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--empty-topic",
            action="store_true",
            help=(
                "delete the records of this property from the topic and end; the relay then sends them again from "
                "the store"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with exit_code(1):
            with suppress(Retry):  # one that does not answer is waited for; one that does not fit is refused at once
                open_store(settings().store).close()
            bootstrap = embedded_kafka_broker_process.bootstrap()
            if options["empty_topic"]:
                _empty(bootstrap)
                status_files.announce(BLOCKED, why="")
                status_files.ask_again()
                self.stdout.write("The topic is empty. Start the relay to send the events again.")
                return
            begin_reports("relay")
            run_part("relay", lambda: _send(bootstrap))


def _send(bootstrap: str) -> None:
    from events.relay.relay import serve  # here: the command's help needs no client of Kafka

    try:
        serve(bootstrap, settings().property_, settings().store, _note_progress, Stop("relay"))
    except Conflict as error:
        status_files.announce(BLOCKED, why=str(error))
        raise


def _note_progress(**figures: Any) -> None:
    """Note progress: nothing blocks the relay any more."""
    if status_files.last_status(BLOCKED).get("why"):
        status_files.announce(BLOCKED, why="")
    status_files.announce("relay", **figures)
    note("relay", position=figures["position"])


def _empty(bootstrap: str) -> None:
    """The embedded broker deletes no records: another one begins without any."""
    if settings().kafka == EMBEDDED:
        embedded_kafka_broker_process.begin_anew()
    else:
        from events.relay import event_topic_reader_and_setup

        event_topic_reader_and_setup.empty(bootstrap, event_topic_reader_and_setup.partition_of(settings().property_))
