"""A log of any length, quickly: the rows of a history that `demo` played, repeatedly, each time days later.

The rows, and the bytes in them, are those of real events. Each repetition has new positions, dates and keys of actions,
since a key belongs to one action only.
"""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from django.db import connections

from backoffice.running import database_and_mail_settings
from projections.engine.bulk_writer import WriteTarget
from projections.eventlog.models import WORDS_MAX, EventLog, EventWord

DAYS, HOURS = 3, 3  # of the history
AT_ONCE = 20_000  # rows
_DATE = re.compile(rb"20[0-9]{2}-[01][0-9]-[0-3][0-9]")
_KEY = re.compile(rb'"causation":"')
COLUMNS = [field.attname for field in EventLog._meta.concrete_fields]
_DATED = [COLUMNS.index(name) for name in ("stream", "gaming_day", "correlation", "corrects")]
_TIMES = [COLUMNS.index(name) for name in ("time", "recordedat")]
INDEXES = [(model, index) for model in (EventLog, EventWord) for index in model._meta.indexes]
_CAUSATION, _RAW = COLUMNS.index("causation"), COLUMNS.index("raw")

Row: TypeAlias = tuple[Any, ...]  # the log's columns, and behind them the words that the event says


def history(folder: Path) -> "History":
    """The log of a few days, which are played for it. Raises subprocess.CalledProcessError."""
    settings = ("PITLEDGER_", "DJANGO_SETTINGS_MODULE")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    command = [sys.executable, "manage.py", "demo", f"--days={DAYS}", f"--hours={HOURS}", "--data", str(folder)]
    subprocess.run(command, cwd=database_and_mail_settings.ROOT, env=ours, check=True, stdout=subprocess.DEVNULL)
    return History(rows_of(folder / "read.sqlite3"))


def rows_of(path: Path) -> list[Row]:
    """The rows of a log on SQLite, in order, each with its words."""
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"SELECT {names} FROM {EventLog._meta.db_table} ORDER BY position")
        words: dict[int, list[str]] = {}
        for position, word in connection.execute(f"SELECT position, word FROM {EventWord._meta.db_table}"):
            words.setdefault(position, []).append(word)
        return [(*_typed(row), words.get(row[0], ())) for row in rows]


def _typed(row: Row) -> Row:
    values = list(row)
    for at in _TIMES:
        values[at] = datetime.fromisoformat(values[at]).replace(tzinfo=UTC)
    values[_RAW] = bytes(values[_RAW])
    return tuple(values)


class History:
    """The rows that are repeated."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        days = sorted({row[COLUMNS.index("gaming_day")] for row in rows} - {None})
        self._days = (date.fromisoformat(days[-1]) - date.fromisoformat(days[0])).days + 1

    def repeated_rows(self, events: int) -> Iterator[Row]:
        """So many rows: the history over and over, each time behind the days before."""
        for position in range(events):
            turn, at = divmod(position, len(self.rows))
            yield self.moved(self.rows[at], turn, position + 1)

    def moved(self, row: Row, turn: int, position: int = 0) -> Row:
        """A row as it is in a later turn: no gaming day occurs in two of them."""
        return _shifted_row(row, position, turn, turn * self._days)


def _shifted_row(row: Row, position: int, turn: int, days: int) -> Row:
    values = list(row)
    values[0] = position
    for at in _TIMES:
        values[at] += timedelta(days=days)
    for at in _DATED:
        if values[at] is not None:
            values[at] = _later(values[at].encode(), days).decode()
    raw = _later(values[_RAW], days)
    if values[_CAUSATION] is not None:
        values[_CAUSATION] = _later(f"{turn}.{values[_CAUSATION]}".encode(), days).decode()
        raw = _KEY.sub(b'"causation":"%d.' % turn, raw, count=1)
    values[_RAW] = raw
    return tuple(values)


def _later(text: bytes, days: int) -> bytes:
    return _DATE.sub(lambda match: _day(match[0], days), text)


@lru_cache(maxsize=1_000)
def _day(text: bytes, days: int) -> bytes:
    try:
        return (date.fromisoformat(text.decode()) + timedelta(days=days)).isoformat().encode()
    except ValueError:  # it only looks like one
        return text


def fill(using: str, rows: Iterator[Row]) -> None:
    """An empty log gets rows, then its indexes and its statistics."""
    connection = connections[using]
    with connection.schema_editor() as editor:
        for model, index in INDEXES:
            editor.remove_index(model, index)
    target = WriteTarget(using)
    while some := list(islice(rows, AT_ONCE)):
        insert(target, some)
    with connection.schema_editor() as editor:
        for model, index in INDEXES:
            editor.add_index(model, index)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)" if target.is_postgres else "ANALYZE")


def empty(using: str) -> None:
    """Empty the log, dead rows included: these would take memory from the rows that are read."""
    for model in (EventLog, EventWord):
        if WriteTarget(using).is_postgres:
            WriteTarget(using).execute(f"TRUNCATE {model._meta.db_table}", ())
        else:
            model._default_manager.using(using).all().delete()


def insert(target: WriteTarget, rows: list[Row], *, with_words: bool = True) -> None:
    """As the projector does."""
    words = [(row[0] * WORDS_MAX + at, word, row[0]) for row in rows for at, word in enumerate(row[-1])]
    rows = [row[:-1] for row in rows]
    if not target.is_postgres:
        rows = [tuple(_plain(value) for value in row) for row in rows]
    target.insert(EventLog, rows)
    if with_words:
        target.insert(EventWord, words)


def _plain(value: Any) -> Any:
    return str(value.replace(tzinfo=None)) if isinstance(value, datetime) else value
