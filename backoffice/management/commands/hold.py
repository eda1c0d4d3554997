"""`./manage.py hold`: show drop, win, hold and theoretical win, by table, game, pit, dealer, bet or player."""

from contextlib import closing
from typing import Any, get_args

from django.core.management.base import CommandParser

from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.days.hold.figures_as_terminal_text import hold_text
from backoffice.days.hold.figures_from_event_store import exact_ratio, hold_json, hold_output
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from events.hold.drop_win_hold_handle_sums import By
from events.settings.settings_from_environment import settings
from events.store import open_store


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show drop, table win, hold, handle, recorded win and win / handle of a gaming day: by shift, day, month "
        "and business year to date. For tables and games show the limits of Kansas, Ohio and Maryland. "
        "Show recorded win against theoretical win, with the probability of the difference. Exit "
        "code 2: something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--by", choices=get_args(By), default="table", help="one line for each (default: table)")
        parser.add_argument(
            "--from",
            dest="first",
            type=gaming_day,
            metavar="DAY",
            help="compare with theoretical win since this gaming day",
        )
        parser.add_argument(
            "--to", dest="last", type=gaming_day, metavar="DAY", help="up to this gaming day (default: the last)"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, amounts in minor units, exact ratios")

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        with closing(open_store(settings().store)) as store, exit_code(2):
            result = hold_output(store, settings().property_, options["by"], options["first"], options["last"])
        if options["by"] in ("player", "dealer"):
            from_terminal(PERSON, f"hold --by {options['by']}", self.stderr.write, count=len(result.luck))
        if options["json"]:
            self.write_json(hold_json(result), enc_hook=exact_ratio)
        else:
            self.stdout.write("\n".join(hold_text(result)) or "nothing was played")
