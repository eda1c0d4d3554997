"""What each read model costs the projector, in one run over the same events.

`python -m tests.bench.models [--events N] [--rounds N]`: as `tests.bench.journal`, each read model alone, then all.
"""

import argparse
import contextlib
from functools import partial

from tests.bench.journal import project, spent  # which sets Django up

from tests.bench import play  # isort: skip
from events.collector import seldom_collected  # isort: skip
from events.desk import Desk  # isort: skip
from events.store import open_store  # isort: skip
from projections.registry import PROJECTORS  # isort: skip


def main(arguments: list[str] | None = None) -> int:
    """One after the other, as often as asked; the least of each."""
    parser = argparse.ArgumentParser(prog="models", description="The cost of each read model.")
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args(arguments)
    store = open_store("memory://", clock=lambda: play.TIME)
    store.create()
    with contextlib.closing(Desk(store, play.PROPERTY)) as desk:
        play.fill(desk, play.furnish(desk, play.names("J", 8)), asked.events)
    with seldom_collected():
        for names in (*((name,) for name in PROJECTORS), tuple(PROJECTORS)):
            cost = min(spent(partial(project, names=names), store) for _ in range(asked.rounds))
            print(f"{' + '.join(names)}: {cost:.1f} us an event")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
