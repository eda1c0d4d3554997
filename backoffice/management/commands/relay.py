"""`./manage.py relay`: from the event store to Kafka."""

from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice.running import embedded, status
from events.errors import PitledgerError
from events.relay import topic
from events.relay.relay import serve
from events.settings import settings


class Command(BaseCommand):
    """One relay works at a time; a second one waits for its turn."""

    help = "Send the event store's events to Kafka, in order, until Ctrl-C. Continues after the topic's last record."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--empty-topic",
            action="store_true",
            help="first delete this property's records from the topic, which are then sent again from the store",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bootstrap = embedded.bootstrap()
            if options["empty_topic"]:
                topic.empty(bootstrap, topic.partition_of(settings().property_))
            serve(bootstrap, settings().property_, settings().store, partial(status.announce, "relay"))
        except PitledgerError as error:
            raise CommandError(str(error)) from error
