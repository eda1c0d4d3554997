"""What posting the journal costs beside the projector's work, in one run over the same events.

`python -m tests.bench.journal [--events N] [--rounds N]`: roulette at eight tables, into fresh read models on SQLite;
processor time, the least of the rounds each.
"""

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from events.collector import seldom_collected  # noqa: E402 - needs Django
from events.desk import Desk  # noqa: E402 - needs Django
from events.store import EventStore, everything, open_store  # noqa: E402
from projections.engine.apply import Applier  # noqa: E402
from projections.engine.target import Target  # noqa: E402
from projections.journal.posting import Posting  # noqa: E402
from projections.registry import projectors  # noqa: E402
from tests.bench import play  # noqa: E402
from tests.scratch import new_file, read_models  # noqa: E402

BATCH = 1_000


def project(store: EventStore, alias: str, names: Iterable[str] = ()) -> None:
    """These read models, or all, in batches as the projector has them when it is behind."""
    applier = Applier(projectors(names, Target(alias)), play.PROPERTY)
    applier.load()
    records = list(everything(store))
    for first in range(0, len(records), BATCH):
        applier.apply(records[first : first + BATCH])


def post(store: EventStore, alias: str) -> None:
    """The journal."""
    Posting(store, play.PROPERTY, alias).catch_up()


def spent(work: Callable[[EventStore, str], None], store: EventStore) -> float:
    """Processor time of a round, in microseconds an event."""
    with tempfile.TemporaryDirectory() as folder, read_models(new_file(Path(folder))) as alias:
        start = time.process_time()
        work(store, alias)
        return (time.process_time() - start) / store.position() * 1e6


def main(arguments: list[str] | None = None) -> int:
    """Both, one after the other, as often as asked."""
    parser = argparse.ArgumentParser(prog="journal", description="The journal's cost beside the projector's.")
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args(arguments)
    store = open_store("memory://", clock=lambda: play.TIME)
    store.create()
    with contextlib.closing(Desk(store, play.PROPERTY)) as desk:
        play.fill(desk, play.furnish(desk, play.names("J", 8)), asked.events)
    with seldom_collected():  # as the projector has it
        found = [(spent(project, store), spent(post, store)) for _ in range(asked.rounds)]
    projector, journal = (min(one[at] for one in found) for at in (0, 1))
    print(f"{store.position():,} events: projector {projector:.1f} us, journal {journal:.1f} us an event")
    print(f"the journal costs {journal / projector:.1%} of the projector")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
