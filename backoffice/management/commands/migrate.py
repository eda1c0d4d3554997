"""`./manage.py migrate`, for the event store as well: its tables, functions and guards are a migration step."""

from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate

from backoffice import environment
from events.store import open_store


class Command(DjangoMigrate):
    help = "Makes or updates the tables of the read models and the directory, and those of the event store."

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["database"] == "default" and not options["app_label"]:
            store = open_store(environment.store_url())
            try:
                store.create()
            finally:
                store.close()
