"""`./manage.py migrate`: create or update the tables of the read models and of the event store."""

from contextlib import closing
from typing import Any

from django.core.checks import Tags
from django.core.management.commands.migrate import Command as DjangoMigrate
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from backoffice.access.router import ALIAS, LABEL
from events.cases.case_key_and_file_vault import vault_notes
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from events.store.named_notes_shared_by_processes import Notes


class Command(DjangoMigrate):
    help = "Create or update the tables of the read models, the directory, the access log and the event store."
    requires_system_checks = (Tags.database, Tags.models)  # those of addresses load every page of the site

    def handle(self, *args: Any, **options: Any) -> None:
        is_all = options["database"] == "default" and not options["app_label"]
        is_plain = not (options["plan"] or options["check_unapplied"] or options["fake"] or options["prune"])
        if is_all and is_plain and not _lacks_migrations():
            self.stdout.write("Every table is there: no migrations to apply.")
        elif is_all:  # first: a migration of the project moves lines there
            its_own = {"database": ALIAS, "app_label": LABEL, "run_syncdb": False, "verbosity": 0}
            super().handle(*args, **(options | its_own))
            super().handle(*args, **options)
        else:
            super().handle(*args, **options)
        if is_all:
            Notes(settings().access).create()
            vault_notes(settings().access).create()
            with closing(open_store(settings().store)) as store:
                self._make(store)

    def _make(self, store: EventStore) -> None:
        """Create the event store's tables. Missing guards are restored with a line of output."""
        amiss = store.amiss()
        store.create()
        if amiss:
            self.stderr.write(f"The event store had faults: {'; '.join(amiss)}.")
            left = store.amiss()
            self.stderr.write(f"Left for you: {'; '.join(left)}." if left else "It is put right. Run `verify`.")


def _lacks_migrations() -> bool:
    """Return whether any database lacks a migration. Without one nothing is imported or compared: a container that is
    started for one command waits for this."""
    for alias, app in ((ALIAS, LABEL), ("default", None)):  # the access log's database records its own alone
        executor = MigrationExecutor(connections[alias])
        if executor.migration_plan(executor.loader.graph.leaf_nodes(app)):
            return True
    return False
