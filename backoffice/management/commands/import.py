"""`./manage.py import`: import a house's records from before its events."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from django.core.management.base import CommandError, CommandParser
from eventsourcing.persistence import PersistenceError

from backoffice.management.house_command import HouseCommand
from events.errors import PitledgerError
from events.fields import CURRENCIES, HISTORY_MAX
from events.house import cameras_by_table_setting
from events.house.property_currency_lookup import of_property
from events.money import past_monthly_drop_win_file
from events.money.past_monthly_drop_win_file import Month
from events.money.single_currency_rule import DEFAULT
from events.rules.game_declaration_and_registry import at_tables
from events.runtime.clock import house_clock
from events.settings.settings_from_environment import settings
from events.store import open_store

Result = TypeVar("Result")


class Command(HouseCommand):
    """Reads a file, and writes nothing: two people set its values."""

    help = (
        "Check a CSV file and print the action that sets its content: setting.change. `history`: table or game, "
        "month, drop, win. `cameras`: table, camera. One person sends the action, and a second person approves it, "
        "as for every setting of the house. Exit code 2: the file cannot be read, with the line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "what", choices=("history", "cameras"), help="history: monthly drop and win; cameras: cameras by table"
        )
        parser.add_argument("file", type=Path, metavar="FILE", help="the CSV file")
        parser.add_argument(
            "--currency",
            choices=sorted(CURRENCIES),
            metavar="CODE",
            help="currency of the amounts (default: the property's)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "cameras":
            self._cameras(options["file"])
        else:
            self._months(options["file"], options["currency"] or _currency())

    def _cameras(self, file: Path) -> None:
        setting = _read(file, cameras_by_table_setting.read_csv)
        self._print("cameras", setting)
        cameras = cameras_by_table_setting.parse(setting)
        self.stderr.write(f"Tables: {len(cameras)}, cameras: {sum(map(len, cameras.values()))}. {_NEXT}")

    def _months(self, file: Path, currency: str) -> None:
        records = _read(file, lambda text: past_monthly_drop_win_file.read(text, currency))
        _must_tell(file, records)
        text = past_monthly_drop_win_file.months_text(records, currency)
        if len(text) > HISTORY_MAX:
            message = f"{len(text)} characters of months, and {HISTORY_MAX} can be set: leave out the oldest"
            raise CommandError(message, returncode=2)
        self._print("hold_history", text)
        names = {record.table or record.game for record in records}
        self.stderr.write(
            f"Months: {len(records)}, of {', '.join(sorted(names))}, amounts in {currency}. {_NEXT} "
            "It replaces the months that were set before."
        )

    def _print(self, setting: str, value: str) -> None:
        action = {"type": "setting.change", "key": f"{setting}:{uuid4().hex}"}
        self.stdout.write(json.dumps({**action, "data": {"setting": setting, "value": value}}))


_NEXT = "Post the line above to /api/v1/house/actions; then somebody of another department agrees."


def _read(file: Path, read: Callable[[str], Result]) -> Result:
    """Return the content of a file. Raises CommandError for one that cannot be read."""
    try:
        return read(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: not UTF-8 text. Save it as CSV (UTF-8).", returncode=2) from error
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}", returncode=2) from error
    except PitledgerError as error:
        raise CommandError(f"{file}: {error}", returncode=2) from error


def _currency() -> str:
    """The property's; where there is no store yet, the one that it begins with."""
    path = settings().store.removeprefix("sqlite:///")
    if settings().store.startswith("sqlite:///") and not Path(path).exists():
        return DEFAULT
    try:
        with closing(open_store(settings().store)) as store:
            return of_property(store, settings().property_)
    except (PitledgerError, PersistenceError):
        return DEFAULT


def _must_tell(file: Path, records: Sequence[Month]) -> None:
    """A month that no limit would use is a mistake of the file. Raises CommandError."""
    games, now = at_tables(), house_clock()()[:7]
    for record in records:
        if record.game and record.game not in games:
            message = f"{file}: there is no game {record.game}: it is one of {', '.join(games)}"
            raise CommandError(message, returncode=2)
        if record.month > now:
            raise CommandError(f"{file}: {record.month} is in the future; the current month is {now}", returncode=2)
