"""Endless seeds: `python -m tests.simulation.soak [--first N] [--seconds N] [--seed N]`.

It runs on its own SQLite files, and prints its progress and each failure with its seed. Failed seeds are saved for the
test suite. The exit code is 1 after any failure.
"""

import argparse
import itertools
import os
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

SHOW_EVERY_S = 5.0


def main(arguments: list[str] | None = None) -> int:
    """Run until the time is over, or the one seed that was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.soak", description="Seeded fault simulation of the whole pipeline."
    )
    parser.add_argument("--first", type=int, default=1_000, help="the first seed (default: 1000)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, help="only this one")
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    return _soak(options.first, options.seconds, options.seed)


def _soak(first: int, seconds: float, only: int | None) -> int:
    from tests.simulation import seeded_runs

    seeds = itertools.count(first) if only is None else [only]
    until, shown = time.monotonic() + seconds, time.monotonic()
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, seeded_runs.databases(Path(folder)) as aliases:
        for seed in seeds:
            try:
                world = seeded_runs.run(seed, aliases)
                done["kills"] += world.scheduler.kills
                done["repeated commands"] += world.repeated
                done["brokers emptied"] += world.broker.emptied
                done["events"] += world.store.position()
            except Exception as error:
                done["failed"] += 1
                traceback.print_exc()
                print(f"seed {seed} failed: {type(error).__name__}: {error}", flush=True)
                seeded_runs.keep(seed, f"{type(error).__name__}: {error}")
            done["runs"] += 1
            if time.monotonic() - shown > SHOW_EVERY_S:
                shown = time.monotonic()
                print(_line(seed, done), flush=True)
            if time.monotonic() > until:
                break
        print(_line(seed, done))
    return 1 if done["failed"] else 0


def _line(seed: int, done: "Counter[str]") -> str:
    return f"seed {seed}: " + ", ".join(f"{count:,} {what}" for what, count in sorted(done.items()))


if __name__ == "__main__":
    raise SystemExit(main())
