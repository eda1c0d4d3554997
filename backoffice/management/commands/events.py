"""`./manage.py events`: print events by position and by any filter, as CloudEvents JSON lines."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from difflib import get_close_matches
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.access.personal_data_access_log import EXPORT, EXPORTED, from_terminal
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, closable_output, exit_code
from events.catalogue import event_types
from events.store import open_store
from projections.engine.projection_positions_and_wait import watermark
from projections.eventlog.search_filter_vocabulary import EXACT, Filter, PositionedEvent, in_log, in_store
from projections.tables.models import TableDay

FOLLOW_S = 0.2


class Command(HouseCommand):
    """Reads only, with --follow until Ctrl-C. A line of the access log as it begins, one with the count at its end."""

    help = (
        "Print events in the order of the store, one line each, as they are stored. Different filters must all "
        "match; of several values of one filter, any may match. If no event matches, standard error says so and "
        "lists existing values. Exit code 2: an event type or gaming day is not valid."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--after", type=int, default=0, metavar="POSITION", help="only after this position")
        parser.add_argument("--limit", type=int, metavar="N", help="at most this many events")
        parser.add_argument("--follow", action="store_true", help="wait for more, until Ctrl-C")
        parser.add_argument("--positions", action="store_true", help="each line begins with position and a tab")
        parser.add_argument("--from-store", action="store_true", help="from the event store, not from its projection")
        filters = parser.add_argument_group("filters")
        for filter_ in EXACT:
            option = f"--{filter_.name.replace('_', '-')}"
            filters.add_argument(
                option,
                dest=filter_.name,
                type=_reader(filter_),
                nargs="+",
                metavar=filter_.name.upper(),
                help=filter_.sentence.lower(),
            )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["follow"] and options["from_store"]:
            raise CommandError("--follow and --from-store cannot be combined")
        filters = {filter_.name: options[filter_.name] for filter_ in EXACT if options[filter_.name] is not None}
        with exit_code(1), closable_output(), suppress(KeyboardInterrupt):
            self._must_be_types(options)
            printed = self._print(filters, options)
            if not printed and options["limit"] != 0:
                self.stderr.write(f"no event matches{self._there_is(filters, options)}")

    def _print(self, filters: dict[str, Any], options: dict[str, Any]) -> int:
        """Write the lines; how many."""
        command_text, count = _command_text(filters, options), 0
        is_written = from_terminal(EXPORT, command_text, self.stderr.write)
        try:
            for position, raw in itertools.islice(self._matching_events(filters, options), options["limit"]):
                line = raw.decode("utf-8", "backslashreplace")
                self.stdout.write(f"{position}\t{line}" if options["positions"] else line)
                count += 1
        finally:
            if is_written:
                from_terminal(EXPORTED, command_text, self.stderr.write, count=count)
        return count

    def _must_be_types(self, options: dict[str, Any]) -> None:
        """Require known types. An unknown type may still be stored, as a quarantined event."""
        at_once = {**options, "follow": False, "after": 0}
        for name in options["type"] or ():
            if name not in event_types() and next(self._matching_events({"type": [name]}, at_once), None) is None:
                raise CommandError(f"there is no event type {name!r:.60}{_similar_types(name)}", returncode=2)

    def _there_is(self, filters: dict[str, Any], options: dict[str, Any]) -> str:
        """Return the last position, and the tables and days in the log if one of those was a filter."""
        if options["from_store"]:
            with closing(open_store()) as store:
                return f"; the store goes up to position {store.position():,}"
        text = f"; the log goes up to position {watermark('eventlog'):,}"
        for name in ("table", "gaming_day"):
            if name in filters:
                values = TableDay.objects.order_by(name).values_list(name, flat=True).distinct()
                text += f"; {name.replace('_', ' ')}: {', '.join(values) or 'none yet'}"
        return text

    def _matching_events(self, filters: dict[str, Any], options: dict[str, Any]) -> Iterator[PositionedEvent]:
        if options["from_store"]:
            with closing(open_store()) as store:
                yield from in_store(store, filters, options["after"])
        elif options["follow"]:
            yield from self._follow_events(filters, options["after"])
        else:
            yield from in_log(filters, options["after"])

    def _follow_events(self, filters: dict[str, Any], after: int) -> Iterator[PositionedEvent]:
        """Yield events up to the watermark, repeatedly: events that wait for a quarantined one come in their place
        later.
        """
        while True:
            until = watermark("eventlog")
            yield from in_log(filters, after, until)
            after = max(after, until)
            self.stdout.flush()
            time.sleep(FOLLOW_S)


def _command_text(filters: dict[str, Any], options: dict[str, Any]) -> str:
    """The command as it may be typed again."""
    words = ["events", *(f"--{name.replace('_', '-')} {' '.join(map(str, of))}" for name, of in filters.items())]
    words += [f"--{name} {options[name]}" for name in ("after", "limit") if options[name]]
    return " ".join(words + [f"--{name.replace('_', '-')}" for name in ("follow", "from_store") if options[name]])


def _similar_types(name: str) -> str:
    """Return a hint at similar event types."""
    near = get_close_matches(name, sorted(event_types()), 3)
    return f"; did you mean {' or '.join(near)}?" if near else "; docs/events/README.md lists them"


def _reader(filter_: Filter) -> Callable[[str], Any]:
    return int if filter_.is_number else gaming_day if filter_.kind == "day" else str
