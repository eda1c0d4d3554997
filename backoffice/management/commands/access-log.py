"""`./manage.py access-log`: print the access log of searches, exports and views of personal data, and verify it."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
from django.core.management.base import CommandError, CommandParser
from django.db import Error

from backoffice.access import last_log_line_anchor_file
from backoffice.access.personal_data_access_log import KINDS, accept_end, access_log_extent, first_fault
from backoffice.integrity.access_log_listing import every_look
from backoffice.management.house_command import HouseCommand
from backoffice.wording import formats
from events.errors import Conflict, Invalid, PitledgerError, Poison, Retry, Unknown
from events.integrity.signed_head_format import decode, digest_of
from events.integrity.signed_head_stores import Heads, in_order, open_heads
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.signing.last_signed_head_file import GivenUpAccessLines
from events.store import open_store

_SQLITE = "sqlite:///"


class Command(HouseCommand):
    """Reads only, but for --accept-restored. It adds no line of its own: its users may read the database anyway."""

    help = (
        "Print the access log, one line each, oldest first: searches, exports, certificates and views of personal "
        "data. Then verify it against its own chain, every signed head, and the last line written on this "
        "machine. A changed, renumbered or deleted line is named. If the access log comes from an older backup or "
        "is lost, --accept-restored N continues without later lines that heads cover. N is the last line that "
        "heads and log agree on, 0 for none. The decision is recorded beside the key. Exit code 1: the log is not "
        "complete, or N is not a line of it. Exit code 2: something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print every line as JSON")
        parser.add_argument("--after", type=int, default=0, metavar="NUMBER", help="only lines after this number")
        parser.add_argument("--person", default="", metavar="ID", help="only lines of this person")
        parser.add_argument("--kind", default="", choices=KINDS, help="only lines of this kind")
        parser.add_argument(
            "--accept-restored", type=int, metavar="N", help="continue without the lines after N that heads cover"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["accept_restored"] is not None:
                _accept(options["accept_restored"])
            given_up_lines = house_signing_key.memory().looks_given_up(settings().property_)
        except PitledgerError as error:
            raise CommandError(str(error), returncode=1 if isinstance(error, Conflict) else 2) from error
        for look in every_look(options["after"], options["person"], options["kind"]):
            if options["json"]:
                self.stdout.write(msgspec.json.encode(look).decode())
            else:
                who = look.person or look.device or "-"
                count = "" if look.entry_count is None else f"{look.entry_count:,} found"
                parts = [
                    str(look.number),
                    formats.moment_text(look.at, "full"),
                    who,
                    look.source,
                    look.kind,
                    look.what,
                    count,
                ]
                self.stdout.write("\t".join(parts).rstrip())
        for message in _faults(given_up_lines):
            raise CommandError(message, returncode=1)
        if not options["json"]:
            for waiver in given_up_lines:
                self.stdout.write(
                    f"given up on {waiver.time}: what heads up to {waiver.head} saw behind line {waiver.last_kept}"
                )
            self.stdout.write(f"{access_log_extent().lines:,} lines; the access log is complete")


def _faults(given_up_lines: Sequence[GivenUpAccessLines]) -> Iterator[str]:
    """Yield the first fault of the log against itself, the heads in the store's database, and this machine's anchor."""
    try:
        with _heads() as heads:
            if heads is not None and _lacks_last(heads):
                yield "the signer's last head is not beside the events: run `./manage.py verify`"
                return
            every = () if heads is None else (decode(raw) for batch in in_order(heads, 0) for raw in batch)
            for finding in first_fault(iter(every), given_up_lines, last_log_line_anchor_file.read()):
                yield finding.message
    except Unknown:  # no table of heads
        yield from (
            finding.message for finding in first_fault(iter(()), given_up_lines, last_log_line_anchor_file.read())
        )
    except (Error, Invalid, Poison, Retry) as error:
        raise CommandError(f"The access log could not be verified: {error}", returncode=2) from error
    except Conflict as error:
        yield str(error)


@contextmanager
def _heads() -> Iterator[Heads | None]:
    """Yield the heads in the store's database; None without a store, which this command must not create."""
    url = settings().store
    if url.startswith(_SQLITE) and not Path(unquote(url.removeprefix(_SQLITE))).exists():
        yield None
        return
    with closing(open_heads(url)) as heads:
        yield heads


def _lacks_last(heads: Heads) -> bool:
    """Return whether the signer's last head is missing."""
    last = house_signing_key.memory().last(settings().property_)
    return last is not None and [digest_of(raw) for raw in heads.after(last.number - 1, 1)] != [last.digest]


def _accept(number: int) -> None:
    """Miss nothing behind this line that heads or the anchor cover until now. Raises Conflict."""
    house_signing_key.must_be_here()
    lines = access_log_extent().lines
    if not 0 <= number <= lines:
        raise Conflict(f"the access log has no line {number}: its last is {lines}")
    with _heads() as heads:
        every = [] if heads is None else [decode(raw) for batch in in_order(heads, 0) for raw in batch]
    if not every and last_log_line_anchor_file.read() is None:
        raise Conflict("no head and no line of this machine covers the access log yet: nothing is missed")
    with closing(open_store(settings().store)) as store:
        now = store.clock()
    # Heads may be later than now, because clocks are sometimes set back.
    last_time = max([now, *(head.time for head in every)])
    given_up_lines = GivenUpAccessLines(last_kept=number, head=every[-1].number if every else 0, time=last_time)
    house_signing_key.memory().give_up_looks(settings().property_, given_up_lines)
    accept_end()
