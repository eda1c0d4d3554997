"""`./manage.py case`: export a case of surveillance, with its proofs."""

import getpass
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser

from events.errors import PitledgerError
from events.integrity.head_store import open_heads
from events.roles import Role
from events.settings.settings import settings
from events.store import open_store


class Command(BaseCommand):
    """Appends the event of the export; the archive is written when a signed head covers it."""

    help = (
        "Export a case as one archive: events, tables, a PDF summary with the rounds drawn, bookmarks, attachments, "
        "chain of custody, manifest and proofs. The export is recorded in the access log first, and listed on the "
        "case. `verify-case FILE` checks the archive offline. Exit code 1: there is no "
        "such case, or a database does not answer. Exit code 2: the file cannot be written."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        export = what.add_parser("export", help="write the archive of a case")
        export.add_argument("case", metavar="CASE", help="the id of the case")
        export.add_argument("file", type=Path, metavar="FILE", help="the archive, a new file")
        export.add_argument("--as", dest="person", default="", metavar="PERSON", help="export as this person")

    def handle(self, *args: Any, **options: Any) -> None:
        from backoffice.cases.export.service import Exporter, export_case  # here: the help needs none of it
        from backoffice.people.roles import in_force

        if options["file"].exists():
            raise CommandError(f"{options['file']} exists already. Name a new file.", returncode=2)
        person, house = options["person"], settings()
        roles = in_force(person) if person else frozenset(get_args(Role))
        exporter = Exporter(person, roles, f"terminal of {getpass.getuser()}")
        store = open_store(house.store)
        try:
            heads = open_heads(house.store)
            result = export_case(store, heads, house.property_, options["case"], exporter, options["file"])
        except PitledgerError as error:
            raise CommandError(str(error), returncode=1) from error
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}", returncode=2) from error
        finally:
            store.close()
        self.stdout.write(
            f"{options['file']}: export {result.export}, {result.events:,} events, {result.files:,} files."
        )
        for reference in result.missing:
            self.stderr.write(f"not in the export: {reference}")
