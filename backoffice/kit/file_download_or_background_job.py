"""Files of a page, each issued with a line in the access log. A long one is made by a background job.

Small houses get their file at once. Otherwise the job makes it once for all readers with the same rights. The reader's
roles are part of the question, and for files that name their reader the person. A browser shows the progress, then a
link to the file, or the reason for the failure. A stored file has no address of its own: the page's rule guards it.
"""

from collections.abc import Callable

import msgspec
from django.db import connections
from django.http import HttpResponse, QueryDict
from django.utils import translation

from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_progress_and_saved_steps import Progress
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Job, Task, basis_at, export_jobs
from backoffice.kit import response_builders
from backoffice.kit.page_declaration import DownloadFile, Format, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.reader_language_choice import ENGLISH
from events.error_codes import coded
from events.streams.problem_details import problem_about

LONG_EVENTS = 200_000  # a house with fewer events than that gets every file at once
PAGE_S, PROGRAM_S = 1.5, 50.0  # that a browser and a program wait for the file
FROM, RETRY = "export_from", "export_retry"  # the site's own parameters
Make = Callable[[PageRequest], tuple[DownloadFile, int | None]]


class KeptFile(msgspec.Struct, frozen=True):
    """A stored file: its bytes, media type and name, and its number of lines, where that is counted."""

    content: bytes
    kind: str
    name: str
    lines: int | None = None


def csv(visit: Visit) -> HttpResponse:
    """Answer with the page as CSV."""

    def make(request: PageRequest) -> tuple[DownloadFile, int | None]:
        return response_builders.sheet_of(visit.page, request, lambda: visit.frame.services.fresh().position)

    return _answer(visit, "csv", make, is_shared=visit.page.sheet_is_shared)


def form(visit: Visit, format_: Format) -> HttpResponse:
    """Answer with another form of the page."""

    def make(request: PageRequest) -> tuple[DownloadFile, int | None]:
        return format_.write(request), None

    if not format_.is_kept:
        return _at_once(visit, make)
    return _answer(visit, format_.suffix, make, is_shared=format_.is_shared)


def _answer(visit: Visit, name: str, make: Make, *, is_shared: bool) -> HttpResponse:
    if visit.fresh.position < LONG_EVENTS:
        return _at_once(visit, make)
    task = _task(visit, name, make, is_shared=is_shared)
    is_part = visit.request.headers.get("HX-Request") == "true"
    is_page = "text/html" in visit.request.headers.get("Accept", "")
    job = ask(visit, task, _basis, wait_s=0.0 if is_part else PAGE_S if is_page else PROGRAM_S)
    if job is not None and job.answer is not None and not is_part:
        cached_file: KeptFile = job.answer
        visit.looking.entry_count = cached_file.lines
        return response_builders.issued_file(
            DownloadFile(cached_file.content, cached_file.kind, cached_file.name), visit.reader.person
        )
    if is_part or is_page:
        return progress_page(visit, job, is_part=is_part)
    visit.looking.skip()
    return not_yet(job)


def _at_once(visit: Visit, make: Make) -> HttpResponse:
    file, lines = make(visit.page_request)
    if lines is not None:
        visit.looking.entry_count = lines
    return response_builders.issued_file(file, visit.reader.person)


def _task(visit: Visit, name: str, make: Make, *, is_shared: bool) -> Task:
    """Return the task. Its question has all input of the file in addition to the events."""
    own = visit.request.GET.copy()
    for parameter in (FROM, RETRY):
        own.pop(parameter, None)
    places = (f"{key}={value}" for key, value in sorted(visit.page_request.places.items()))
    reader = ("" if is_shared else visit.reader.person, ",".join(sorted(visit.reader.roles)))
    request = msgspec.structs.replace(visit.page_request, parameters=own)
    question = ("file", visit.page.name, name, *places, _sorted(own), *reader)
    language = translation.get_language() or ENGLISH
    return Task(
        question=question,
        shape=KeptFile,
        work=lambda progress, basis: _work(make, request, progress, basis),
        language=language,
    )


def _sorted(parameters: QueryDict) -> str:
    return "&".join(sorted(f"{key}={value}" for key, values in parameters.lists() for value in values))


def _work(make: Make, request: PageRequest, progress: Progress, _basis: Basis) -> KeptFile:
    """Make the file in the thread of the jobs, with database connections of its own."""
    close_stale_connections()
    try:
        progress.reached(0.1)
        file, lines = make(request)
        progress.reached(0.95)
        return KeptFile(file.content, file.kind, file.name, lines)
    finally:
        connections.close_all()


def _basis(position: int) -> Basis:
    """Return the basis of all events up to a position, or of all that are read by now."""
    return basis_at(installation().store, position or None)


def ask(visit: Visit, task: Task, basis: Callable[[int], Basis], wait_s: float) -> Job | None:
    """Return the job: as of now, or the one whose progress this browser was shown. `basis`: as of a position, or 0."""
    jobs, shown_position = installation().part(export_jobs), begun_at(visit)
    job_basis, retry = basis(shown_position), visit.page_request.text(RETRY, 5) == "1"
    job = jobs.ask(task, job_basis, any_basis=bool(shown_position), retry=retry, wait_s=wait_s)
    if job is not None and job.answer is not None and job.position < shown_position:
        return jobs.ask(task, job_basis, retry=retry, wait_s=wait_s)
    return job


def begun_at(visit: Visit) -> int:
    """Return the position of the job whose progress this browser was shown; 0 if it was shown none."""
    text = visit.page_request.text(FROM, 20)
    return int(text) if text.isascii() and text.isdecimal() else 0


def progress_page(visit: Visit, job: Job | None, *, is_part: bool) -> HttpResponse:
    """Answer with the progress, then with the link to the file, or the reason. The first reader is recorded."""
    is_retry = visit.page_request.text(RETRY, 5) == "1"
    if is_part or (begun_at(visit) and not is_retry):
        visit.looking.skip()
    else:
        visit.looking.asks_for_file()
    query = visit.request.GET.copy()
    query.pop(RETRY, None)
    if job is not None and job.position:
        query[FROM] = str(job.position)
    address = f"{visit.request.path}?{query.urlencode()}"
    context = {"job": job, "address": address, "retry_url": f"{address}&{RETRY}=1", "path": visit.request.path}
    template = "pages/export/answer.html" if is_part else "pages/export.html"
    with translation.override(visit.request.LANGUAGE_CODE):  # the file itself may be in English for all readers
        return visit.render(template, status=200, **context)


def not_yet(job: Job | None) -> HttpResponse:
    """Answer a program: the reason why there is no file, or when to try again."""
    if job is not None and job.failure is not None:
        return response_builders.problem(msgspec.structs.replace(job.failure, status=422, title="No file"))
    percent = job.percent if job is not None else 0
    response = response_builders.problem(problem_about(503, "Not ready", coded("file-not-ready", percent=percent)))
    response.headers["Retry-After"] = "5"
    return response
