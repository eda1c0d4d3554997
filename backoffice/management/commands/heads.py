"""`./manage.py heads`: where the integrity heads stand, and going on from a store that came from a backup."""

from contextlib import closing
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from events.errors import Conflict, PitledgerError
from events.integrity import heads as h
from events.integrity.kept import Heads, open_heads
from events.integrity.publish import remembered
from events.settings import settings
from events.signing import keys
from events.signing.remembered import GivenUp, Last
from events.store import open_store


class Standing(msgspec.Struct, frozen=True):
    """The store's last head, the signer's, and the heads that were given up in favour of backups."""

    store: Last | None
    signer: Last | None
    given_up: list[GivenUp]

    @property
    def goes_on(self) -> bool:
        """Whether the signer goes on from the store's heads."""
        last = self.signer
        return last is None or (self.store is not None and self.store.number >= last.number)


class Command(BaseCommand):
    """Reads only, but for --accept-restored."""

    help = (
        "Show the last integrity head beside the events and the last that this machine's signer made. The signer goes "
        "on from its own only: where the heads were emptied or cut off, or the store came from an older backup, it "
        "refuses. After a restore that people decided on, --accept-restored N (N: the last head that the restored "
        "store holds, 0 for none) lets it go on from there; what is given up is written down beside the key. Exit "
        "code: 0; 1 where the signer would refuse, or N is not the store's last head; 2 where something cannot be read."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--accept-restored", type=int, metavar="N", help="go on from head N of the restored store")
        parser.add_argument("--json", action="store_true", help="as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        heads = open_heads(settings().store)
        try:
            if options["accept_restored"] is not None:
                self._accept(heads, options["accept_restored"])
            self._say(_standing(heads), as_json=options["json"])
        except Conflict as error:
            raise CommandError(str(error), returncode=1) from error
        except (PitledgerError, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        finally:
            heads.close()

    def _accept(self, heads: Heads, number: int) -> None:
        last = _standing(heads).store
        if number != (last.number if last else 0):
            there = f"its last is {last.number}" if last else "it holds none"
            raise Conflict(f"the store does not end with head {number}: {there}")
        with closing(open_store(settings().store)) as store:
            keys.memory().accept(settings().property_, last, store.clock())

    def _say(self, found: Standing, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode())
        else:
            self.stdout.write(f"beside the events: {_line(found.store)}")
            self.stdout.write(f"made by the signer here: {_line(found.signer)}")
            for one in found.given_up:
                self.stdout.write(f"given up on {one.time}: heads {one.kept + 1} to {one.last.number}")
        if not found.goes_on:
            raise CommandError("the signer does not go on from these heads: `verify`, then docs/howto/backup.md")


def _standing(heads: Heads) -> Standing:
    memory, property_ = keys.memory(), settings().property_
    raw = heads.last()
    return Standing(
        store=remembered(h.decode(raw)) if raw else None,
        signer=memory.last(property_),
        given_up=list(memory.given_up(property_)),
    )


def _line(last: Last | None) -> str:
    return f"head {last.number} over {last.size:,} events up to position {last.position:,}" if last else "none"
