"""Drop and win of the months before there were events, from a file: `table` or `game`, `month`, `drop`, `win`.

Commas between, a heading in any case, amounts with the decimals of the property's currency and no separators of
thousands: `R1,2025-11,123456.00,24001.50` in euro, `R1,2025-11,123456,24002` in yen. Rows without any value are passed
over. A row names a table or a game, never both; a month of a name occurs once.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.fields import MONEY_MAX
from events.money.single_currency_rule import minor_digits
from events.text.id_spelling_normalization import require_distinct

COLUMNS = {"month", "drop", "win"}
ROWS_MAX = 10_000
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")
_AMOUNT = re.compile(r"(-?)(\d{1,16})(?:\.(\d{1,9}))?", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """A month of a table or of a game (the other is empty). Amounts in minor units; a win may be below zero."""

    table: str = ""
    game: str = ""
    month: str
    drop_minor: int
    win_minor: int


def read(text: str, currency: str) -> tuple[Month, ...]:
    """The months of a file, its amounts in `currency`. Raises Invalid with the line, and the column, that is wrong.

    Ids that differ only by case, or look alike, are refused. A stored setting (`taken`) may hold such ids.
    """
    return _read(text, currency, is_file=True)


def _read(text: str, currency: str, *, is_file: bool) -> tuple[Month, ...]:
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    rows.fieldnames = _headings(rows)
    heads = set(rows.fieldnames)
    is_known = heads >= COLUMNS and heads & {"table", "game"} and heads <= COLUMNS | {"table", "game"}
    if not is_known or len(heads) < len(rows.fieldnames):  # of two columns of one name the last would count
        raise Invalid("heading", coded("months-columns", columns=list(rows.fieldnames)))
    months = tuple(_months(rows, currency, is_file=is_file))
    if not months:
        raise Invalid("file", coded("months-empty"))
    return months


def _headings(rows: Any) -> list[str]:
    """Return the headings in small letters, without the empty ones that a spreadsheet leaves at the end."""
    try:
        heads = [name.strip().lower() for name in rows.fieldnames or ()]
    except csv.Error as error:
        raise Invalid("file", coded("not-a-table-of-values", why=str(error))) from None
    while heads and not heads[-1]:
        heads.pop()
    return heads


def _months(rows: Any, currency: str, *, is_file: bool) -> Iterator[Month]:
    seen_months: set[tuple[str, str, str]] = set()
    names: dict[str, set[str]] = {"table": set(), "game": set()}
    try:
        for row in rows:
            number, beyond = rows.line_num, any(value.strip() for value in row.pop(None, ()))
            cells = {name: (value or "").strip() for name, value in row.items()}
            if not beyond and not any(cells.values()):
                continue
            record = _month(number, cells, currency)
            if beyond or (key := (record.table, record.game, record.month)) in seen_months:
                twice = coded("month-twice", month=record.month)
                raise Invalid(f"line {number}", coded("columns-too-many") if beyond else twice)
            if len(seen_months) == ROWS_MAX:
                raise Invalid(f"line {number}", coded("months-too-many", most=ROWS_MAX))
            if is_file:
                _require_distinct(number, record, names)
            seen_months.add(key)
            yield record
    except csv.Error as error:
        raise Invalid("file", coded("not-a-table-of-values", why=str(error))) from None


def _require_distinct(number: int, record: Month, names: dict[str, set[str]]) -> None:
    """Raise Invalid for an id that looks like one of an earlier line; add it to `names`, the ids by kind."""
    kind, name = ("table", record.table) if record.table else ("game", record.game)
    if name not in names[kind]:
        require_distinct(name, sorted(names[kind]), kind, f"line {number}: {kind}")
        names[kind].add(name)


def _month(number: int, row: dict[str, str], currency: str) -> Month:
    table, game, month = row.get("table", ""), row.get("game", ""), row["month"]
    if bool(table) == bool(game):
        raise Invalid(f"line {number}", coded("table-or-game"))
    if not _NAME.fullmatch(table or game):
        raise Invalid(f"line {number}: {'table' if table else 'game'}", coded("name-impossible", name=(table or game)))
    if not _MONTH.fullmatch(month):
        raise Invalid(f"line {number}: month", coded("month-format", month=month))
    drop, win = (_minor(number, name, row[name], currency) for name in ("drop", "win"))
    if drop < 0:
        raise Invalid(f"line {number}: drop", coded("drop-negative"))
    return Month(table=table, game=game, month=month, drop_minor=drop, win_minor=win)


def _minor(number: int, name: str, text: str, currency: str) -> int:
    """Minor units. Zeros beyond the currency's decimals are ignored: 123456.00 yen are 123456."""
    places = minor_digits(currency)
    if (match := _AMOUNT.fullmatch(text)) is None:
        example = _text(123_450 * 10 ** max(places - 2, 0), currency)
        raise Invalid(f"line {number}: {name}", coded("amount-format", text=text, example=example))
    sign, whole, part = match.groups()
    part = (part or "").rstrip("0")
    if len(part) > places:
        raise Invalid(
            f"line {number}: {name}",
            coded("amount-decimals", text=text, decimals=len(part), currency=currency, places=places),
        )
    if (minor := int(f"{sign}{whole}{part.ljust(places, '0')}")) and abs(minor) > MONEY_MAX:
        raise Invalid(
            f"line {number}: {name}",
            coded("amount-too-high", text=text, most=_text(MONEY_MAX, currency), currency=currency),
        )
    return minor


# --- as the house keeps them ------------------------------------------------------------------------------------------


def months_text(months: Iterable[Month], currency: str) -> str:
    """Return the months in the form of the setting `hold_history`: `table R1 2025-11 123456.00 24001.50; game roulette
    ...`.
    """
    return "; ".join(
        f"{'table' if line.table else 'game'} {line.table or line.game} {line.month} "
        f"{_text(line.drop_minor, currency)} {_text(line.win_minor, currency)}"
        for line in months
    )


def months_from_setting(text: str, currency: str) -> tuple[Month, ...]:
    """Return the months of the setting, its amounts in `currency`; empty for an empty text. Raises Invalid."""
    if not text.strip():
        return ()
    rows = [part.split() for part in text.split(";") if part.strip()]
    if any(len(row) != 5 or row[0] not in ("table", "game") for row in rows):
        raise Invalid("data.value", coded("months-format"))
    lines = [
        f"{row[1]},,{','.join(row[2:])}" if row[0] == "table" else f",{row[1]},{','.join(row[2:])}" for row in rows
    ]
    try:
        return _read("\n".join(("table,game,month,drop,win", *lines)), currency, is_file=False)
    except Invalid as error:
        raise Invalid("data.value", coded("months-invalid", why=error.text)) from error


def _text(minor: int, currency: str) -> str:
    return f"{Decimal(minor).scaleb(-minor_digits(currency)):f}"
