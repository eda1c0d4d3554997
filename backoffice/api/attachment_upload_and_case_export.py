"""Files of a case for programs: POST .../attachments uploads one, POST .../exports exports the case.

The file of an attachment is the body itself, and its type follows from its content. `case.attach` then names its
digest. An export has a key of the sender's choice, so that the same request again is the same export.
"""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from backoffice.access.refusal_log_writer import access_log
from backoffice.api.actions import REFUSALS, problem, problem_of_refusal, small_body
from backoffice.api.json_response import rendered
from backoffice.case_files.case_queries import case_for
from backoffice.cases import attachment_upload_and_download, case_export_views
from backoffice.cases.export.case_exporter import Exporter, must_be_begun
from backoffice.freshness.freshness import freshness
from backoffice.installation.dependency_injection import installation
from backoffice.kit import access_denied_answers, response_builders
from backoffice.kit.file_download_or_background_job import PAGE_S, not_yet
from backoffice.kit.reader_and_read_rule_types import Reader, roles
from backoffice.people import badge_and_key_authentication
from backoffice.people.current_roles import roles_of
from backoffice.people.request_identity import caller
from backoffice.wording.error_code_sentences import answered_in
from events.cases.access import READERS, may_work
from events.cases.decider import CLAUSE
from events.cases.decrypted_case import CaseFile
from events.envelope import Who
from events.error_codes import coded
from events.errors import Invalid, PitledgerError, Refused
from events.settings.settings_from_environment import settings
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target

KEY_MAX = 128
# Refusals of files that HTTP has a status for.
_STATUSES = {
    "case-file-too-large": (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Too large"),
    "case-files-too-large": (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Too large"),
    "case-file-type": (HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Type not accepted"),
}


class ExportRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to export a case. The same key again is the same export."""

    key: Annotated[str, msgspec.Meta(min_length=1, max_length=KEY_MAX)]


Work = Callable[[HttpRequest, CaseFile, Reader], object]


def _case_answer(request: HttpRequest, name: str, what: str, work: Work) -> HttpResponse:
    """Answer a request of a person who may work on the case; a refusal leaves a line in the access log."""
    who: Who | None = None
    source, accepted = request.META.get("REMOTE_ADDR", ""), request.headers.get("Accept-Language", "")
    try:
        who = badge_and_key_authentication.authenticate_sender(request.headers)
        reader = Reader(who.person, roles_of(who.person), who.device or "")
        file = case_for(name, reader)
        if not may_work(file, reader.person, reader.roles):
            raise Refused(CLAUSE, coded("case-read-only"))
        return rendered(work(request, file, reader), 200).django()
    except REFUSALS as error:
        details = answered_in(_with_status(problem_of_refusal(error)), accepted)
        return problem(details, who, Target("cases", name), what, source).django()


def _with_status(details: Problem) -> Problem:
    """Return a problem with the status that HTTP has for it."""
    status, title = _STATUSES.get(details.code or "", (details.status, details.title))
    return msgspec.structs.replace(details, status=int(status), title=title)


@csrf_exempt
@require_POST
def attachments(request: HttpRequest, name: str) -> HttpResponse:
    """Store the body as a file of the case, for `case.attach`. The same file again is the same answer."""
    return _case_answer(request, name, "attachment", _stored)


def _stored(request: HttpRequest, file: CaseFile, _reader: Reader) -> attachment_upload_and_download.StoredAttachment:
    if file.status == "closed":
        raise Refused(CLAUSE, coded("case-closed"))
    most = settings().case_file_mb << 20
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > most:
        raise Invalid("file", coded("case-file-too-large", most=settings().case_file_mb))
    return attachment_upload_and_download.store_file(file, request.read(most + 1))


@csrf_exempt
@require_POST
def case_exports(request: HttpRequest, name: str) -> HttpResponse:
    """Export the case: at once, or by a background job. The same key again is the same export, and its state."""
    return _case_answer(request, name, "export", _exported)


def _exported(request: HttpRequest, file: CaseFile, reader: Reader) -> case_export_views.ExportStatus:
    exporter = _exporter(request, reader)
    number = case_export_views.begin(file.id, exporter, _number(file.id, reader.person, _key(request)))
    if case_export_views.is_short(file, freshness().position):
        result = case_export_views.finished(file.id, exporter, number).result
    else:
        job = case_export_views.job_of(file.id, exporter, number, retry=True, wait_s=PAGE_S)
        if job is None or job.answer is None:
            return case_export_views.ExportStatus(number, is_ready=False, percent=job.percent if job else 0)
        result = job.answer
    return case_export_views.ExportStatus(number, True, 100, result.events, result.files, result.missing)


def _key(request: HttpRequest) -> str:
    body = small_body(request.headers, request.read)
    try:
        return msgspec.json.decode(body, type=ExportRequest).key
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid("body", coded("body-malformed", why=str(error))) from error


def _number(case: str, person: str, key: str) -> str:
    """Return the number of the export with this key: no one else's key leads to it."""
    return hashlib.sha256(msgspec.json.encode(["case export", case, person, key])).hexdigest()[:32]


def _exporter(request: HttpRequest, reader: Reader) -> Exporter:
    return Exporter(reader.person, reader.roles, request.META.get("REMOTE_ADDR", ""))


# --- the archive ------------------------------------------------------------------------------------------------------

OPEN_TO = roles(*READERS)


@require_GET
def case_archive(request: HttpRequest, name: str, export: str) -> HttpResponseBase:
    """Answer with the archive of an export, for the person who began it. 503 until it is ready."""
    reader = caller(request)
    if not OPEN_TO.admits(reader):
        return access_denied_answers.at_the_interface(request, reader, OPEN_TO, lambda: installation().part(access_log))
    exporter = _exporter(request, reader)
    try:
        file = case_for(name, reader)
        must_be_begun(file.id, exporter, export)
        if case_export_views.is_short(file, freshness().position):
            return case_export_views.download(file.id, case_export_views.finished(file.id, exporter, export), exporter)
        job = case_export_views.job_of(file.id, exporter, export, wait_s=PAGE_S)
        if job is None or job.answer is None:
            return not_yet(job)
        return case_export_views.download(file.id, case_export_views.finished(file.id, exporter, export), exporter)
    except PitledgerError as error:
        return response_builders.not_shown(error)
