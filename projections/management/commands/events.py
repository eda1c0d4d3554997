"""`./manage.py events`: the log by position and by any filter, as CloudEvents JSON lines: the store's own bytes."""

import itertools
import os
import time
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from events.errors import PitledgerError
from events.store import open_store
from projections.reading import watermark
from projections.search import FILTERS, NUMBERS, Found, in_log, in_store

FOLLOW_S = 0.2


class Command(BaseCommand):
    """Reads only. With --follow until Ctrl-C."""

    help = (
        "Print events in the store's order, a line each, as they are stored. Filters are joined by AND, several "
        "values of one by OR."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--after", type=int, default=0, metavar="POSITION", help="only beyond this position")
        parser.add_argument("--limit", type=int, metavar="N", help="at most so many")
        parser.add_argument("--follow", action="store_true", help="wait for more, until Ctrl-C")
        parser.add_argument("--positions", action="store_true", help="each line begins with position and a tab")
        parser.add_argument("--from-store", action="store_true", help="from the event store, not from its projection")
        filters = parser.add_argument_group("filters")
        for name in FILTERS:
            kind = int if name in NUMBERS else str
            option = f"--{name.replace('_', '-')}"
            filters.add_argument(option, dest=name, type=kind, nargs="+", metavar=name.upper())

    def handle(self, *args: Any, **options: Any) -> None:
        os.environ.setdefault("PITLEDGER_DATA", str(settings.BASE_DIR / "var"))
        if options["follow"] and options["from_store"]:
            raise CommandError("--follow reads the projection, --from-store does not")
        filters = {name: options[name] for name in FILTERS if options[name] is not None}
        try:
            for position, raw in itertools.islice(self._found(filters, options), options["limit"]):
                line = raw.decode("utf-8", "backslashreplace")
                self.stdout.write(f"{position}\t{line}" if options["positions"] else line)
        except PitledgerError as error:
            raise CommandError(str(error)) from error
        except BrokenPipeError:  # whoever read has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except KeyboardInterrupt:
            return

    def _found(self, filters: dict[str, Any], options: dict[str, Any]) -> Iterator[Found]:
        if options["from_store"]:
            store = open_store()
            try:
                yield from in_store(store, filters, options["after"])
            finally:
                store.close()
        elif options["follow"]:
            yield from self._follow(filters, options["after"])
        else:
            yield from in_log(filters, options["after"])

    def _follow(self, filters: dict[str, Any], after: int) -> Iterator[Found]:
        """Up to the watermark, again and again: what waits behind poison comes in its place, once it is there."""
        while True:
            until = watermark("eventlog")
            yield from in_log(filters, after, until)
            after = max(after, until)
            self.stdout.flush()
            time.sleep(FOLLOW_S)
