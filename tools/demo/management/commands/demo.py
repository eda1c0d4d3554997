"""`./manage.py demo`: play a gaming day of a small casino through the whole system, and show its books."""

import argparse
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from backoffice.running import database_and_mail_settings
from backoffice.running.supervisor import Supervisor
from events.errors import PitledgerError, Retry
from events.settings.setting_declarations import CLOCK
from events.settings.settings_from_environment import settings
from events.signing import secrets_created_at_first_use
from tools.demo import logins
from tools.demo.history import state_between_gaming_days
from tools.demo.history.state_between_gaming_days import DAYS_MAX, HOURS_MAX, HistoryPlan
from tools.demo.printed_output import Out

HOURS = 2.0  # of the one evening, with a hit of each level
WHOLE_HOURS = 10.0  # from the opening to the close
WATCH_S = 40.0  # the evening that is watched lasts so long at least


class Command(BaseCommand):
    help = (
        "Play an evening on eight tables: French and American roulette, two of blackjack with Trilux and Blazing "
        "7s, baccarat, Greek and Belarusian craps. The play passes through the action interface, event store, "
        "Kafka, read models and worker, at a speed that people can follow. Then print the books and check every "
        "invariant. Starts again in var/demo each time. With --days play a history: gaming days from 2026-01-01 "
        "on, played, counted and closed without HTTP and Kafka. Ctrl-C stops it, and the same command continues "
        "after the last closed day."
    )

    requires_system_checks = ()  # they would import every page

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=7, help="the same seed gives the same books (default: 7)")
        parser.add_argument(
            "--hours",
            type=float,
            help="length of the evening, played at full speed (default: 2 hours at a speed to watch)",
        )
        parser.add_argument("--whole", action="store_true", help="play ten hours at full speed")
        parser.add_argument("--serve", action="store_true", help="after the books, serve the day until Ctrl-C")
        parser.add_argument("--days", type=int, help="play a history of this many days; continue a stopped one")
        parser.add_argument("--data", type=Path, help="data folder, emptied first (default: var/demo)")
        parser.add_argument(
            "--code", action="store_true", help=("play nothing; print the logins and a sign-in code for each")
        )
        parser.add_argument("--logs", action="store_true", help="show the logs of the processes")

    def handle(self, *args: Any, **options: Any) -> None:
        plan = _plan(options)  # before anything is emptied
        started = time.monotonic()
        try:
            if options["code"]:
                return self._say_how_to_sign_in(options["data"] or database_and_mail_settings.ROOT / "var" / "demo")
            if "PITLEDGER_DEMO" not in os.environ:
                self._in_own_environment(options["data"] or database_and_mail_settings.ROOT / "var" / "demo", plan)
            code = self._play(plan, options)
        except PitledgerError as error:
            raise CommandError(f"{error}{self._where_to_look(error, options)}") from error
        self.stdout.write(f"\nThe demo took {time.monotonic() - started:.0f} s.")
        if options["serve"] and code == 0:
            self.stdout.flush()
            serve = [sys.executable, str(database_and_mail_settings.ROOT / "manage.py"), "up"]
            os.execv(sys.executable, serve)  # noqa: S606 - ourselves, no shell
        sys.exit(code)

    def _play(self, plan: HistoryPlan | None, options: dict[str, Any]) -> int:
        if plan is not None:
            from tools.demo.history.history_run import run as live

            return live(plan, options["days"], Out(sys.stdout))
        from tools.demo.demo_run import run

        fast = WHOLE_HOURS if options["whole"] else options["hours"]
        watch_s = 0.0 if fast else WATCH_S
        return run(options["seed"], fast or HOURS, sys.stdout, show_logs=options["logs"], watch_s=watch_s)

    def _say_how_to_sign_in(self, data: Path) -> None:
        login = logins.saved_logins(data)
        if login is None:
            raise CommandError(f"{data} has no demo. Run `./manage.py demo` first.")
        from tools.demo import tablet_pairing_link_and_badges

        for line in (
            *logins.lines(login, settings().web_port),
            *tablet_pairing_link_and_badges.lines(data, settings().web_port),
        ):
            self.stdout.write(line)
        self.stdout.write(f"Code, valid for 30 seconds: {logins.code(login)}")

    def _where_to_look(self, error: PitledgerError, options: dict[str, Any]) -> str:
        log = settings().data_folder / "processes.log"
        hidden = isinstance(error, Retry) and not options["logs"] and log.exists()
        return f"\nWhat the processes said is in {log}" if hidden else ""

    def _in_own_environment(self, data: Path, plan: HistoryPlan | None) -> None:
        """Start again as a process with settings of the demo's folder, which is emptied unless its history
        continues.
        """
        if plan is None or not state_between_gaming_days.goes_on(data, plan):
            _empty(data.resolve())
        else:
            Supervisor([], data.resolve()).take_over()
        before = _before_a_command(data)
        values = {
            "PITLEDGER_DATA": str(data.resolve()),
            "PITLEDGER_CLOCK": str(data.resolve() / CLOCK),
            "PITLEDGER_DEMO": before,
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, str(database_and_mail_settings.ROOT / "manage.py"), *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | values)  # noqa: S606 - ourselves, no shell


def _plan(options: dict[str, Any]) -> HistoryPlan | None:
    """Return the requested history; None: one gaming day."""
    days, longest = options["days"], HOURS_MAX if options["days"] else 24.0
    if options["whole"] and (options["hours"] is not None or days is not None):
        raise CommandError("--whole cannot be combined with --hours or --days", returncode=2)
    if options["hours"] is not None and not 0.2 <= options["hours"] <= longest:
        raise CommandError(f"--hours must be between 0.2 and {longest:g}", returncode=2)
    if days is not None and not 1 <= days <= DAYS_MAX:
        raise CommandError(f"--days must be between 1 and {DAYS_MAX}", returncode=2)
    return None if days is None else HistoryPlan(options["seed"], options["hours"] or state_between_gaming_days.HOURS)


def _before_a_command(data: Path) -> str:
    """Return the prefix of commands that show this day; "" if the data folder is found without it."""
    var, folder = database_and_mail_settings.ROOT / "var", settings().data_folder
    if folder in (var / "house", var / "demo"):  # the settings have set it to the default: which one will it be now?
        folder = var / ("house" if (var / "house" / "events.sqlite3").exists() else "demo")
    return "" if folder == data.resolve() else f"PITLEDGER_DATA={shlex.quote(os.path.relpath(data))} "


def _empty(data: Path) -> None:
    """Remove the files of an earlier demo; other files of the folder belong to a person and stay."""
    if not data.exists():
        data.mkdir(parents=True)
    elif {path.name for path in data.iterdir()} - {
        "secret-key",
        secrets_created_at_first_use.LOGIN_KEY,
        secrets_created_at_first_use.CASE_KEY,
    }:  # our own settings have just made the keys
        if not (data / logins.MARK).exists():
            raise CommandError(f"{data} is not empty and has no demo. Name another folder with --data.")
        Supervisor([], data).take_over()
        shutil.rmtree(data)
        data.mkdir()
    (data / logins.MARK).write_text("Made by ./manage.py demo, which empties this folder.\n")
