"""`./manage.py looks`: who searched, exported or looked at people, and whether that log is whole."""

from contextlib import closing
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import writing
from backoffice.access.looks import KINDS, amiss, end
from backoffice.queries.looks import every_look
from events.errors import Conflict, PitledgerError
from events.integrity.heads import decode
from events.integrity.kept import in_order, open_heads
from events.settings import settings
from events.signing import keys
from events.signing.remembered import LooksGivenUp
from events.store import open_store


class Command(BaseCommand):
    """Only reads, but for --accept-restored; it leaves no line of its own: whoever may run it may read the database."""

    help = (
        "Print who looked: searches, exports, certificates, people, a line each, oldest first; at the end whether the "
        "chain of these lines is whole. What the signed heads say of it, `verify` compares. Where the access log came "
        "from an older backup or was lost, --accept-restored N (N: the last line that heads and log agree on, 0 for "
        "none) goes on without the later ones that heads saw; that is written down beside the key. Exit code: 1 "
        "where the chain is not whole, or N is no line of it; 2 where something cannot be read."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="every line, as JSON")
        parser.add_argument("--after", type=int, default=0, metavar="NUMBER", help="only those behind this one")
        parser.add_argument("--person", default="", metavar="ID", help="only this person's")
        parser.add_argument("--kind", default="", choices=KINDS, help="only of this kind")
        parser.add_argument(
            "--accept-restored", type=int, metavar="N", help="go on without what heads saw behind line N"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["accept_restored"] is not None:
                _accept(options["accept_restored"])
            given_up = keys.memory().looks_given_up(settings().property_)
        except PitledgerError as error:
            raise CommandError(str(error), returncode=1 if isinstance(error, Conflict) else 2) from error
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
            for gone in given_up:
                self.stdout.write(f"given up on {gone.time}: what heads up to {gone.head} saw behind line {gone.kept}")
            self.stdout.write(f"{end().lines:,} lines, and the chain is whole")


def _accept(number: int) -> None:
    """Miss nothing behind this line that heads saw until now. Raises Conflict."""
    lines = end().lines
    if not 0 <= number <= lines:
        raise Conflict(f"who looked has no line {number}: its last is {lines}")
    with closing(open_heads(settings().store)) as heads:
        said = [decode(raw) for some in in_order(heads, 0) for raw in some]
    if not said:
        raise Conflict("there is no head yet: nothing is missed")
    with closing(open_store(settings().store)) as store:
        now = store.clock()
    # Heads may be of later than now: a clock is set back now and then.
    one = LooksGivenUp(kept=number, head=said[-1].number, time=max(now, *[head.time for head in said]))
    keys.memory().give_up_looks(settings().property_, one)
