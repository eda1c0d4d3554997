"""The form of a bookmark: read from a request, with the defaults of its subject."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.http import QueryDict
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from backoffice.case_files.case_queries import cases_of
from backoffice.cases.video_bookmarks.bookmark_subject_and_period import BookmarkSubject, subject_of
from backoffice.cases.video_bookmarks.video_bookmark_creation import BookmarkOrder
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.wording.copy_row_into_page_struct import struct_from
from backoffice.wording.formats import exact
from events.cases.access import may_work
from events.cases.decrypted_case import CaseFile
from events.error_codes import coded
from events.errors import Invalid

CAMERAS_MAX = 20
NEW_CASE = "new"
_ABOUT = ("event", "alert", "back")
_OPENING = ("title", "category", "severity")


class BookmarkForm(msgspec.Struct, frozen=True, kw_only=True):
    """A form as it is shown. Times are those of the house's clocks, `exact` those of the subject in UTC."""

    subject: BookmarkSubject
    back: str
    form: str
    case: str
    opening: Mapping[str, str]
    cameras: Sequence[tuple[str, bool]]
    other: str = ""
    since: str = ""
    until: str = ""
    exact: tuple[str, str] = ("", "")
    note: str = ""
    is_protected: bool = False
    send_to: str = ""


def open_cases(reader: Reader) -> tuple[CaseFile, ...]:
    """Return the open cases on which the reader may work, the newest first."""
    return tuple(
        file for file in cases_of(reader) if file.status == "open" and may_work(file, reader.person, reader.roles)
    )


def new_form(parameters: QueryDict, reader: Reader, last_case: str, send_to: str) -> BookmarkForm:
    """Return the form for the subject that the address names: its own case, else the last one. Raises Unknown."""
    subject_ids = {name: str(parameters.get(name, ""))[:200] for name in _ABOUT}
    subject = subject_of(subject_ids["event"], subject_ids["alert"], reader)
    ends = (subject.since, subject.until)
    files = open_cases(reader)
    own = next((file.id for file in files if _is_about(file, subject)), "")
    return BookmarkForm(
        subject=subject,
        back=_back(subject_ids["back"]),
        form=secrets.token_hex(8),
        case=last_case if any(file.id == last_case for file in files) else own or (NEW_CASE if not files else ""),
        opening={"title": subject.title, "category": "procedure", "severity": "medium"},
        cameras=[(camera, True) for camera in subject.cameras],
        since=_local(ends[0]),
        until=_local(ends[1]),
        exact=(_exact(ends[0]), _exact(ends[1])),
        send_to=send_to,
    )


def read_posted_form(posted: QueryDict, reader: Reader) -> BookmarkForm:
    """Return the form as it was sent. Raises Unknown for a subject that the reader may not see."""
    text = {name: str(posted.get(name, ""))[:4_000].strip() for name in posted}
    subject = subject_of(text.get("event", "")[:200], text.get("alert", "")[:200], reader)
    chosen = set(posted.getlist("camera"))
    return BookmarkForm(
        subject=subject,
        back=_back(text.get("back", "")),
        form=text.get("form", "")[:32],
        case=text.get("case", ""),
        opening={name: text.get(name, "") for name in _OPENING},
        cameras=[(camera, camera in chosen) for camera in subject.cameras],
        other=text.get("other", ""),
        since=text.get("since", ""),
        until=text.get("until", ""),
        exact=(_exact(subject.since), _exact(subject.until)),
        note=text.get("note", ""),
        is_protected=text.get("kept", "") == "protected",
        send_to=text.get("send_to", ""),
    )


def order_of(form: BookmarkForm) -> BookmarkOrder:
    """Return the bookmarks that the form asks for. Raises Invalid, with the field."""
    others = [name.strip() for name in form.other.split(",")]
    names = [*(camera for camera, is_chosen in form.cameras if is_chosen), *filter(None, others)]
    if not names or len(names) > CAMERAS_MAX:
        raise Invalid("camera", coded("bookmark-camera-missing", most=CAMERAS_MAX))
    if not form.case:
        raise Invalid("case", coded("bookmark-case-missing"))
    return struct_from(
        form,
        BookmarkOrder,
        cameras=tuple(dict.fromkeys(names)),
        since=_moment(form.since, form.subject.since, "from"),
        until=_moment(form.until, form.subject.until, "to"),
        case="" if form.case == NEW_CASE else form.case,
    )


def _is_about(file: CaseFile, subject: BookmarkSubject) -> bool:
    refs = {subject.event, subject.alert, subject.round} - {""}
    return any(piece.ref in refs for piece in file.evidence)


def _back(address: str) -> str:
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(address, None)
    return address if is_ours else ""


def _local(moment: datetime | None) -> str:
    """Return a moment as a field of a form has it, by the clocks of the house."""
    if moment is None:
        return ""
    return moment.astimezone(timezone.get_default_timezone()).replace(tzinfo=None).isoformat(timespec="seconds")


def _exact(moment: datetime | None) -> str:
    return exact(moment) if moment else ""


def _moment(text: str, default: datetime | None, field: str) -> datetime:
    """Return the moment of a field. An unchanged one is the subject's own: clocks show an hour twice a year."""
    if default is not None and text in (_local(default), ""):
        return default
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid(field, coded("bookmark-time-missing")) from error
    return moment if moment.tzinfo else timezone.make_aware(moment, timezone.get_default_timezone())


def context_of(form: BookmarkForm, reader: Reader, destinations: Sequence[str]) -> dict[str, Any]:
    """Return the page's content beside the form: the cases to choose from, and the video systems."""
    return {"bookmark": form, "cases": open_cases(reader), "systems": destinations, "new_case": NEW_CASE}
