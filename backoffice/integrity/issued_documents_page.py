"""The list of issued documents: certificates, reports and slips. It shows whether a document is genuine."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext_lazy as _

from backoffice.access.issued_documents import SLIP
from backoffice.access.models import GivenOut
from backoffice.access.personal_data_access_log import PERSON
from backoffice.event_log.filters import BIGGEST, read_number
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, Page, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import HISTORY
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


def _requested_documents(request: PageRequest) -> AllGiven:
    """Certificates and reports as they were issued, or slips, newest first."""
    return issued_documents(read_number(request.parameters, "before"), request.text("about", 200), request.text("of"))


def _kind_of_list(visit: Visit, _documents: AllGiven) -> dict[str, Any]:
    """Return the kind of the list; further pages are of the same kind."""
    of = visit.page_request.text("of")
    return {"of": of, "query": urlencode({"of": of}) if of else ""}


GIVEN = Page(
    name="given-out",
    path="integrity/given-out",
    title=_("Issued documents"),
    open_to=HISTORY,
    template="pages/issued_documents.html",
    query=_requested_documents,
    shown_as="all",
    add_context=_kind_of_list,
    under="integrity",
    looks=AccessLogRule(PERSON),
    endpoint=Endpoint(
        name="given-out",
        path="given-out",
        answer=AllGiven,
        meaning="Issued certificates and reports, newest first.",
        parameters={
            "before": {
                "type": "integer",
                "minimum": 0,
                "maximum": BIGGEST,
                "description": "Only documents before this number",
            },
            "about": {"type": "string", "description": "Only documents about this hit, day or slip"},
            "of": {"type": "string", "enum": [SLIPS], "description": "List the cage's slips instead"},
        },
    ),
)
