"""A sheet as a workbook, like its CSV: the same head, the same lines, and the digest of the CSV."""

import hashlib

from msgspec.structs import replace

from backoffice.kit import response_builders
from backoffice.kit.page_declaration import CsvSheet, DownloadFile
from backoffice.printing import workbooks
from backoffice.printing.workbooks import KIND, Tab


def workbook_file(sheet: CsvSheet, position: int, name: str) -> DownloadFile:
    """Return a workbook with the SHA-256 of the lines of its CSV."""
    whole = replace(sheet, lines=[*sheet.lines])
    digest = hashlib.sha256(response_builders.sheet(whole, position)).hexdigest()
    tab = Tab(
        above=response_builders.rows_above_columns(whole, position),
        columns=[str(column) for column in sheet.columns],
        lines=[*whole.lines],
        below=[("SHA-256 of these lines as CSV", digest)],
    )
    return DownloadFile(workbooks.workbook(str(sheet.title), [tab]), KIND, f"pitledger-{name}.xlsx")
