"""The issued certificates, reports and slips: time, receiver, subject and position."""

from datetime import datetime

import msgspec
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from backoffice.access.issued_documents import SLIP
from backoffice.access.models import GivenOut
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.error_codes import coded
from events.errors import Invalid

SHOWN = 100
SLIPS = "slips"


class Given(msgspec.Struct, frozen=True):
    """Issued document. `digest` is the SHA-256 of its contents; `key` signed the head behind it ("" without one).

    `copy` counts the issues; a second or later one is a reprint.
    """

    number: int
    at: datetime
    person: str
    kind: str
    about: str
    position: int
    digest: str
    key: str
    copy: int


class AllGiven(msgspec.Struct, frozen=True):
    """A page of the list, newest first; continue with `before=older`, null where there is no longer."""

    given: tuple[Given, ...]
    older: int | None


def issued_documents(before: int | None = None, about: str = "", of: str = "") -> AllGiven:
    """Return issued documents below a number, or the newest; about one hit, day or slip where one is named.

    Slips, one for every fill, are found by their own name (`of`). Raises Invalid for any other.
    """
    if of not in ("", SLIPS):
        raise Invalid("of", coded("one-of-these", known=[SLIPS]))
    copy = Window(RowNumber(), partition_by=[F("kind"), F("about")], order_by="id")
    rows = GivenOut.objects.annotate(copy=copy).order_by("-id")
    rows = rows.filter(kind=SLIP) if of == SLIPS else rows.exclude(kind=SLIP)
    if before is not None:
        rows = rows.filter(id__lt=before)
    if about:
        rows = rows.filter(about=about)
    documents = tuple(struct_from(row, Given, number=row.pk) for row in rows[: SHOWN + 1])
    return AllGiven(documents[:SHOWN], documents[SHOWN - 1].number if len(documents) > SHOWN else None)
