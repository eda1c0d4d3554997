"""`./manage.py search`: find events by one grammar: `table:BJ1 amount:>=500 -type:card.dealt mispay`."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.access.personal_data_access_log import EXPORTED, SEARCH, from_terminal
from backoffice.freshness.history_mismatch import warn
from backoffice.management.house_command import HouseCommand, closable_output
from backoffice.people import staff_list_and_name_lookup
from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.grammar import Mistake
from backoffice.surveillance.search.paged_search_within_time_limit import (
    PAGE,
    PAGE_MAX,
    FoundEvent,
    ResultPage,
    explain_search,
    page,
    search_deadline,
)
from backoffice.surveillance.search.people_names_to_ids import without_names
from backoffice.surveillance.search.search_to_log_conditions import Search, search
from backoffice.surveillance.search.word_interpretations import Offer, of_people, offers_for_search
from backoffice.wording import formats, stream_currencies
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.stream_currencies import Places


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Find events by `field:value` pairs and words, all of which must match. Use OR between them, parentheses, "
        "`field:abc*` for a prefix, a comma for either value, and a leading dash for NOT "
        "(docs/reference/search.md). A search takes at most half a second. If it is not complete, standard error "
        "says how far it came, and the cursor continues it. Exit code 2: the search is not valid, with the column."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Options may be before, between or behind the parts of a search, and a part may begin with a dash."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)

        def parsed(args: Sequence[str] | None = None, namespace: Any = None) -> Any:
            words = sys.argv[2:] if args is None else args
            return parser.parse_intermixed_args([_no_option(word) for word in words], namespace)

        # Django calls `parse_args`, and accepts no other parser.
        parser.parse_args = parsed  # type: ignore[method-assign,assignment]
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", nargs="*", metavar="QUERY", help="the search; everything if empty")
        order = parser.add_mutually_exclusive_group()
        order.add_argument("--newest", action="store_true", help="newest first (default)")
        order.add_argument("--oldest", action="store_true", help="oldest first")
        parser.add_argument(
            "--limit", type=int, default=PAGE, metavar="N", help="at most this many events (default: %(default)s)"
        )
        parser.add_argument("--after", type=int, metavar="CURSOR", help="continue after this cursor of an earlier page")
        parser.add_argument(
            "--json", action="store_true", help='print each event\'s stored bytes on a line, then {"next": CURSOR}'
        )
        parser.add_argument(
            "--explain", action="store_true", help="show how the search and the database query are built"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        text, until = " ".join(word.strip() for word in options["query"]), search_deadline()
        try:
            resolved = without_names(text, staff_list_and_name_lookup.names())  # the access log has no names
            query = search(text := resolved.text)
        except Mistake as mistake:
            where = f"{text}\n{' ' * (mistake.column - 1)}^"
            message = mistake.message[:1].upper() + mistake.message[1:]
            raise CommandError(f"{message}\n{where}", returncode=2) from mistake
        if options["limit"] < 1:
            raise CommandError("--limit must be at least 1", returncode=2)
        with closable_output():
            if options["explain"]:
                self._explain(query)
            elif resolved.people:
                self._suggest(of_people(text, resolved.people))
                self._close(None, options)
            else:
                self._print(query, options, until)

    def _print(self, query: Search, options: dict[str, Any], until: float) -> None:
        places = stream_currencies.Places() if options["json"] else stream_currencies.by_place()
        command, count = f"search {query.text}".rstrip(), 0
        last = ResultPage(())
        for number, last in enumerate(_pages(query, options, until, self.stderr.write)):
            if not number:
                from_terminal(SEARCH, command, self.stderr.write, count=len(last.events))
            count += len(last.events)
            for event in last.events:
                raw = event.raw.decode("utf-8", "backslashreplace")
                self.stdout.write(raw if options["json"] else _line(event, places))
        if count > len(last.events):
            from_terminal(EXPORTED, command, self.stderr.write, count=count)
        if last.came_to is not None:
            self.stderr.write(f"The search stopped after half a second at position {last.came_to:,}.")
        if options["after"] is None:
            self._suggest(offers_for_search(query, until))
        self._close(last.next, options)

    def _suggest(self, suggestions: Iterable[Offer]) -> None:
        """Filters in the place of bare words, on standard error."""
        for suggestion in suggestions:
            self.stderr.write(f"Did you mean: {suggestion.text}")

    def _close(self, position: int | None, options: dict[str, Any]) -> None:
        """Print the cursor from which to continue."""
        cursor = None if position is None else str(position)
        if options["json"]:
            self.stdout.write(msgspec.json.encode({"next": cursor}).decode())
        elif cursor:
            self.stderr.write(f"more: --after {cursor}")

    def _explain(self, query: Search) -> None:
        for part, condition in query.parts_with_meaning():
            how = "by its index or column" if condition.is_exact else "then by each event itself"
            self.stdout.write(f"column {part.column}: {part.source}: {how}")
        self.stdout.write("\n".join(explain_search(query)))


def _no_option(word: str) -> str:
    """Return the word so that argparse takes one leading dash as NOT, but for -h and -v."""
    return f" {word}" if re.match(r"-(?!-|h$|v\d?$|\d+$|$)", word) else word


def _pages(
    query: Search, options: dict[str, Any], until: float, write: Callable[[str], object]
) -> Iterator[ResultPage]:
    """Page by page, up to the limit or to where a page ran out of time. `until`: the deadline of the first."""
    remaining, after = options["limit"], options["after"]
    while remaining:
        hits = page(query, newest=not options["oldest"], after=after, size=min(remaining, PAGE_MAX), until=until)
        if hits.came_to is None and deadline_of_database_statements.monotonic_time() > until:
            write("a page took more than half a second: the machine is busy")
        yield hits
        remaining, after = remaining - len(hits.events), hits.next
        if after is None or hits.came_to is not None:
            return
        until = search_deadline()


def _line(event: FoundEvent, places: Places) -> str:
    """Return an event as a line: position, time, event, place, people, amount."""
    try:
        return _event_line(event, msgspec.json.decode(event.raw), places)
    except (msgspec.DecodeError, LookupError, TypeError, ValueError):
        return f"{event.position}\tcannot be read: ./manage.py verify says what is wrong with it"


def _event_line(event: FoundEvent, content: dict[str, Any], places: Places) -> str:
    data = content["data"]
    where = "/".join(str(data[name]) for name in ("table", "gaming_day", "round") if data.get(name))
    amount = data.get("amount_minor")
    parts = [
        str(event.position),
        formats.moment_text(datetime.fromisoformat(content["time"]), "short"),
        word(content["type"]),
        where or content["subject"],
        data.get("player") or content["actor"],
        "" if amount is None else formats.amount(amount, stream_currencies.of_stream(places, content["subject"])),
    ]
    return "\t".join(parts).rstrip()
