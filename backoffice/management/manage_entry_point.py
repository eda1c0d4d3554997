"""`./manage.py` itself: its list of commands, the help of a command, and its errors without a traceback.

Django's own commands work for those who know them. They are not listed with the project's, since some of them empty
tables.
"""

import ast
import gc
import os
import secrets
from argparse import SUPPRESS
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory

from django.apps import apps
from django.core.management import ManagementUtility, get_commands
from django.core.management.base import BaseCommand, CommandParser

from backoffice.installation.own_command_listing_and_parsers import OF_DJANGO, OURS
from backoffice.running.version import version
from events.errors import Invalid

# They use a house and never create one, so a missing folder is a mistyped one.
LOOKING = frozenset(
    {
        *(
            "refusal-log",
            "alerts",
            "backup",
            "books",
            "case",
            "case-key",
            "cases",
            "inspection-draws",
            "cash",
            "events",
            "explain",
            "heads",
            "hold",
            "import",
            "journal",
        ),
        *(
            "chance-test",
            "liability",
            "access-log",
            "project",
            "rebuild",
            "relay",
            "report",
            "search",
            "notify",
            "verify",
            "verify-case",
            "verify-draw",
            "whatif",
        ),
    }
)
WITHOUT_A_HOUSE = frozenset(
    {"completion", "docs", "par", "settle", "verify-case", "verify-draw"}
)  # they need none, and leave nothing in its folder
# Former names, which schedules of houses may still use.
FORMER = {
    "access": "refusal-log",
    "draw": "inspection-draws",
    "judge": "chance-test",
    "looks": "access-log",
    "tell": "notify",
}
DATA, SECRET = "PITLEDGER_DATA", "PITLEDGER_SECRET_KEY"


class CommandLine(ManagementUtility):
    """Our commands, a line each."""

    def main_help_text(self, commands_only: bool = False) -> str:
        """Return the summary of commands; with `help --commands` every name, Django's as well."""
        if commands_only:
            return str(super().main_help_text(commands_only=True))
        lines = summaries()
        width = max(map(len, lines))
        return "\n".join([
            f"Pitledger {version()}: {self.prog_name} COMMAND, where COMMAND is one of",
            "",
            *(f"  {name:<{width}}  {line}" for name, line in lines.items()),
            "",
            f"{self.prog_name} help COMMAND shows its arguments; docs/reference/commands.md lists all of them.",
        ])  # fmt: skip

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return a command. The project's own have its version, and a help of their own."""
        command: BaseCommand = super().fetch_command(subcommand)
        gc.freeze()  # loaded objects stay: garbage collection skips them
        gc.enable()
        if get_commands().get(subcommand) in OURS:
            command.get_version = version  # type: ignore[method-assign]  # this one's, not that of the class
            command.create_parser = _about_itself(command.create_parser)  # type: ignore[method-assign]
        return command

    def execute(self) -> None:
        """Run the requested command. Raises Invalid for a house that does not exist."""
        if self.argv[1:] in (["--version"], ["version"]):
            print(f"Pitledger {version()}")
            return
        place = 2 if self.argv[1:2] == ["help"] else 1
        self.argv[place : place + 1] = [FORMER.get(word, word) for word in self.argv[place : place + 1]]
        must_be_there(self.argv[1:])
        if self.argv[1:2] and (self.argv[1] in WITHOUT_A_HOUSE or is_dry(self.argv[1:])):
            os.environ.setdefault(SECRET, secrets.token_hex(32))  # for as long as it runs
        with _temporary_data_folder() if is_dry(self.argv[1:]) else nullcontext():
            super().execute()


@contextmanager
def _temporary_data_folder() -> Iterator[None]:
    """Use a temporary data folder in the place of one that does not exist yet."""
    folder = os.environ.get(DATA, "").strip()
    if not folder or Path(folder).exists():
        yield
        return
    with TemporaryDirectory(prefix="pitledger-") as substitute:
        os.environ[DATA] = substitute
        try:
            yield
        finally:
            os.environ[DATA] = folder


def is_dry(words: Sequence[str]) -> bool:
    """Return whether the command writes nothing: `move-in` with --dry-run or --template."""
    return list(words[:1]) == ["move-in"] and bool({"--dry-run", "--template"} & {*words})


def must_be_there(words: Sequence[str]) -> None:
    """Raise Invalid for a missing data folder, before any setting is read, which would create it."""
    folder = os.environ.get(DATA, "").strip()
    looks = (words[:1] and words[0] in LOOKING) or list(words[:2]) == ["people", "list"]
    asks_how = {"-h", "--help", "--version"} & {*words}
    if folder and looks and not asks_how and not Path(folder).exists():
        raise Invalid(DATA, f"there is no folder {folder}: is it mistyped? `./manage.py up` begins a house there")


def summaries() -> dict[str, str]:
    """Return the project's commands, each with its purpose in a line: that of its module, which is not imported for
    it.
    """
    own_commands = sorted(name for name, app in get_commands().items() if app in OURS)
    return {name: _summary(name) for name in own_commands}


def _summary(name: str) -> str:
    app = apps.get_app_config(str(get_commands()[name]).rpartition(".")[2])
    module = Path(app.path) / "management" / "commands" / f"{name}.py"
    summary = (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
    line = " ".join(summary.split()).partition("`: ")
    return (line[2] or line[0]).rstrip(".")


def _about_itself(create: Callable[..., CommandParser]) -> Callable[..., CommandParser]:
    @wraps(create)
    def inner(*args: object, **options: object) -> CommandParser:
        parser = create(*args, **options)
        for action in parser._actions:
            if action.dest in OF_DJANGO:
                action.help = SUPPRESS
        return parser

    return inner
