"""`./manage.py demo`: a gaming day of a small casino through the whole system, and the books that come out of it."""

import argparse
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from backoffice import environment
from events.errors import PitledgerError, Retry
from events.settings import CLOCK, settings


class Command(BaseCommand):
    help = (
        "Plays a gaming day on eight tables (French and American roulette, two of blackjack with Trilux and a linked "
        "Blazing 7s, baccarat with and without commission, Greek and Belarusian craps) through the action interface, "
        "event store, Kafka, projections and the Celery worker; then prints the books and checks every invariant. "
        "Starts afresh in var/demo each time."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=7, help="the same seed gives the same books (default: 7)")
        parser.add_argument("--hours", type=float, default=10.0, help="length of the evening (default: 10)")
        parser.add_argument("--data", type=Path, help="data folder, emptied first (default: var/demo)")
        parser.add_argument("--logs", action="store_true", help="show the processes' own logs")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0.2 <= options["hours"] <= 24:  # before anything is emptied
            raise CommandError("--hours: between 0.2 and 24", returncode=2)
        started = time.monotonic()
        try:
            if "PITLEDGER_DEMO" not in os.environ:
                self._in_own_environment(options["data"] or environment.ROOT / "var" / "demo")
            from backoffice.demo.run import run

            code = run(options["seed"], options["hours"], sys.stdout, show_logs=options["logs"])
        except PitledgerError as error:
            raise CommandError(f"{error}{self._where_to_look(error, options)}") from error
        self.stdout.write(f"\nThe demo took {time.monotonic() - started:.0f} s.")
        sys.exit(code)

    def _where_to_look(self, error: PitledgerError, options: dict[str, Any]) -> str:
        log = settings().data_folder / "processes.log"
        hidden = isinstance(error, Retry) and not options["logs"] and log.exists()
        return f"\nWhat the processes said is in {log}" if hidden else ""

    def _in_own_environment(self, data: Path) -> None:
        """Start again as a process whose settings point into the demo's folder, emptied."""
        _empty(data.resolve())
        before = _before_a_command(data)
        values = {
            "PITLEDGER_DATA": str(data.resolve()),
            "PITLEDGER_CLOCK": str(data.resolve() / CLOCK),
            "PITLEDGER_DEMO": before,
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, str(environment.ROOT / "manage.py"), *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | values)  # noqa: S606 - ourselves, no shell


def _before_a_command(data: Path) -> str:
    """What must stand before a command that is to show this day: nothing where the data folder is found without it."""
    var, given = environment.ROOT / "var", settings().data_folder
    if given in (var / "house", var / "demo"):  # the settings have set it to the default: which one will it be now?
        given = var / ("house" if (var / "house" / "events.sqlite3").exists() else "demo")
    return "" if given == data.resolve() else f"PITLEDGER_DATA={shlex.quote(os.path.relpath(data))} "


def _empty(data: Path) -> None:
    """Remove what an earlier demo left; anything else in the folder is somebody's and stays."""
    if not data.exists():
        data.mkdir(parents=True)
    elif any(found.name != "secret-key" for found in data.iterdir()):  # which our own settings have just made there
        if not (data / "this-is-a-demo").exists():
            raise CommandError(f"{data} is not empty and not a demo's: name another folder with --data")
        from backoffice.running.supervisor import Supervisor

        Supervisor([], data).take_over()
        shutil.rmtree(data)
        data.mkdir()
    (data / "this-is-a-demo").write_text("Made by ./manage.py demo, which empties this folder.\n")
