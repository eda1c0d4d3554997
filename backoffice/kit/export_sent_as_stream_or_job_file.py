"""Exports of any length. A short one is sent while it is read; a long one is a file that a background job writes.

A browser sees the progress, then a link to the file, or the reason for the failure. A program gets the file while it is
written. Readers with the same question share one job; a stopped job continues after the last saved line.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import chain

import msgspec
from django.db import connections
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_progress_and_saved_steps import Progress, WrittenPart
from backoffice.jobs.job_state_and_lease_files import Basis, parts_of
from backoffice.jobs.on_demand_jobs import Job, Jobs, Task, export_jobs
from backoffice.kit import file_download_or_background_job
from backoffice.kit.visit_request_and_rendering import Visit
from events.error_codes import coded
from events.errors import Retry

PART_BYTES = 2**22  # of a file, written at once
LOOK_S = 0.2  # between two reads of a file that is being written


class Piece(msgspec.Struct, frozen=True):
    """Lines of an export, and the position up to which the store was read for them."""

    content: bytes
    lines: int
    at: int


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """An export: the lines after one position up to another (0: the end), and the name of the file.

    `question` has all input of the lines in addition to the basis. `basis` returns it as of a position, 0 for now.
    `end` returns the last line, made of the SHA-256 of those before it.
    """

    question: tuple[str, ...]
    pieces: Callable[[int, int], Iterable[Piece]]
    basis: Callable[[int], Basis]
    holds: Callable[[Basis], bool] | None = None
    kind: str
    name: str
    head: Callable[[int], bytes] = lambda _position: b""
    end: Callable[[str], bytes] = lambda _digest: b""


class LongFile(msgspec.Struct, frozen=True):
    """The answer of a job: how many bytes of its content are valid, and how many lines of the export are in it."""

    size: int
    lines: int


def answer(visit: Visit, export: Export, *, is_short: bool) -> HttpResponseBase:
    """Answer with the export: at once, or by a background job."""
    if is_short:
        return _file(visit, export, _at_once(export))
    jobs = installation().part(export_jobs)
    task = Task(
        question=export.question,
        shape=LongFile,
        work=lambda progress, basis: _write(export, progress, basis),
        holds=export.holds,
    )
    is_part = visit.request.headers.get("HX-Request") == "true"
    is_page = "text/html" in visit.request.headers.get("Accept", "")
    job = file_download_or_background_job.ask(
        visit, task, export.basis, wait_s=0.0 if is_part else file_download_or_background_job.PAGE_S
    )
    if job is not None and job.answer is not None and not is_part:
        visit.looking.entry_count = job.answer.lines
        return _file(visit, export, _finished_file(jobs, task, job.answer.size))
    if is_part or is_page:
        return file_download_or_background_job.progress_page(visit, job, is_part=is_part)
    if job is None or job.failure is not None:
        visit.looking.skip()
        return file_download_or_background_job.not_yet(job)
    return _file(visit, export, _followed(jobs, task, job))


def _file(visit: Visit, export: Export, parts: Iterator[bytes]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(visit.looking.log_sent_parts(parts), content_type=export.kind)
    response["Content-Disposition"] = f'attachment; filename="{export.name}"'
    return response


def _at_once(export: Export) -> Iterator[bytes]:
    digest, head = hashlib.sha256(), export.head(export.basis(0).position)
    for content in chain([head], (piece.content for piece in export.pieces(0, 0))):
        digest.update(content)
        yield content
    yield export.end(digest.hexdigest())


# --- the file of a job ------------------------------------------------------------------------------------------------


def _finished_file(jobs: Jobs, task: Task, size: int) -> Iterator[bytes]:
    """Yield a finished file. A file that expires meanwhile is sent completely. Raises Retry where it is gone
    already."""
    content = jobs.content(task)
    if content is None and size:
        raise Retry(coded("export-expired"))
    with content or BytesIO() as opened:
        yield from parts_of(opened, size)


def _followed(jobs: Jobs, task: Task, job: Job) -> Iterator[bytes]:
    """Yield the file while it is written. Raises Retry if the job fails or begins again: the answer then breaks off."""
    basis, content = Basis(job.position), None
    try:
        while True:
            now = jobs.ask(task, basis, any_basis=True, wait_s=LOOK_S)
            if now is None:
                time.sleep(LOOK_S)
                continue
            if now.failure is not None or (content is not None and now.position != basis.position):
                raise Retry(now.reason or coded("export-began-again"))
            size = jobs.written_part(task).size if now.answer is None else now.answer.size
            if size and content is None:
                content, basis = jobs.content(task), Basis(now.position)
            if content is not None:
                yield from parts_of(content, size)
            if now.answer is not None:
                return
    finally:
        if content is not None:
            content.close()


def _write(export: Export, progress: Progress, basis: Basis) -> LongFile:
    """Write the file, in the thread of the jobs, with database connections of its own."""
    close_stale_connections()
    try:
        written_part = progress.written_part()
        if not written_part.size:
            written_part = progress.add(written_part, export.head(basis.position), at=0, lines=0)
        if written_part.at < basis.position:
            written_part = _body(export, progress, written_part, basis.position)
        if written_part.at == basis.position:
            written_part = progress.add(
                written_part, _end_line(export, progress, written_part), at=basis.position + 1, lines=0
            )
        return LongFile(written_part.size, written_part.lines)
    finally:
        connections.close_all()


def _body(export: Export, progress: Progress, written_part: WrittenPart, until: int) -> WrittenPart:
    """Add the lines that are not in the file yet."""
    pieces, size, lines = list[bytes](), 0, 0
    for piece in export.pieces(written_part.at, until):
        pieces.append(piece.content)
        size, lines = size + len(piece.content), lines + piece.lines
        progress.reached(piece.at / until)
        if piece.at < until and (size >= PART_BYTES or progress.is_save_due):
            written_part = progress.add(written_part, b"".join(pieces), at=piece.at, lines=lines)
            pieces, size, lines = [], 0, 0
    return progress.add(written_part, b"".join(pieces), at=until, lines=lines)


def _end_line(export: Export, progress: Progress, written: WrittenPart) -> bytes:
    digest = hashlib.sha256()
    for part in progress.written_parts(written):
        digest.update(part)
    return export.end(digest.hexdigest())
