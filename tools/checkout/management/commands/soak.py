"""`./manage.py soak`: play simulated days of linked tables, or evenings in a running house, and check each."""

import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError, CommandParser

SHOW_EVERY_S = 5.0


class Command(BaseCommand):
    """Needs the tests of the checkout; touches no house but those that it makes."""

    help = (
        "Play seeded days of linked tables with many failures: simultaneous hits, late tables, killed and doubled "
        "workers, voids, misdeals, changed parameters. Check every invariant after each. With --running play "
        "evenings into a running house with killed processes, restored copies, clock changes and hostile clients. "
        "The books must equal those of an undisturbed evening. A seed that fails is printed and kept for later "
        "test runs. Exit code 1: a seed failed."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seeds", type=int, default=1_000, metavar="N", help=("number of seeds (default: 1000)"))
        parser.add_argument("--first", type=int, default=10_000, metavar="SEED", help="first seed")
        parser.add_argument("--seed", type=int, help="only this seed, with every failure printed")
        parser.add_argument("--sqlite", action="store_true", help="use SQLite files instead of memory")
        parser.add_argument("--running", action="store_true", help="play evenings in a running house")
        parser.add_argument(
            "--servers", action="store_true", help=("use PostgreSQL, Redis and Kafka, and kill them too")
        )
        parser.add_argument("--hours", type=float, default=0.25, help=("length of an evening (default: %(default)s)"))
        parser.add_argument(
            "--seconds", type=float, default=600.0, help=("start no evening after this time (default: %(default)g)")
        )

    def handle(self, *args: Any, **options: Any) -> None:
        seeds = range(options["first"], options["first"] + options["seeds"])
        if options["seed"] is not None:
            seeds = range(options["seed"], options["seed"] + 1)
        try:
            failed = self._running(seeds, options) if options["running"] else self._simulated(seeds, options)
        except ModuleNotFoundError as error:
            raise CommandError(f"The simulation needs a checkout with its tests ({error}).", returncode=2) from error
        if failed:
            raise CommandError(f"failed: {', '.join(map(str, failed))}", returncode=1)

    def _running(self, seeds: range, options: dict[str, Any]) -> list[int]:
        import tests.support.clocks.night_clock  # noqa: F401 - its clock
        from tools.soak import seeded_evening
        from tools.soak.runs_by_seed import counts_in_words, run

        began = time.monotonic()

        def play(seed: int, *, servers: bool) -> Counter[str]:
            return seeded_evening.play(seed, options["hours"], servers=servers)

        fault_counts, failed = run(seeds, play, options["seconds"], servers=options["servers"])
        self.stdout.write(
            f"{counts_in_words(fault_counts)} in {time.monotonic() - began:.0f} s, {len(failed)} evenings failed"
        )
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
