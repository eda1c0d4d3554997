"""The export of a case from its page."""

import tempfile
from pathlib import Path

from django.contrib import messages
from django.http import FileResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse

from backoffice.case_files.decrypted_cases import case_for
from backoffice.cases.export.service import Exporter, export_case
from backoffice.installation.installation import installation
from backoffice.kit.visit import Visit
from backoffice.wording.errors import message_of
from events.cases.access import may_work
from events.cases.decider import unknown
from events.errors import PitledgerError
from events.integrity.head_store import Heads
from events.kinds.draws import heads_of
from events.settings.settings import settings
from events.streams.problems import problem_of


def export(visit: Visit) -> HttpResponseBase:
    """Return the archive of a case as a download. Raises Unknown for a person who may not work on the case."""
    name, reader = str(visit.place("name")), visit.reader
    if not may_work(case_for(name, reader), reader.person, reader.roles):
        raise unknown(name)
    if visit.request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    exporter = Exporter(reader.person, reader.roles, visit.request.META.get("REMOTE_ADDR", ""))
    try:
        return _download(name, exporter)
    except PitledgerError as error:
        case_for(name, reader)  # Unknown for a reader who lost access meanwhile
        messages.error(visit.request, message_of(problem_of(error), ""))
        return HttpResponseRedirect(reverse("case", kwargs={"name": name}))


def _download(case: str, exporter: Exporter) -> FileResponse:
    store = installation().store
    heads: Heads = heads_of(store)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.zip")
        export_case(store, heads, settings().property_, case, exporter, path)
        archive = path.open("rb")  # readable until it is closed, also without its folder
    response = FileResponse(archive, as_attachment=True, filename=f"pitledger-case-{case}.zip")
    response.headers["Content-Type"] = "application/zip"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response
