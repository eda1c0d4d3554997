"""Cost of posting the journal besides the projector's work, in one run over the same events.

`python -m tools.bench.journal_posting_cost [--on sqlite|postgres] [--events N] [--rounds N]`. Each round has roulette
at eight tables, a store and fresh read models. The figure is the processor time of this process and of PostgreSQL
together, the least of the rounds each. The projector has its events from the reader's end of the topic, checked against
the store, without the cost of Kafka itself. The journal is posted with it, from its events, and a second time from the
store alone.
"""

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import django
import msgspec

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from events.desk.desk import Desk  # noqa: E402 - needs Django
from events.relay.gapless_event_topic_reader import TopicTail  # noqa: E402 - needs Django
from events.relay.topic_records import TopicRecord  # noqa: E402 - needs Django
from events.runtime.garbage_collection import seldom_collected  # noqa: E402 - needs Django
from events.store import EventStore, everything, open_store  # noqa: E402 - needs Django
from projections.engine.batch_applier import Applier  # noqa: E402 - needs Django
from projections.engine.bulk_writer import WriteTarget  # noqa: E402 - needs Django
from projections.engine.decoded_events import JustRead  # noqa: E402 - needs Django
from projections.journal.idle_posting import Recent  # noqa: E402 - needs Django
from projections.journal.journal_rows_from_events import BATCH, JournalPosting  # noqa: E402 - needs Django
from projections.registry import projectors  # noqa: E402 - needs Django
from tests.servers import PostgreSQL  # noqa: E402 - comes after Django, as all
from tests.servers.postgres import USER  # noqa: E402 - comes after Django, as all
from tests.support.processes.scratch_databases import new_file, read_models  # noqa: E402 - comes after Django, as all
from tools.bench import generated_roulette_actions  # noqa: E402 - comes after Django, as all

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Topic:
    """The records of a store, as a consumer has them from Kafka."""

    end: int | None = None

    def __init__(self, store: EventStore) -> None:
        self.offset, self._records = 0, list[TopicRecord]()
        for event in everything(store):
            before = self._records[-1].position if self._records else 0
            self._records.append(
                TopicRecord(event.position, before, event.stream, event.type, event.raw, len(self._records), "")
            )

    def seek(self, offset: int) -> None:
        self.offset = offset

    def poll(self, _wait_ms: int) -> list[TopicRecord]:
        records = self._records[self.offset : self.offset + BATCH]
        self.offset += len(records)
        return records

    def close(self) -> None:
        """Do nothing: no connection is open."""


class PostingCost(msgspec.Struct):
    """Cost in microseconds of processor time an event."""

    projector: float
    by_reads: float
    alone: float


def project(store: EventStore, alias: str, names: Iterable[str] = ()) -> list[JustRead]:
    """Project to these read models, or all, in batches like a projector that is behind; return its events."""
    applier = Applier(projectors(names, WriteTarget(alias)), generated_roulette_actions.PROPERTY, store=store)
    applier.target.commit_without_waiting()
    applier.load()
    reads, topic = [], Topic(store)
    with TopicTail("", generated_roulette_actions.PROPERTY, store, lambda *_: topic) as tail:  # type: ignore[arg-type] # read like a log
        for batch in tail.read(0):
            if (batch_read := applier.apply(batch).read) is not None:
                reads.append(batch_read)
            if applier.position == store.position():
                break
    return reads


def post_beside(store: EventStore, alias: str, reads: Sequence[JustRead]) -> None:
    """The journal, from what the projector has read."""
    posting, recent = JournalPosting(store, generated_roulette_actions.PROPERTY, alias), Recent()
    for batch_read in reads:
        recent.add(batch_read)
        while pending := recent.beyond(posting.position, BATCH):
            posting.take(pending)


class Ground:
    """A filled event store, and databases of the same kind for read models."""

    def __init__(self, store: EventStore, new_database: Callable[[], str], server: PostgreSQL | None) -> None:
        self.store, self._new_database, self._server = store, new_database, server

    @contextlib.contextmanager
    def read_models(self) -> Iterator[str]:
        """Fresh ones; their alias."""
        with read_models(self._new_database()) as alias:
            yield alias

    def spent(self, work: Callable[[], object]) -> float:
        """Processor time, in microseconds an event."""
        start = self._now()
        work()
        return (self._now() - start) / self.store.position() * 1e6

    def _now(self) -> float:
        return time.process_time() + (of_sessions(self._server) if self._server is not None else 0.0)


def of_sessions(server: PostgreSQL) -> float:
    """Processor time of PostgreSQL's sessions, of those that have ended, too."""
    postmaster = Path(f"/proc/{server.pid}")
    ended = (postmaster / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[13:15]
    running = (postmaster / "task" / str(server.pid) / "children").read_text(encoding="utf-8").split()
    return sum(map(int, ended)) * TICK_S + sum(of_session(Path(f"/proc/{process}")) for process in running)


def of_session(process: Path) -> float:
    """Of one; none of what PostgreSQL does beside them."""
    if not (process / "cmdline").read_text(encoding="utf-8").startswith(f"postgres: {USER} "):
        return 0.0
    return int((process / "schedstat").read_text(encoding="utf-8").split()[0]) / 1e9


@contextlib.contextmanager
def ground(on: str, events: int) -> Iterator[Ground]:
    """A store on SQLite or PostgreSQL, with so many events in it."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(PostgreSQL(durable=True)) if on == "postgres" else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        new_database: Callable[[], str] = (lambda: new_file(folder)) if server is None else server.new_database
        store = open_store(new_database(), clock=lambda: generated_roulette_actions.TIME)
        stack.callback(store.close)
        store.create()
        with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
            generated_roulette_actions.fill(
                desk, generated_roulette_actions.furnish(desk, generated_roulette_actions.names("J", 8)), events
            )
        stack.enter_context(seldom_collected())  # as the projector has it
        yield Ground(store, new_database, server)


def one_round(there: Ground) -> PostingCost:
    """Run the projector, the journal from its events, and the journal from the store."""
    reads: list[JustRead] = []
    with there.read_models() as alias:
        projector = there.spent(lambda: reads.extend(project(there.store, alias)))
        by_reads = there.spent(lambda: post_beside(there.store, alias, reads))
    with there.read_models() as alias:
        WriteTarget(alias).commit_without_waiting()
        alone = there.spent(lambda: JournalPosting(there.store, generated_roulette_actions.PROPERTY, alias).catch_up())
    return PostingCost(projector, by_reads, alone)


def main(arguments: list[str] | None = None) -> int:
    """All, one after the other, as often as asked."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.journal_posting_cost", description="The journal's cost beside the projector's."
    )
    parser.add_argument("--on", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with ground(options.on, options.events) as there:
        rounds = [one_round(there) for _ in range(options.rounds)]
        print(f"{there.store.position():,} events on {options.on}, us an event:")
    projector, by_reads, alone = (
        min(getattr(round_, name) for round_ in rounds) for name in PostingCost.__struct_fields__
    )
    print(f"projector {projector:.1f}, journal beside it {by_reads:.1f}, from the store alone {alone:.1f}")
    print(
        f"the journal costs {by_reads / projector:.1%} of the projector, from the store alone {alone / projector:.1%}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
