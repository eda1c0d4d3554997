"""Drop and win of the months before there were events, from a file: `table` or `game`, `month`, `drop`, `win`.

Commas between, a heading, amounts with at most two decimals and no signs of thousands: `R1,2025-11,123456.00,24001.50`.
A row names a table or a game, never both; a month of a name stands there once.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from events.errors import Invalid

COLUMNS = {"month", "drop", "win"}
ROWS_MAX = 10_000
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")
_AMOUNT = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,2}))?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """A month of a table or of a game (the other is empty). Amounts in minor units; a win may be below zero."""

    table: str = ""
    game: str = ""
    month: str
    drop_minor: int
    win_minor: int


def read(text: str) -> tuple[Month, ...]:
    """The months of a file. Raises Invalid with the line, and the column, that is wrong."""
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    heads = set(rows.fieldnames or ())
    if not heads >= COLUMNS or not heads & {"table", "game"} or heads - COLUMNS - {"table", "game"}:
        said = f"the columns are table or game, month, drop, win, not {', '.join(rows.fieldnames or ()) or 'none'}"[
            :200
        ]
        raise Invalid("heading", f"{said}; between them stand commas" if ";" in said else said)
    found = tuple(_months(rows))
    if not found:
        raise Invalid("file", "there is no month in it")
    return found


def _months(rows: Any) -> Iterator[Month]:
    seen: set[tuple[str, str, str]] = set()
    try:
        for row in rows:
            number = rows.line_num
            one = _month(number, {name: (value or "").strip() for name, value in row.items() if name is not None})
            if None in row or (key := (one.table, one.game, one.month)) in seen:
                raise Invalid(
                    f"line {number}", "too many columns" if None in row else f"{one.month} stands there twice"
                )
            if len(seen) == ROWS_MAX:
                raise Invalid(f"line {number}", f"{ROWS_MAX} months are the most that are taken at once")
            seen.add(key)
            yield one
    except csv.Error as error:
        raise Invalid("file", f"no table of values with commas: {error}") from None


def _month(number: int, row: dict[str, str]) -> Month:
    table, game, month = row.get("table", ""), row.get("game", ""), row["month"]
    if bool(table) == bool(game):
        raise Invalid(f"line {number}", "it names a table or a game, and not both")
    if not _NAME.fullmatch(table or game):
        raise Invalid(f"line {number}: {'table' if table else 'game'}", f"{(table or game)!r:.40} is no name")
    if not _MONTH.fullmatch(month):
        raise Invalid(f"line {number}: month", f"{month!r:.20} is no month: write it as 2025-11")
    drop, win = (_minor(number, name, row[name]) for name in ("drop", "win"))
    if drop < 0:
        raise Invalid(f"line {number}: drop", "a drop is never below zero")
    return Month(table=table, game=game, month=month, drop_minor=drop, win_minor=win)


def _minor(number: int, name: str, text: str) -> int:
    if (found := _AMOUNT.fullmatch(text)) is None:
        raise Invalid(f"line {number}: {name}", f"{text!r:.30} is no amount: write it as 1234.50")
    sign, whole, part = found.groups()
    return int(f"{sign}{whole}{(part or '').ljust(2, '0')}")


# --- as the house keeps them ------------------------------------------------------------------------------------------


def said(months: Iterable[Month]) -> str:
    """As the setting `hold_history` has them: `table R1 2025-11 123456.00 24001.50; game roulette ...`."""
    return "; ".join(
        f"{'table' if one.table else 'game'} {one.table or one.game} {one.month} {_text(one.drop_minor)} "
        f"{_text(one.win_minor)}"
        for one in months
    )


def taken(text: str) -> tuple[Month, ...]:
    """The months of the setting; none of an empty one. Raises Invalid."""
    if not text.strip():
        return ()
    rows = [part.split() for part in text.split(";") if part.strip()]
    if any(len(row) != 5 or row[0] not in ("table", "game") for row in rows):
        raise Invalid("data.value", "each month is written as: table R1 2025-11 123456.00 24001.50")
    lines = [
        f"{row[1]},,{','.join(row[2:])}" if row[0] == "table" else f",{row[1]},{','.join(row[2:])}" for row in rows
    ]
    try:
        return read("\n".join(("table,game,month,drop,win", *lines)))
    except Invalid as error:
        raise Invalid("data.value", str(error)) from error


def _text(minor: int) -> str:
    return f"{'-' if minor < 0 else ''}{abs(minor) // 100}.{abs(minor) % 100:02}"
