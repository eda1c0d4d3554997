"""The cells of a CSV file from any spreadsheet: separators, encodings, empty lines, a `sep=` line.

The module does not know the meaning of a cell. A `Fault` names the file, the line and the column, and the remedy.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from backoffice.house.opening.csv_columns import ImportSheet
from events.error_codes import ErrorText, coded
from events.errors import PitledgerError

BYTES_MAX = 8 * 1024 * 1024
SEPARATORS = (";", ",", "\t")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Fault(msgspec.Struct, frozen=True):
    """A mistake in a file. `line` is 0 where it is about the whole file, `column` "" where about the whole line."""

    file: str
    line: int
    column: str
    text: ErrorText

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        column = f", column {self.column}" if self.column else ""
        return f"{self.file}{line}{column}: {self.message}"

    @property
    def message(self) -> str:
        """The fault in English."""
        text = str(self.text)
        return text[:1].upper() + text[1:]


def error_text(error: PitledgerError) -> ErrorText:
    """Return the text of an error of events: all of them have a code."""
    assert isinstance(error.text, ErrorText)
    return error.text


class Row(msgspec.Struct, frozen=True):
    """A line of a file: its cells by column, without the blanks around them."""

    sheet: ImportSheet
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def fault(self, column: str, text: ErrorText) -> Fault:
        """A mistake in this line."""
        return Fault(self.sheet.file, self.line, column, text)


class Unreadable(Exception):
    """The file cannot be read at all; `fault` has the reason."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def rows(sheet: ImportSheet, raw: bytes, encoding: str = "") -> tuple[list[Row], list[Fault]]:
    """Return the lines of a file, and the faults of their shape. Raises Unreadable.

    `encoding` is that of the file where it is not UTF-8 or UTF-16, such as cp1253.
    """
    text = decoded(sheet, raw, encoding)
    separator, text = _separator(sheet, text)
    lines = _numbered_lines(sheet, text, separator)
    heads = _heads(sheet, next(lines, (1, [])), separator)
    return _rows(sheet, heads, lines)


def decoded(sheet: ImportSheet, raw: bytes, encoding: str = "") -> str:
    """Return the text of a file. Raises Unreadable."""
    if len(raw) > BYTES_MAX:
        raise _unreadable(sheet, coded("import-file-size", megabytes=BYTES_MAX // 1024 // 1024))
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), "")
    try:
        return raw.decode(marked or encoding or "utf-8")
    except LookupError as error:
        raise _unreadable(sheet, coded("import-encoding-unknown", encoding=encoding)) from error
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        text = coded("import-not-in-encoding", encoding=encoding) if encoding else coded("import-not-utf-8")
        raise _unreadable(sheet, text, line) from error


def _unreadable(sheet: ImportSheet, text: ErrorText, line: int = 0) -> Unreadable:
    return Unreadable(Fault(sheet.file, line, "", text))


def _separator(sheet: ImportSheet, text: str) -> tuple[str, str]:
    """The separator, and the text without a first line that only names it."""
    first, _, remainder = text.partition("\n")
    if first.lower().startswith("sep=") and len(first.strip()) == 5:
        return first.strip()[4], f"\n{remainder}"
    names = set(sheet.names)
    heading = next((line for line in text.splitlines() if line.strip()), "")

    def fits(separator: str) -> int:
        return len(names & {cell.strip().strip('"').lower() for cell in heading.split(separator)})

    return max(SEPARATORS, key=fits), text


def _numbered_lines(sheet: ImportSheet, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, each with the number of its first line in the file."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    began = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield began, [cell.strip() for cell in cells]
            began = reader.line_num + 1
    except csv.Error as error:
        raise _unreadable(sheet, coded("import-line-unreadable"), reader.line_num) from error


def _heads(sheet: ImportSheet, first: tuple[int, list[str]], separator: str) -> list[str]:
    line, cells = first
    heads = [cell.lower().replace(" ", "_") for cell in cells]
    while heads and not heads[-1]:
        heads.pop()
    if (text := _fault_of_heads(sheet, heads)) is not None:
        raise _unreadable(sheet, text, line)
    return heads


def _fault_of_heads(sheet: ImportSheet, heads: Sequence[str]) -> ErrorText | None:
    names = list(sheet.names)
    if not set(heads) & set(names):
        return coded("import-columns-missing", columns=names)
    if twice := sorted({head for head in heads if head and heads.count(head) > 1}):
        return coded("import-column-twice", column=twice[0])
    if "" in heads:
        return coded("import-column-unnamed", columns=names)
    if unknown := [head for head in heads if head not in names]:
        return coded("import-column-unknown", column=unknown[0], columns=names)
    if missing := [column.name for column in sheet.columns if column.is_needed and column.name not in heads]:
        return coded("import-column-missing", column=missing[0])
    return None


def _rows(
    sheet: ImportSheet, heads: Sequence[str], lines: Iterator[tuple[int, list[str]]]
) -> tuple[list[Row], list[Fault]]:
    accepted: list[Row] = []
    faults: list[Fault] = []
    needed = [column.name for column in sheet.columns if column.is_needed]
    for line, cells in lines:
        row = Row(sheet, line, dict(zip(heads, cells, strict=False)))
        if any(cells[len(heads) :]):
            faults.append(row.fault("", coded("import-cells-count", most=len(heads))))
            continue
        if len(accepted) == sheet.rows_max:
            faults.append(row.fault("", coded("import-lines-count", most=sheet.rows_max)))
            break
        faults += [row.fault(name, coded("import-cell-empty")) for name in needed if not row[name]]
        accepted.append(row)
    return accepted, faults
