"""`./manage.py bench`: measure against the alternatives, side by side, on PostgreSQL and Apache Kafka."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

# The names of tools.bench.benchmark_runner.MEASUREMENTS, which only a checkout with the developers' packages has.
NAMES = (
    *("append", "new-ids", "end-to-end", "rebuild", "rehydrate", "http", "overload", "locks", "settlement", "lives"),
    *("pages", "screen"),
)
LONG = ("search",)  # measured only where it is named
QUICK_SECONDS, QUICK_TURNS, QUICK_EVENTS, QUICK_SESSIONS, QUICK_LOG = 1.0, 2, 20_000, 20_000, 100_000
SECONDS, TURNS, EVENTS, RATE, SESSIONS, LOG = 5.0, 3, 200_000, 5_000, 100_000, 10_000_000


class Command(BaseCommand):
    """It starts its servers itself and removes everything again; figures never make it fail, only errors do."""

    help = (
        "Measure appends, new ids, the way from action to read models, rebuilds, rehydration, HTTP, overload, "
        "locks, settlement, long lives, pages, the table screen and search. Each is compared with an alternative, "
        "in turns. PostgreSQL and Apache Kafka are started for it, unless PITLEDGER_STORE and PITLEDGER_KAFKA name "
        "running ones. Prints medians, ratios and goals."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        every = ", ".join((*NAMES, *LONG))
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {every} (default: all but {LONG[0]})")
        parser.add_argument("--only", default="", metavar="NAME,...", help="the same names, separated by commas")
        parser.add_argument("--quick", action="store_true", help="one second each; the figures mean little")
        parser.add_argument("--seconds", type=float, help=f"a turn of a side takes (default: {SECONDS:g})")
        parser.add_argument("--turns", type=int, help=f"of each side, whose median counts (default: {TURNS})")
        parser.add_argument("--events", type=int, help=f"in the store that is rebuilt (default: {EVENTS:,})")
        parser.add_argument(
            "--rate", type=int, help=f"events a second offered where latency is measured (default: {RATE:,})"
        )
        parser.add_argument("--sessions", type=int, help=f"days of a table in a long life (default: {SESSIONS:,})")
        parser.add_argument(
            "--log", type=int, help=f"events of the log that is searched, a tenth of it on SQLite (default: {LOG:,})"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE")
        parser.add_argument(
            "--markdown",
            type=Path,
            metavar="FILE",
            help=("also write the table into FILE, between its two marks or as a new file"),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from tools.bench import benchmark_report_formats
            from tools.bench.benchmark_runner import MEASUREMENTS, run
            from tools.bench.turns_medians_and_percentiles import Options
        except ModuleNotFoundError as missing:
            raise CommandError(f"{missing}: the bench needs a checkout and the packages of `make develop`") from missing
        names = [*options["names"], *(name.strip() for name in options["only"].split(",") if name.strip())] or NAMES
        if unknown := [name for name in names if name not in MEASUREMENTS]:
            raise CommandError(f"unknown: {', '.join(unknown)}; there are: {', '.join(MEASUREMENTS)}", returncode=2)
        quick = options["quick"]
        results = run(
            names,
            Options(
                seconds=_positive_option(options["seconds"], QUICK_SECONDS if quick else SECONDS),
                turns=_positive_option(options["turns"], QUICK_TURNS if quick else TURNS),
                events=_positive_option(options["events"], QUICK_EVENTS if quick else EVENTS),
                rate=_positive_option(options["rate"], RATE),
                sessions=_positive_option(options["sessions"], QUICK_SESSIONS if quick else SESSIONS),
                log=_positive_option(options["log"], QUICK_LOG if quick else LOG),
                tell=self._tell,
            ),
            quick=quick,
        )
        self.stdout.write(results.text())
        if options["json"]:
            options["json"].write_bytes(results.json())
        if options["markdown"]:
            try:
                benchmark_report_formats.write_into(options["markdown"], results)
            except (OSError, ValueError) as error:
                raise CommandError(str(error)) from error
        if results.failed:
            raise CommandError(f"not measured: {', '.join(results.failed)}")

    def _tell(self, text: str) -> None:
        self.stderr.write(text)


def _positive_option(value: Any, default: Any) -> Any:
    """The option, if it was given. Raises CommandError for nothing or less."""
    if value is None:
        return default
    if value <= 0:
        raise CommandError(
            "--seconds, --turns, --events, --rate, --sessions and --log must be above zero", returncode=2
        )
    return value
