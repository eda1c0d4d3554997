"""A sheet as a workbook, beside its CSV: the same head, the same lines, and the digest that the CSV has."""

import hashlib

from msgspec.structs import replace

from backoffice import workbooks, writing
from backoffice.kit import answers
from backoffice.kit.page import File, Sheet
from backoffice.version import version
from backoffice.workbooks import KIND, Tab
from events import clock


def workbook_file(made: Sheet, position: int, name: str) -> File:
    """To be kept, with the SHA-256 of the lines of its CSV."""
    whole = replace(made, lines=[*made.lines])
    digest = hashlib.sha256(answers.sheet(whole, position).encode()).hexdigest()
    return File(_workbook(whole, position, digest), KIND, f"pitledger-{name}.xlsx")


def _workbook(made: Sheet, position: int, digest: str) -> bytes:
    head: list[tuple[object, ...]] = [
        (made.title,),
        made.of,
        ("software", f"Pitledger {version()}", "as of event", position),
        ("made", writing.stamp(clock.moment()), *made.beside),
    ]
    below = [("SHA-256 of these lines as CSV", digest)]
    tab = Tab(above=head, columns=[str(one) for one in made.columns], lines=[*made.lines], below=below)
    return workbooks.workbook(str(made.title), [tab])
