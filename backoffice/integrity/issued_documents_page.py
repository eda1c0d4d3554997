"""The list of issued documents: certificates, reports and slips. It shows whether a document is genuine."""

from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import PERSON
from backoffice.event_log.filters import BIGGEST, whole
from backoffice.integrity.issued_document_listing import SLIPS, AllGiven, issued_documents
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, Page, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import HISTORY


def _requested_documents(request: PageRequest) -> AllGiven:
    """Certificates and reports as they were issued, or slips, newest first."""
    return issued_documents(whole(request.parameters, "before"), request.text("about", 200), request.text("of"))


def _of(visit: Visit, _documents: AllGiven) -> dict[str, Any]:
    """Return the kind of the list; further pages are of the same kind."""
    of = visit.page_request.text("of")
    return {"of": of, "query": urlencode({"of": of}) if of else ""}


GIVEN = Page(
    name="given-out",
    path="integrity/given-out",
    title=_("Issued documents"),
    open_to=HISTORY,
    template="pages/given.html",
    query=_requested_documents,
    shown_as="all",
    add_context=_of,
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
                "description": "Those in front of this number",
            },
            "about": {"type": "string", "description": "Only those about this hit, day or slip"},
            "of": {"type": "string", "enum": [SLIPS], "description": "The cage's slips instead"},
        },
    ),
)
