"""`./manage.py books`: show every figure of the read models."""

from contextlib import closing
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.days.books_as_terminal_tables import render
from backoffice.freshness.history_mismatch import obstacles, warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand
from events.settings.settings_from_environment import settings
from events.store import open_store
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.tables.models import TableDay


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show the figures of the read models: both wins of each table and the causes of their difference, "
        "progressives, shares and envy bonuses. Exit code 1: nothing was played on the gaming day, or --check "
        "finds a broken invariant. Exit code 2: the gaming day is not a date."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--day", type=gaming_day, metavar="GAMING-DAY", help="only this gaming day, as 2026-11-20")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--json", action="store_true", help="print JSON, amounts in minor units")
        what.add_argument(
            "--digest",
            action="store_true",
            help="print a hash of all figures, without clocks, positions and hashes; equal days have equal hashes",
        )
        what.add_argument("--check", action="store_true", help="check every invariant; exit code 1 if one is broken")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            self._check()
            return
        warn(self.stderr.write)
        figures = books(options["day"])
        if options["day"] and not figures["tables"]:
            raise CommandError(f"Nothing was played on {options['day']}; {_days()}")
        if options["digest"]:
            self.stdout.write(digest(figures))
            return
        day = f" --day {options['day']}" if options["day"] else ""
        from_terminal(PERSON, f"books{day}", self.stderr.write)  # shares and envy bonuses name players
        if options["json"]:
            self.write_json(figures)
        else:
            self.stdout.write("\n".join(render(figures)) or "The books are empty.")

    def _check(self) -> None:
        with closing(open_store(settings().store)) as store:
            if blocked := obstacles(store, self.stderr.write):
                raise CommandError("; ".join(blocked))
        broken = findings()
        for finding in broken:
            self.stdout.write(str(finding))
        if broken:
            raise CommandError(f"{len(broken)} invariants are broken. Run `verify`.")
        self.stdout.write("Every invariant holds.")


def _days() -> str:
    days = TableDay.objects.order_by("gaming_day").values_list("gaming_day", flat=True).distinct()
    return f"the books hold: {', '.join(days)}" if days else "the books are empty"
