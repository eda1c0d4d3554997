"""`./manage.py search`: what happened, found by one grammar: `table:BJ1 amount:>=500 -type:card.dealt mispay`."""

import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import writing
from backoffice.access.looks import SEARCH, from_terminal
from backoffice.queries import currencies
from backoffice.queries.search.asked import Search, search
from backoffice.queries.search.found import PAGE, PAGE_MAX, Found, FoundPage, explained, page
from backoffice.queries.search.grammar import Mistake
from backoffice.queries.words import word


class Command(BaseCommand):
    """Reads only."""

    help = (
        "Find events: `field:value` pairs and words, all of which must hold; a comma is OR, a leading dash NOT "
        "(docs/reference/search.md). A page takes half a second at most: where that did not reach, standard error says "
        "how far it came, and with the cursor it goes on. Exit code: 0, also when nothing is found; 2 for a search "
        "that cannot be understood, with its column."
    )
    requires_system_checks = ()

    def run_from_argv(self, argv: list[str]) -> None:
        """A search may begin with a dash."""
        super().run_from_argv([*argv[:2], *_options_first(argv[2:])])

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for; nothing: everything")
        order = parser.add_mutually_exclusive_group()
        order.add_argument("--newest", action="store_true", help="newest first, as without either")
        order.add_argument("--oldest", action="store_true", help="oldest first")
        parser.add_argument(
            "--limit", type=int, default=PAGE, metavar="N", help="at most so many (default: %(default)s)"
        )
        parser.add_argument("--after", type=int, metavar="CURSOR", help="go on from here: the cursor of a page before")
        parser.add_argument(
            "--json", action="store_true", help='the events\' own bytes, a line each, then {"next": CURSOR}'
        )
        parser.add_argument("--explain", action="store_true", help="how it is understood, and how the database looks")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = search(" ".join(options["query"]))
        except Mistake as mistake:
            where = f"{' '.join(options['query'])}\n{' ' * (mistake.column - 1)}^"
            raise CommandError(f"{mistake.message.capitalize()}\n{where}", returncode=2) from mistake
        if options["limit"] < 1:
            raise CommandError("--limit is 1 at least", returncode=2)
        try:
            if options["explain"]:
                self._explain(asked)
            else:
                from_terminal(SEARCH, f"search {' '.join(options['query'])}".rstrip(), self.stderr.write)
                self._print(asked, options)
        except BrokenPipeError:  # whoever read has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def _print(self, asked: Search, options: dict[str, Any]) -> None:
        known = {} if options["json"] else currencies.by_place()
        last = FoundPage(())
        for last in _pages(asked, options):
            for event in last.events:
                raw = event.raw.decode("utf-8", "backslashreplace")
                self.stdout.write(raw if options["json"] else _line(event, currencies.of_stream(known, _stream(event))))
        if last.came_to is not None:
            self.stderr.write(f"half a second was not enough: looked as far as position {last.came_to:,}")
        cursor = None if last.next is None else str(last.next)
        if options["json"]:
            self.stdout.write(msgspec.json.encode({"next": cursor}).decode())
        elif cursor:
            self.stderr.write(f"more: --after {cursor}")

    def _explain(self, asked: Search) -> None:
        for clause, condition in zip(asked.clauses, asked.conditions, strict=True):
            how = "by its index or column" if condition.is_exact else "then by each event itself"
            self.stdout.write(f"column {clause.column}: {clause.source}: {how}")
        self.stdout.write("\n".join(explained(asked)))


def _options_first(words: Sequence[str]) -> list[str]:
    """A search that begins with one dash is none of the options; those stand in front of it."""
    searches = [one for one in words if re.match(r'-[^-]*:|-"|-\w{3,}', one) and not one.startswith("--")]
    return [one for one in words if one not in searches] + (["--", *searches] if searches else [])


def _pages(asked: Search, options: dict[str, Any]) -> Iterator[FoundPage]:
    """Page by page, up to the limit or to where a page ran out of time."""
    left, after = options["limit"], options["after"]
    while left:
        found = page(asked, newest=not options["oldest"], after=after, size=min(left, PAGE_MAX))
        yield found
        left, after = left - len(found.events), found.next
        if after is None or found.came_to is not None:
            return


def _stream(event: Found) -> str:
    stream: str = msgspec.json.decode(event.raw)["subject"]
    return stream


def _line(event: Found, currency: str) -> str:
    """An event as one reads it: position, time, what, where, about whom, how much."""
    said = msgspec.json.decode(event.raw)
    data = said["data"]
    where = "/".join(str(data[name]) for name in ("table", "gaming_day", "round") if data.get(name))
    amount = data.get("amount_minor")
    parts = [
        str(event.position),
        writing.at(datetime.fromisoformat(said["time"]), "short"),
        word(said["type"]),
        where or said["subject"],
        data.get("player") or said["actor"],
        "" if amount is None else writing.amount(amount, currency),
    ]
    return "\t".join(parts).rstrip()
