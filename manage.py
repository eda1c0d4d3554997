#!/usr/bin/env python3
"""The way in: `./manage.py help` lists the commands."""

import gc
import io
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import cast

HERE = Path(__file__).resolve().parent
FOR_PROGRAMS = {"--json", "--csv", "--beancount", "events", "import"}  # options and commands that programs read


def main() -> None:
    """Run a command, with the project's own environment even where it was not activated."""
    python = HERE / ".venv" / "bin" / "python"
    if sys.prefix == sys.base_prefix and python.exists():
        os.execv(python, [str(python), __file__, *sys.argv[1:]])  # noqa: S606 - ourselves, in our environment
    gc.disable()  # until the command is loaded (backoffice/management/manage_entry_point.py): no module goes away again
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
    sys.modules.setdefault("rich", cast(ModuleType, None))  # tools bring it; structlog would load it for every command
    _write_anything()
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `... | head` has read enough
        sys.exit(141)
    except Exception as error:
        from backoffice.management import error_messages

        if (explained := error_messages.error_line_and_code(error)) is None:
            raise
        sys.stderr.write(f"{explained[0]}\n")
        sys.exit(explained[1])


def _write_anything() -> None:
    """Replace characters that the terminal's encoding lacks; what programs read is UTF-8 whatever the terminal is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if FOR_PROGRAMS.intersection(sys.argv) and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")


def _run() -> None:
    try:
        from backoffice.management.manage_entry_point import CommandLine
    except ModuleNotFoundError:
        sys.exit("Pitledger's packages are not installed here: run `make setup` first.")
    CommandLine(sys.argv).execute()


if __name__ == "__main__":
    main()
