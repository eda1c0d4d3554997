"""`./manage.py verify`: chains and heads by recomputation."""

import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice.running import embedded
from events.errors import PitledgerError, Retry, Unknown
from events.integrity.audit import Audit, Finding, Witness, audit, kept_by_house
from events.integrity.kept import open_heads
from events.relay.compared import compare
from events.relay.heads import is_given_up, published
from events.settings import settings
from events.signing import keys
from events.store import EventStore, open_store


class Command(BaseCommand):
    """Reads only."""

    help = (
        "Recompute the store from its bytes: every stream's chain, every integrity head with its signature and fed "
        "totals, every share, payment and meter that a progressive states; look whether the guards against editing "
        "are there; compare with the signer's last head, with the topic's events and heads, and with heads that "
        "somebody kept (--heads). A log that was edited, cut off or rewritten is noticed. Nothing is written. Exit "
        "code: 0 when everything holds, 1 when something does not, 2 when something cannot be read."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--heads",
            action="append",
            default=[],
            metavar="FILE",
            type=Path,
            help="heads that somebody kept, one a line, as they stand on the topic pitledger.heads",
        )
        parser.add_argument("--key", action="append", default=[], metavar="HEX", help="trust this public key (only)")
        parser.add_argument("--no-topic", action="store_true", help="do not compare with Kafka")
        parser.add_argument("--json", action="store_true", help="the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        data = settings().data_folder
        progress = None if options["json"] or not sys.stderr.isatty() else self._progress
        try:
            _require_store(settings().store)
            store = open_store(settings().store)
            try:
                guards = _guards(store)
                trusted = set(options["key"]) or keys.trusted(data)
                last = keys.memory(data).last(settings().property_)
                found = audit(store, settings().property_, self._witnesses(options), trusted, progress, last)
                more = [*guards, *([] if options["no_topic"] else self._topic_events(store))]
            finally:
                store.close()
        except (PitledgerError, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        found = msgspec.structs.replace(found, findings=[*found.findings, *more])
        if options["json"]:
            self.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode())
        else:
            self._say(found, trusted)
        if not found.holds:
            raise CommandError(f"{len(found.findings)} findings: this store is not what it was", returncode=1)

    def _progress(self, position: int) -> None:
        self.stderr.write(f"verified up to {position:,}", ending="\r")

    def _witnesses(self, options: dict[str, Any]) -> list[Witness]:
        witnesses = [_house()]
        for path in options["heads"]:
            lines = [line for line in path.read_bytes().splitlines() if line.strip()]
            witnesses.append(Witness(str(path), lines))
        if not options["no_topic"]:
            witnesses += self._topic()
        return witnesses

    def _topic(self) -> list[Witness]:
        """The topic's heads, where a broker answers, but for those that people went on without."""
        given_up = keys.memory().given_up(settings().property_)
        try:
            heads = list(published(embedded.bootstrap(), settings().property_))
            return [Witness("topic", [raw for raw in heads if not (given_up and is_given_up(raw, given_up))])]
        except PitledgerError as error:
            self.stderr.write(f"not compared with the topic: {error}")
            return []

    def _topic_events(self, store: EventStore) -> list[Finding]:
        """The topic's events against the store's, where a broker answers."""
        try:
            told = compare(store, embedded.bootstrap(), settings().property_)
        except Retry as error:
            self.stderr.write(f"events not compared with the topic: {error}")
            return []
        self.stderr.write(f"{told.events:,} events on the topic were compared, up to position {told.position:,}")
        return [Finding("topic", one.position, f"position {one.position} {one.message}") for one in told.differences]

    def _say(self, found: Audit, trusted: set[str]) -> None:
        line = self.stdout.write
        line(f"{found.events:,} events in {found.streams:,} streams up to position {found.position:,}")
        line(f"{found.heads:,} heads, compared: {', '.join(found.compared)}; covered up to {found.covered:,}")
        if found.uncovered:
            line(f"the last {found.uncovered:,} events are covered by no head yet")
        if found.heads and not trusted:
            line("no key to compare with: name the house's published key by --key")
        line(f"signed by {', '.join(found.keys) or 'nobody'}")
        line(f"root {found.root}")
        for one in found.findings:
            line(f"{one.kind}: {one.message}")
        if found.holds:
            line("Everything holds.")


def _house() -> Witness:
    """The heads beside the events."""
    heads = open_heads(settings().store)
    try:
        return kept_by_house(heads)
    except Unknown:  # no such table: then there are no heads, which is a finding
        return Witness("store", [])
    finally:
        heads.close()


def _guards(store: EventStore) -> list[Finding]:
    """What refuses to edit the store, and is missing. Raises Unknown where there is no store."""
    amiss = store.amiss()
    if amiss is None:
        raise Unknown("there is no event store in this database: `./manage.py migrate` makes it")
    return [Finding("guard", 0, line) for line in amiss]


def _require_store(url: str) -> None:
    """An SQLite store that is not there yet is not made by looking for it."""
    path = Path(unquote(url.removeprefix("sqlite:///")))
    if url.startswith("sqlite:///") and not path.exists():
        raise Unknown(
            f"there is no event store at {path}: `./manage.py up` starts a house, `./manage.py demo` plays a day"
        )
