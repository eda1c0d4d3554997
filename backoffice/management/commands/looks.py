"""`./manage.py looks`: who searched, exported or looked at people, and whether that log is whole."""

from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import writing
from backoffice.access.looks import KINDS, amiss, end
from backoffice.queries.looks import every_look


class Command(BaseCommand):
    """Only reads; it leaves no line of its own: whoever may run it may read the database."""

    help = (
        "Print who looked: searches, exports, certificates, people, a line each, oldest first; at the end whether the "
        "chain of these lines is whole. What the signed heads say of it, `verify` compares. Exit code: 1 where it "
        "is not."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="every line, as JSON")
        parser.add_argument("--after", type=int, default=0, metavar="NUMBER", help="only those behind this one")
        parser.add_argument("--person", default="", metavar="ID", help="only this person's")
        parser.add_argument("--kind", default="", choices=KINDS, help="only of this kind")

    def handle(self, *args: Any, **options: Any) -> None:
        for one in every_look(options["after"], options["person"], options["kind"]):
            if options["json"]:
                self.stdout.write(msgspec.json.encode(one).decode())
            else:
                who = one.person or one.device or "-"
                found = "" if one.found is None else f"{one.found:,} found"
                parts = [str(one.number), writing.at(one.at, "full"), who, one.source, one.kind, one.what, found]
                self.stdout.write("\t".join(parts).rstrip())
        for finding in amiss(iter(())):
            raise CommandError(finding.message, returncode=1)
        if not options["json"]:
            self.stdout.write(f"{end().lines:,} lines, and the chain is whole")
