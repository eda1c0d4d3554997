"""The export of a case, from its page and for programs: at once, or by a background job with its progress."""

from collections.abc import Collection
from typing import Any

import msgspec
from django.contrib import messages
from django.db import connections
from django.http import HttpResponseNotAllowed, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import translation

from backoffice.case_files.case_queries import case_for, case_to_work_on
from backoffice.cases.export import case_exporter
from backoffice.cases.export.case_exporter import Exporter, ExportResult, FinishedExport
from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_progress_and_saved_steps import Progress
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Job, Task, export_jobs
from backoffice.kit import file_download_or_background_job
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.error_code_sentences import message_of
from backoffice.wording.reader_language_choice import ENGLISH
from events.cases.decrypted_case import CaseFile
from events.errors import PitledgerError
from events.inspection_draws.stream_declaration import heads_of
from events.settings.settings_from_environment import settings
from events.streams.problem_details import problem_of

SHORT_BYTES = 20 << 20  # of attachments: more are exported by a job
SHORT_ROUNDS = 10  # likewise: each is drawn


class ExportStatus(msgspec.Struct, frozen=True):
    """The state of an export. `missing` is evidence that is not in it; `percent` is 100 when it is ready."""

    export: str
    is_ready: bool
    percent: int
    events: int = 0
    files: int = 0
    missing: tuple[str, ...] = ()


def is_short(file: CaseFile, position: int) -> bool:
    """Return whether the export of a case can be made in a request. `position`: the last event of the house."""
    rounds = sum(piece.kind == "round" for piece in file.evidence)
    size = sum(attachment.size for attachment in file.attachments)
    return position < file_download_or_background_job.LONG_EVENTS and size <= SHORT_BYTES and rounds <= SHORT_ROUNDS


def begin(case: str, exporter: Exporter, export: str = "") -> str:
    """Begin an export, or find the one of this number. Raises Unknown, Retry."""
    return case_exporter.begin_export(installation().store, settings().property_, case, exporter, export)


def finished(case: str, exporter: Exporter, export: str, reached: Any = None) -> FinishedExport:
    """Return a begun export, finished. Raises Unknown, Retry."""
    store = installation().store
    progress = () if reached is None else (reached,)
    return case_exporter.finish_export(store, heads_of(store), settings().property_, case, exporter, export, *progress)


def job_of(case: str, exporter: Exporter, export: str, *, retry: bool = False, wait_s: float) -> Job | None:
    """Return the job that finishes an export; None where too many jobs wait."""
    roles = ",".join(sorted(exporter.roles))
    task = Task(
        question=("case-export", case, export, exporter.person, roles),
        shape=ExportResult,
        work=lambda progress, basis: _work(case, exporter, export, progress, basis),
        language=translation.get_language() or ENGLISH,
    )
    return installation().part(export_jobs).ask(task, Basis(0), any_basis=True, retry=retry, wait_s=wait_s)


def _work(case: str, exporter: Exporter, export: str, progress: Progress, _basis: Basis) -> ExportResult:
    """Finish an export in the thread of the jobs, with database connections of its own."""
    close_stale_connections()
    try:
        return finished(case, exporter, export, progress.reached).result
    finally:
        connections.close_all()


def download(case: str, made: FinishedExport, exporter: Exporter) -> StreamingHttpResponse:
    """Answer with the archive, after the line in the access log. Raises Retry."""
    case_exporter.hand_out(case, made, exporter)
    response = StreamingHttpResponse(made.archive_parts(), content_type="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="pitledger-case-{case}.zip"'
    response.headers["Content-Length"] = str(made.size)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response


# --- the page ---------------------------------------------------------------------------------------------------------


def export(visit: Visit) -> HttpResponseBase:
    """Export a case: answer with its archive, or lead to the progress. Raises Unknown for a person who may not work on
    the case."""
    file, exporter = _at_work(visit)
    if visit.request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        number = begin(file.id, exporter)
        if is_short(file, visit.fresh.position):
            return download(file.id, finished(file.id, exporter, number), exporter)
    except PitledgerError as error:
        case_for(file.id, visit.reader)  # Unknown for a reader who lost access meanwhile
        return _failed(visit, file.id, error)
    return HttpResponseRedirect(reverse("case-archive", kwargs={"name": file.id, "export": number}))


def archive(visit: Visit) -> HttpResponseBase:
    """Answer with the archive of an export that its person began, or with the progress. It is finished where it was
    stopped."""
    file, exporter = _at_work(visit)
    number = str(visit.place("export"))
    case_exporter.must_be_begun(file.id, exporter, number)
    is_part, retry = (
        visit.request.headers.get("HX-Request") == "true",
        visit.page_request.text(file_download_or_background_job.RETRY, 5) == "1",
    )
    try:
        if is_short(file, visit.fresh.position) and not is_part:
            return download(file.id, finished(file.id, exporter, number), exporter)
        job = job_of(
            file.id, exporter, number, retry=retry, wait_s=0.0 if is_part else file_download_or_background_job.PAGE_S
        )
        if job is not None and job.answer is not None and not is_part:
            return download(file.id, finished(file.id, exporter, number), exporter)
    except PitledgerError as error:
        case_for(file.id, visit.reader)
        return _failed(visit, file.id, error)
    return file_download_or_background_job.progress_page(visit, job, is_part=is_part)


def _at_work(visit: Visit) -> tuple[CaseFile, Exporter]:
    reader = visit.reader
    file = case_to_work_on(str(visit.place("name")), reader)
    return file, Exporter(reader.person, reader.roles, visit.request.META.get("REMOTE_ADDR", ""))


def _failed(visit: Visit, case: str, error: PitledgerError) -> HttpResponseBase:
    messages.error(visit.request, message_of(problem_of(error), ""))
    return HttpResponseRedirect(reverse("case", kwargs={"name": case}))


def own_unfinished(file: CaseFile, person: str) -> Collection[str]:
    """Return the unfinished exports of a case that this person can finish."""
    own = {export.export for export in file.exports if export.by == person}
    return own & case_exporter.unfinished_exports(file.id) if own else ()
