#!/usr/bin/env python3
"""The way in: `./manage.py help` lists the commands."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run a command, with the project's own environment even where it was not activated."""
    python = HERE / ".venv" / "bin" / "python"
    if sys.prefix == sys.base_prefix and python.exists():
        os.execv(python, [str(python), __file__, *sys.argv[1:]])  # noqa: S606 - ourselves, in our environment
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
    try:
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit("Pitledger's packages are not installed here: run `make setup` first.")
    from django.db.utils import OperationalError, ProgrammingError

    try:
        execute_from_command_line(sys.argv)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `... | head` has read enough
        sys.exit(141)
    except (OperationalError, ProgrammingError) as error:
        if not any(says in str(error) for says in ("no such table", "no such column", "does not exist")):
            raise
        sys.exit(
            f"The tables are missing, or older than this version ({error}). `./manage.py migrate` makes them, and "
            "`./manage.py rebuild all` fills them from the events; `./manage.py demo` plays a day of its own."
        )


if __name__ == "__main__":
    main()
