"""A sheet as a workbook, like its CSV: the same head, the same lines, and the digest of the CSV."""

import hashlib

from msgspec.structs import replace

from backoffice.kit import response_builders
from backoffice.kit.page_declaration import CsvSheet, DownloadFile
from backoffice.printing import workbooks
from backoffice.printing.workbooks import KIND, Tab
from backoffice.running.version import version
from backoffice.wording import formats
from events.runtime import clock


def workbook_file(sheet: CsvSheet, position: int, name: str) -> DownloadFile:
    """Return a workbook with the SHA-256 of the lines of its CSV."""
    whole = replace(sheet, lines=[*sheet.lines])
    digest = hashlib.sha256(response_builders.sheet(whole, position).encode()).hexdigest()
    return DownloadFile(_workbook(whole, position, digest), KIND, f"pitledger-{name}.xlsx")


def _workbook(sheet: CsvSheet, position: int, digest: str) -> bytes:
    head: list[tuple[object, ...]] = [
        (sheet.title,),
        sheet.of,
        ("software", f"Pitledger {version()}", "as of event", position),
        ("made", formats.stamp(clock.moment()), *sheet.note),
    ]
    below = [("SHA-256 of these lines as CSV", digest)]
    tab = Tab(above=head, columns=[str(column) for column in sheet.columns], lines=[*sheet.lines], below=below)
    return workbooks.workbook(str(sheet.title), [tab])
