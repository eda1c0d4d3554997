"""Answers of a page in other forms: JSON, CSV, a file."""

import csv as spreadsheet
import hashlib
import io
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
from django.http import HttpResponse

from backoffice.kit.page_declaration import CsvSheet, DownloadFile
from backoffice.running.version import version
from backoffice.wording import formats
from backoffice.wording.error_code_sentences import with_message
from events.errors import PitledgerError, Retry
from events.runtime import clock
from events.streams.problem_details import Problem, problem_of

if TYPE_CHECKING:
    from backoffice.kit.page_declaration import Page, PageRequest

_encode = msgspec.json.Encoder().encode


def json(content: object) -> HttpResponse:
    """Answer with content as JSON."""
    return HttpResponse(_encode(content), content_type="application/json")


def looked_up(query: Callable[[], object]) -> HttpResponse:
    """Answer with the result of a query as JSON; an error as problem details."""
    try:
        return json(query())
    except PitledgerError as error:
        return problem(problem_of(error))


def problem(details: Problem) -> HttpResponse:
    """RFC 9457, with the sentence in the active language."""
    return HttpResponse(_encode(with_message(details)), status=details.status, content_type="application/problem+json")


def issued_file(document: DownloadFile, person: str) -> HttpResponse:
    """Return a file once it is listed as an issued document; a file that cannot be listed is not issued."""
    try:
        if document.paper is not None:
            document.paper.record(person)
    except PitledgerError as error:
        return not_shown(error)
    return file(document)


def not_shown(error: PitledgerError) -> HttpResponse:
    """Return why nothing is shown; with the time after which to ask again, where that helps."""
    response = problem(problem_of(error))
    if isinstance(error, Retry):
        response.headers["Retry-After"] = "1"
    return response


BOM = "\ufeff"  # by it Excel reads a file as UTF-8; the digest in its last line is over it as well


def file(document: DownloadFile) -> HttpResponse:
    """Answer with a file to save, under a name that every file system accepts."""
    filename = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in document.name)
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return HttpResponse(document.content, content_type=document.kind, headers=headers)


def sheet_of(page: "Page", request: "PageRequest", position: Callable[[], int]) -> tuple[DownloadFile, int]:
    """Return the page as CSV, and its number of lines.

    The CSV has a title, its subject, its lines, and the SHA-256 of all that.
    """
    assert page.query is not None
    assert page.sheet is not None
    result = page.query(msgspec.structs.replace(request, drawn=False))
    sheet = page.sheet(request, result)
    lines = [*sheet.lines]
    return sheet_file(msgspec.structs.replace(sheet, lines=lines), position(), sheet.name or page.name), len(lines)


def sheet_file(made: CsvSheet, position: int, name: str) -> DownloadFile:
    """A sheet to be kept, with the SHA-256 of its lines."""
    content = sheet(made, position)
    digest = hashlib.sha256(content).hexdigest()
    return DownloadFile(content + sheet_end(digest), "text/csv; charset=utf-8", f"pitledger-{name}.csv")


def sheet(made: CsvSheet, position: int) -> bytes:
    """Return the lines of a sheet, under a head with its title and sources."""
    return sheet_head(made, position) + sheet_lines(made.lines)


def sheet_lines(lines: Iterable[Sequence[object]]) -> bytes:
    """Return lines of a sheet, without its head."""
    return "".join(_csv_line([cell(value) for value in line]) for line in lines).encode()


def sheet_head(made: CsvSheet, position: int) -> bytes:
    """Return the lines above a sheet's own: its title and sources."""
    return (BOM + "".join(map(_csv_line, [*rows_above_columns(made, position), made.columns]))).encode()


def rows_above_columns(made: CsvSheet, position: int) -> list[Sequence[object]]:
    """Return the rows above the names of the columns: title, subject, software, time."""
    return [
        (made.title,),
        made.of,
        ("software", f"Pitledger {version()}", "as of event", position),
        ("made", formats.stamp(clock.moment()), *made.note),
    ]


def sheet_end(digest: str) -> bytes:
    """Return the last line of a sheet: the SHA-256 of those above."""
    return f"SHA-256 of the lines above,{digest}\r\n".encode()


def _csv_line(values: Sequence[object]) -> str:
    text = io.StringIO()
    spreadsheet.writer(text).writerow(values)
    return text.getvalue()


def cell(value: object) -> object:
    """A cell: times in UTC, nothing for None; text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, datetime):
        return formats.stamp(value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@"):
        return f"'{value}"
    return "" if value is None else value
