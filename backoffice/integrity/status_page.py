"""Integrity of history: the last verification, and the witness outside the house."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.integrity.last_verification_and_witness_status import Integrity, integrity
from backoffice.integrity.verification_start import is_starting, start_verification
from backoffice.kit.page_declaration import Endpoint, MenuEntry, Page, PageAddress
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import HISTORY
from backoffice.wording.error_code_sentences import error_sentence
from events.errors import PitledgerError


def _start(visit: Visit) -> HttpResponse:
    """Start a verification, and go back to the page, which shows its progress."""
    if visit.request.method == "POST":
        try:
            start_verification()
        except PitledgerError as error:
            messages.warning(visit.request, error_sentence(error))
        else:
            messages.success(visit.request, _("Verification started. This page shows its progress."))
    return HttpResponseRedirect(reverse("integrity"))


def _progress(visit: Visit) -> HttpResponse:
    """Show the progress of the verification; after its end the whole page again."""
    state = integrity()
    if state.running is None and not is_starting():
        response = HttpResponse()
        response.headers["HX-Redirect"] = reverse("integrity")
        return response
    return visit.render("pages/integrity/progress.html", integrity=state)


INTEGRITY = Page(
    name="integrity",
    path="integrity",
    title=gettext_lazy("Integrity"),
    open_to=HISTORY,
    template="pages/integrity.html",
    query=lambda _request: integrity(),
    shown_as="integrity",
    add_context=lambda _visit, _status: {"is_starting": is_starting()},
    menu=MenuEntry(gettext_lazy("Integrity"), "i", gettext_lazy("go to integrity")),
    also=(
        PageAddress("integrity-verify", "integrity/verify", _start, does=True),
        PageAddress("integrity-progress", "integrity/progress", _progress),
    ),
    endpoint=Endpoint(
        name="integrity",
        path="integrity",
        answer=Integrity,
        meaning="Result of the last verification, and the time when the witness outside the house last answered.",
    ),
)
