"""Databases of a test's own for read models, beside Django's default one."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connections
from django.db.utils import ConnectionHandler

from backoffice.environment import database

_numbers = itertools.count(1)


@contextmanager
def read_models(url: str) -> Iterator[str]:
    """Migrated read models at this URL; gives their alias, which is good inside the `with` only."""
    alias = f"scratch{next(_numbers)}"
    connections.settings[alias] = ConnectionHandler({"default": database(url)}).settings["default"]
    try:
        call_command("migrate", database=alias, verbosity=0)
        yield alias
    finally:
        connections[alias].close()
        del connections.settings[alias], connections[alias]


class SQLiteFiles:
    """Migrated SQLite files, copied from one that is migrated once."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._template: Path | None = None

    def new(self) -> str:
        """The URL of a fresh file."""
        if self._template is None:
            self._template = self._folder() / "template.sqlite3"
            with read_models(f"sqlite:///{self._template}"):
                pass
        path = self._folder() / "read.sqlite3"
        shutil.copyfile(self._template, path)
        return f"sqlite:///{path}"
