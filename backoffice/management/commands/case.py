"""`./manage.py case`: export a case of surveillance with its proofs, or its bookmarks alone."""

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from django.core.management.base import CommandError, CommandParser

from backoffice.management.house_command import HouseCommand
from events.errors import PitledgerError
from events.integrity.signed_head_stores import open_heads
from events.roles import Role
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store

if TYPE_CHECKING:
    from backoffice.cases.export.case_exporter import Exporter


class Command(HouseCommand):
    """Appends the event of an export; the archive is written when a signed head covers it."""

    help = (
        "Export a case as one archive: events, tables, a PDF summary with the rounds drawn, bookmarks, attachments, "
        "chain of custody, manifest and proofs. The export is recorded in the access log first, and listed on the "
        "case. The same command finishes a stopped export, which is listed once. `verify-case FILE` checks the archive "
        "offline. `bookmarks` writes the bookmarks of video alone, as CSV or in the form of the API of Milestone "
        "XProtect. Exit code 1: there is no such case, no head covers the export yet, or a database does not answer. "
        "Exit code 2: the file cannot be written."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        export = what.add_parser("export", help="write the archive of a case")
        export.add_argument("case", metavar="CASE", help="the id of the case")
        export.add_argument("file", type=Path, metavar="FILE", help="the archive, a new file")
        export.add_argument("--export", default="", metavar="NUMBER", help="finish this export")
        bookmarks = what.add_parser("bookmarks", help="write the bookmarks of a case")
        bookmarks.add_argument("case", metavar="CASE", help="the id of the case")
        bookmarks.add_argument(
            "file", type=Path, metavar="FILE", help="a new file: NAME.csv, or NAME.json for a video system"
        )
        for each in (export, bookmarks):
            each.add_argument("--as", dest="person", default="", metavar="PERSON", help="export as this person")

    def handle(self, *args: Any, **options: Any) -> None:
        from backoffice.cases.export.case_exporter import Exporter  # imported here, because the help needs none of it
        from backoffice.people.current_roles import roles_of

        if options["file"].exists():
            raise CommandError(f"{options['file']} exists already. Name a new file.", returncode=2)
        person, house = options["person"], settings()
        roles = roles_of(person) if person else frozenset(get_args(Role))
        exporter = Exporter(person, roles, f"terminal of {getpass.getuser()}")
        store = open_store(house.store)
        try:
            if options["what"] == "export":
                self._export(store, options["case"], exporter, options["file"], options["export"])
            else:
                self._bookmarks(store, options["case"], exporter, options["file"])
        except PitledgerError as error:
            raise CommandError(str(error), returncode=1) from error
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}", returncode=2) from error
        finally:
            store.close()

    def _export(self, store: EventStore, case: str, exporter: "Exporter", file: Path, number: str) -> None:
        from backoffice.cases.export.case_exporter import export_case

        heads = open_heads(settings().store)
        result = export_case(store, heads, settings().property_, case, exporter, file, number)
        self.stdout.write(f"{file}: export {result.export}, {result.events:,} events, {result.files:,} files.")
        for reference in result.missing:
            self.stderr.write(f"not in the export: {reference}")

    def _bookmarks(self, store: EventStore, case: str, exporter: "Exporter", file: Path) -> None:
        from backoffice.cases.export.case_exporter import export_bookmarks

        number = export_bookmarks(store, settings().property_, case, exporter, file)
        self.stdout.write(f"{file}: {number:,} bookmarks.")
