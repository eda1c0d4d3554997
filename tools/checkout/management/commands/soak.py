"""`./manage.py soak`: simulated days of linked tables, or evenings in a running house, checked after each."""

import sys
import tempfile
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError, CommandParser

SHOW_EVERY_S = 5.0


class Command(BaseCommand):
    """Needs the tests of the checkout; touches no house but those that it makes."""

    help = (
        "Play seeded days of linked tables in which everything goes wrong that can (simultaneous hits, late tables, "
        "killed and doubled workers, voids, misdeals, changed parameters) and check every invariant after each. With "
        "--running play evenings of the demo's floor into a house that runs, among killed processes, copies put back, "
        "clock steps and hostile clients: afterwards the books are those of the evening undisturbed, and verify, "
        "rebuild and the topic agree. A seed that fails is printed and kept: every later run of the tests plays it. "
        "Exit code 1 where one failed."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seeds", type=int, default=1_000, metavar="N", help="how many (default: 1000)")
        parser.add_argument("--first", type=int, default=10_000, metavar="SEED", help="from this one on")
        parser.add_argument("--seed", type=int, help="only this one, with everything that goes wrong in it")
        parser.add_argument("--sqlite", action="store_true", help="on SQLite files instead of in memory")
        parser.add_argument("--running", action="store_true", help="evenings in a running house")
        parser.add_argument("--servers", action="store_true", help="on PostgreSQL, Redis and Kafka, killed as well")
        parser.add_argument("--hours", type=float, default=0.25, help="of such an evening (default: %(default)s)")
        parser.add_argument("--seconds", type=float, default=600.0, help="no evening begins after them (%(default)g)")

    def handle(self, *args: Any, **options: Any) -> None:
        seeds = range(options["first"], options["first"] + options["seeds"])
        if options["seed"] is not None:
            seeds = range(options["seed"], options["seed"] + 1)
        try:
            failed = self._running(seeds, options) if options["running"] else self._simulated(seeds, options)
        except ModuleNotFoundError as error:
            raise CommandError(f"the simulation comes with the tests of a checkout ({error})", returncode=2) from error
        if failed:
            raise CommandError(f"failed: {', '.join(map(str, failed))}", returncode=1)

    def _running(self, seeds: range, options: dict[str, Any]) -> list[int]:
        import tests.support.clock  # noqa: F401 - its clock
        from tools.soak import day
        from tools.soak.seeds import run, told

        began = time.monotonic()
        done, failed = run(
            seeds, partial(day.play, hours=options["hours"]), options["seconds"], servers=options["servers"]
        )
        self.stdout.write(f"{told(done)} in {time.monotonic() - began:.0f} s, {len(failed)} evenings failed")
        return failed

    def _simulated(self, seeds: range, options: dict[str, Any]) -> list[int]:
        from tests.simulation.progressives import soak

        if options["seed"] is None:
            structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))  # facts amiss are the point
        failed, shown, started = [], time.monotonic(), time.monotonic()
        for number, seed in enumerate(seeds, 1):
            with tempfile.TemporaryDirectory(prefix="pitledger-soak-") as folder:
                try:
                    soak.play(seed, Path(folder) if options["sqlite"] else None)
                except Exception:
                    traceback.print_exc(file=sys.stderr)
                    failed.append(seed)
            if time.monotonic() - shown > SHOW_EVERY_S:
                shown = time.monotonic()
                self.stderr.write(f"{number:,} of {len(seeds):,} days, {len(failed)} failed")
        self.stdout.write(f"{len(seeds):,} days in {time.monotonic() - started:.0f} s, {len(failed)} failed")
        return failed
