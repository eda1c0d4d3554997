"""Cameras by table, and how long recordings are kept: settings of the house (NIGC 543.21, 542.43).

The setting is a text, "BJ1: C101, C102; FR1: C110"; the file that `import cameras` reads is CSV, table and camera.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from io import StringIO

from events.error_codes import ErrorText, coded
from events.errors import Invalid
from events.fields import is_table_name

TABLES_MAX, CAMERAS_MAX = 500, 20  # of a house, of a table
COLUMNS = ("table", "camera")
_is_camera = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9._ -]{0,38}[A-Za-z0-9])?$(?!\n)").match

Cameras = Mapping[str, tuple[str, ...]]


def parse(text: str) -> Cameras:
    """Return the cameras of each table. Raises Invalid, with the part that is wrong."""
    by_table: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        table, colon, names = part.partition(":")
        table, cameras = table.strip(), tuple(filter(None, (name.strip() for name in names.split(","))))
        if not colon or not is_table_name(table) or not cameras:
            raise _wrong(coded("cameras-part", part=part[:60]))
        if table in by_table:
            raise _wrong(coded("cameras-table-twice", table=table))
        by_table[table] = _checked(table, cameras)
    if len(by_table) > TABLES_MAX:
        raise _wrong(coded("cameras-too-many-tables", most=TABLES_MAX))
    return by_table


def _checked(table: str, cameras: tuple[str, ...]) -> tuple[str, ...]:
    if wrong := next((name for name in cameras if not _is_camera(name)), ""):
        raise _wrong(coded("camera-name", camera=wrong[:60]))
    if twice := next((name for name in cameras if cameras.count(name) > 1), ""):
        raise _wrong(coded("camera-twice", table=table, camera=twice))
    if len(cameras) > CAMERAS_MAX:
        raise _wrong(coded("cameras-too-many", table=table, most=CAMERAS_MAX))
    return cameras


def of_table(text: str, table: str) -> tuple[str, ...]:
    """Return the cameras that cover a table, by an accepted setting."""
    return parse(text).get(table, ())


def encode(cameras: Mapping[str, Sequence[str]]) -> str:
    """Return the setting that names these cameras."""
    return "; ".join(f"{table}: {', '.join(names)}" for table, names in sorted(cameras.items()))


def read_csv(text: str) -> str:
    """Return the setting that a CSV file of table and camera makes. Raises Invalid, with the line.

    Spreadsheets leave empty columns and lines at the end.
    """
    try:
        setting = encode(_by_table(text.removeprefix("\ufeff")))
    except csv.Error as error:
        raise Invalid("file", coded("not-a-table-of-values", why=str(error))) from None
    parse(setting)
    return setting


def _by_table(text: str) -> dict[str, list[str]]:
    rows = csv.reader(StringIO(text), strict=True)
    if tuple(name.lower() for name in _cells(next(rows, []))) != COLUMNS:
        raise Invalid("heading", coded("cameras-columns"))
    cameras: dict[str, list[str]] = {}
    for cells in filter(None, map(_cells, rows)):
        if len(cells) != len(COLUMNS) or not is_table_name(cells[0]) or not _is_camera(cells[1]):
            raise Invalid("file", coded("cameras-line", line=rows.line_num))
        cameras.setdefault(cells[0], []).append(cells[1])
    return cameras


def _cells(line: Sequence[str]) -> list[str]:
    """Return the cells of a line, without the empty ones at its end."""
    cells = [cell.strip() for cell in line]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def expiry(end: str, days: int) -> str:
    """Return when a recording that ends at this time is deleted, after so many days; both as events write times."""
    try:
        moment = datetime.fromisoformat(end) + timedelta(days=days)
    except OverflowError:  # an end in the year 9999
        return end
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _wrong(reason: ErrorText) -> Invalid:
    return Invalid("data.value", coded("setting-part-wrong", setting="cameras", why=reason))
