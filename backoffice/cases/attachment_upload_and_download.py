"""Attachments of a case: uploaded, downloaded, and pictures shown as copies without metadata."""

import hashlib

import msgspec
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from backoffice.case_files.case_queries import case_for, case_to_work_on
from backoffice.cases import attachment_type_detection
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.error_code_sentences import message_of
from events.cases.case_key_and_file_vault import vault
from events.cases.decrypted_case import Attachment, CaseFile
from events.desk.command_and_answer_structs import Answer
from events.envelope import Action
from events.error_codes import coded
from events.errors import Invalid, PitledgerError
from events.settings.settings_from_environment import settings
from events.streams.problem_details import Problem, problem_of
from events.streams.stream_kind_declaration import Target

DOWNLOAD_POLICY = "sandbox; default-src 'none'; img-src 'self'"
NAME_MAX = 64


class StoredAttachment(msgspec.Struct, frozen=True):
    """An uploaded file of a case. `attachment` is the SHA-256 of its ciphertext, which `case.attach` names. `type`
    follows from its content. `size` is in bytes."""

    attachment: str
    type: str
    size: int


def store_file(file: CaseFile, content: bytes) -> StoredAttachment:
    """Store an uploaded file of a case. The same file again is stored once. It is removed after a day unless an action
    attaches it.

    Raises Invalid, Refused, and Retry where the database of the files does not answer.
    """
    media_type, keys = attachment_type_detection.check(content), vault()
    others = keys.sizes(file.id)
    others.pop(keys.digest_of_file(file.id, content), None)
    if sum(others.values()) + len(content) > settings().case_files_mb << 20:
        raise Invalid("file", coded("case-files-too-large", most=settings().case_files_mb))
    return StoredAttachment(keys.add_file(file.id, content, media_type), media_type, len(content))


def upload(visit: Visit) -> HttpResponse:
    """Attach the sent file to the case. Raises Unknown without access."""
    file = case_to_work_on(str(visit.place("name")), visit.reader)
    try:
        reply = _attached(visit, file)
    except PitledgerError as error:
        reply = problem_of(error)
    if isinstance(reply, Answer):
        visit.frame.services.until(reply.position)
        messages.success(visit.request, _("The file is attached."))
    else:
        assert isinstance(reply, Problem)
        messages.error(visit.request, message_of(reply, ""))
    return HttpResponseRedirect(reverse("case", kwargs={"name": file.id}))


def _attached(visit: Visit, file: CaseFile) -> Answer | Problem:
    sent = visit.request.FILES.get("file")
    most = settings().case_file_mb
    if sent is None or sent.size is None or sent.size > most << 20:
        raise Invalid("file", coded("case-file-too-large", most=most))
    digest = store_file(file, sent.read()).attachment
    data = {
        "attachment": digest,
        "name": _safe_file_name(sent.name or ""),
        "note": visit.request.POST.get("note", "").strip(),
    }
    data = {field: value for field, value in data.items() if value}
    key = f"attach:{hashlib.sha256(f'{file.id} {digest}'.encode()).hexdigest()[:40]}"
    action = Action(type="case.attach", key=key, data=msgspec.Raw(msgspec.json.encode(data)))
    reply = visit.frame.services.send(visit.request, Target("cases", file.id), action)
    assert isinstance(reply, Answer | Problem)
    return reply


def _safe_file_name(name: str) -> str:
    """Return a file's name without characters that a name cannot have."""
    printable = "".join(character for character in name.rpartition("/")[2] if character.isprintable())
    return printable.strip()[-NAME_MAX:].strip() or "file"


def download(visit: Visit) -> HttpResponse:
    """Return a file of the case: a picture with `?view=1` as a copy without metadata, any other as a download."""
    file = case_for(str(visit.place("name")), visit.reader)
    attachment = next((each for each in file.attachments if each.attachment == visit.place("file")), None)
    content = None if attachment is None else vault().file(file.id, attachment.attachment)
    if attachment is None or content is None:
        raise Http404(str(coded("case-file-unknown")))
    if attachment.type in attachment_type_detection.PICTURES and visit.request.GET.get("view"):
        response = HttpResponse(
            attachment_type_detection.picture_without_metadata(content, attachment.type), content_type=attachment.type
        )
        return _guarded(response, "inline")
    response = HttpResponse(content, content_type="application/octet-stream")
    return _guarded(response, f'attachment; filename="{_file_name(attachment)}"')


def _file_name(attachment: Attachment) -> str:
    """Return the name of a download: that of the file, in ASCII."""
    plain = attachment.name.encode("ascii", "ignore").decode()
    return "".join(character if character.isalnum() or character in "._- " else "_" for character in plain) or "file"


def _guarded(response: HttpResponse, disposition: str) -> HttpResponse:
    response.headers["Content-Disposition"] = disposition
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = DOWNLOAD_POLICY
    response.headers["Cache-Control"] = "no-store"
    return response
