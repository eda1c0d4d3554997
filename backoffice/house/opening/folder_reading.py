"""The folder of a house that moves in, read into a plan: every cell is checked, and every mistake is listed.

Amounts are read in the property's currency: that of property.csv, else the one that the house has.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from backoffice.house.opening import csv_columns
from backoffice.house.opening.csv_columns import SHEETS, ImportSheet
from backoffice.house.opening.csv_reader import Fault, Row, Unreadable, decoded, rows
from backoffice.house.opening.import_record_types import (
    Balance,
    ChipRecord,
    Employee,
    MarkerRecord,
    MeterLevel,
    MonthBefore,
    SettingRecord,
    TableRecord,
)
from backoffice.house.opening.line_parsing import LineReader
from events.error_codes import coded
from events.fields import CURRENCIES


class OpeningPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The content of all files. `faults` are the mistakes in cells and lines; `files` the names of the files in the
    folder."""

    currency: str
    first_day: str = ""
    settings: tuple[SettingRecord, ...] = ()
    staff: tuple[Employee, ...] = ()
    progressives: tuple[MeterLevel, ...] = ()
    tables: tuple[TableRecord, ...] = ()
    history: tuple[MonthBefore, ...] = ()
    chips: tuple[ChipRecord, ...] = ()
    balances: tuple[Balance, ...] = ()
    markers: tuple[MarkerRecord, ...] = ()
    faults: tuple[Fault, ...] = ()
    files: tuple[str, ...] = ()


EUROS = "EUR"  # where no amount is read, or the missing currency is a fault
Files = Mapping[str, bytes]  # by the name of the sheet


def files_of(folder: Path) -> tuple[dict[str, bytes], list[Fault]]:
    """Return the files of a folder by the names of their sheets, and a fault for each other file."""
    names = {path.name.lower(): path for path in sorted(folder.iterdir()) if path.is_file()}
    sheets = {sheet.file: sheet.name for sheet in SHEETS}
    strangers = [name for name in names if name.endswith(".csv") and name not in sheets]
    text = coded("import-file-unknown", files=list(sheets))
    faults = [Fault(names[name].name, 0, "", text) for name in strangers]
    return {sheets[name]: path.read_bytes() for name, path in names.items() if name in sheets}, faults


def read(files: Files, house_currency: str = "", encoding: str = "") -> OpeningPlan:
    """Return the plan of these files. `house_currency` is the house's present currency, "" where it does not have
    one.
    """
    read_rows: dict[str, list[Row]] = {}
    faults: list[Fault] = []
    for sheet in SHEETS:
        if sheet.name in files:
            try:
                read_rows[sheet.name], wrong = rows(sheet, files[sheet.name], encoding)
                faults += wrong
            except Unreadable as error:
                faults.append(error.fault)
    needs_currency = bool(files.keys() - {csv_columns.STAFF.name})
    currency = _currency(read_rows.get("property", []), house_currency or ("" if needs_currency else EUROS), faults)
    reader = LineReader(currency, faults)
    by_sheet = {name: tuple(reader.right_lines(name, lines)) for name, lines in read_rows.items() if name != "property"}
    by_sheet["balances"] = by_sheet.pop("opening-balances", ())
    reader.settings(read_rows.get("property", []))
    return OpeningPlan(
        currency=currency,
        first_day=reader.first_day,
        settings=tuple(reader.of_house),
        faults=tuple(sorted(dict.fromkeys(faults), key=lambda fault: (_order(fault.file), fault.line))),
        files=tuple(sheet.file for sheet in SHEETS if sheet.name in files),
        **by_sheet,
    )


def _order(file: str) -> int:
    names = [sheet.file for sheet in SHEETS]
    return names.index(file) if file in names else len(names)


def _currency(lines: list[Row], house_currency: str, faults: list[Fault]) -> str:
    """The one in which amounts are read; euros where none is known, which is a fault then."""
    row = next((row for row in lines if row["setting"].lower() == "currency"), None)
    if row is not None:
        code = row["value"].upper()
        if code in CURRENCIES:
            return code
        faults.append(row.fault("value", coded("currency-unknown", currency=row["value"])))
    elif not house_currency:
        faults.append(Fault(csv_columns.PROPERTY.file, 0, "setting", coded("import-currency-missing")))
    return house_currency or EUROS


def records(plan: OpeningPlan) -> list[Any]:
    """The records of all files, each with its line."""
    groups = (plan.settings, plan.staff, plan.progressives, plan.tables, plan.history, plan.chips, plan.balances)
    return [record for group in (*groups, plan.markers) for record in group]


def text_of(sheet: ImportSheet, raw: bytes) -> str:
    """Return the decoded text of a file. Raises Unreadable."""
    return decoded(sheet, raw)
