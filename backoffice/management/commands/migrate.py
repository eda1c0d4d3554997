"""`./manage.py migrate`, for the event store as well: its tables, functions and guards are a migration step."""

from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate

from events.settings import settings
from events.store import EventStore, open_store


class Command(DjangoMigrate):
    help = "Makes or updates the tables of the read models and the directory, and those of the event store."

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["database"] == "default" and not options["app_label"]:
            store = open_store(settings().store)
            try:
                self._make(store)
            finally:
                store.close()

    def _make(self, store: EventStore) -> None:
        """What a person asked for: guards that were taken away are put back, and it is said that they were."""
        amiss = store.amiss()
        store.create()
        if amiss:
            self.stderr.write(f"The event store was not as it was made: {'; '.join(amiss)}.")
            left = store.amiss()
            self.stderr.write(f"Left for you: {'; '.join(left)}." if left else "It is put right. Run `verify`.")
