"""The command line: our commands, and the options that Django adds to each."""

import argparse

from django.core.management import get_commands, load_command_class

# The project's apps with commands, those of a checkout among them. The others are Django's.
OURS = ("backoffice", "tools.checkout", "tools.demo", "tools.documents")
# Options of every command of Django, which are not listed with each command.
OF_DJANGO = frozenset({"version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color"})
OF_DJANGO |= {"skip_checks"}


def commands() -> dict[str, str]:
    """Return our commands, and the app of each."""
    return {name: str(app) for name, app in get_commands().items() if app in OURS}


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of one of our commands."""
    return load_command_class(commands()[name], name).create_parser("manage.py", name)
