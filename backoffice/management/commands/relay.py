"""`./manage.py relay`: from the event store to Kafka."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import environment
from events.errors import PitledgerError
from events.relay import embedded, topic
from events.relay.relay import serve


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
        os.environ.setdefault("PITLEDGER_DATA", str(environment.data_folder()))
        try:
            bootstrap = embedded.bootstrap()
            if options["empty_topic"]:
                topic.empty(bootstrap, topic.partition_of(environment.property_name()))
            serve(bootstrap, environment.property_name(), environment.store_url())
        except PitledgerError as error:
            raise CommandError(str(error)) from error
