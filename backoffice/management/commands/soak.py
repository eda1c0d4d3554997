"""`./manage.py soak`: simulated days of linked tables, as many as one wants, checked after each."""

import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError, CommandParser

SHOW_EVERY_S = 5.0


class Command(BaseCommand):
    """Needs the tests of the checkout; touches no house."""

    help = (
        "Play seeded days of linked tables in which everything goes wrong that can (simultaneous hits, late tables, "
        "killed and doubled workers, voids, misdeals, changed parameters) and check every invariant after each. A seed "
        "that fails is printed and kept: every later run of the tests plays it. Exit code 1 where one failed."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seeds", type=int, default=1_000, metavar="N", help="how many (default: 1000)")
        parser.add_argument("--first", type=int, default=10_000, metavar="SEED", help="from this one on")
        parser.add_argument("--seed", type=int, help="only this one, with everything that goes wrong in it")
        parser.add_argument("--sqlite", action="store_true", help="on SQLite files instead of in memory")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from tests.simulation.progressives import soak
        except ModuleNotFoundError as error:
            raise CommandError(f"the simulation comes with the tests of a checkout ({error})", returncode=2) from error
        seeds = range(options["first"], options["first"] + options["seeds"])
        if options["seed"] is not None:
            seeds = range(options["seed"], options["seed"] + 1)
        else:
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
        took = time.monotonic() - started
        self.stdout.write(f"{len(seeds):,} days in {took:.0f} s, {len(failed)} failed")
        if failed:
            raise CommandError(f"failed: {', '.join(map(str, failed))}", returncode=1)
