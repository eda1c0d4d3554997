"""Send a bookmark: open the case if it is new, then bookmark the recording of each camera.

The keys of the actions follow from their content. So a form that is sent twice, or again after a failure in the
middle, makes each bookmark once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from backoffice.case_files.case_queries import case_for
from backoffice.cases.video_bookmarks.bookmark_subject_and_period import BookmarkSubject
from backoffice.days import caught_up_cage_and_count_books
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.formats import exact
from events.cases.decrypted_case import Bookmark, CaseFile
from events.desk.command_and_answer_structs import Answer
from events.envelope import Action
from events.house.cameras_by_table_setting import expiry
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import NEW, Target


class BookmarkOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Bookmarks to make: the subject, the cameras, the time, and the case ("": a new one, by `opening`).

    `is_protected`: the recorder keeps the recording for `video_event_days`. `form` is the same for a repeated form.
    """

    subject: BookmarkSubject
    cameras: Sequence[str]
    since: datetime
    until: datetime
    case: str = ""
    opening: Mapping[str, str] = {}
    note: str = ""
    is_protected: bool = False
    send_to: str = ""
    form: str = ""


class BookmarkResult(msgspec.Struct, frozen=True):
    """The result: the case ("" where none was opened), and the refusal of the first action that failed."""

    case: str
    problem: Problem | None = None


def bookmark(visit: Visit, order: BookmarkOrder) -> BookmarkResult:
    """Make the bookmarks of an order. Raises Unknown for a case that the reader may not see."""
    case = order.case
    if not case:
        reply = _open(visit, order)
        if isinstance(reply, Problem):
            return BookmarkResult("", reply)
        case = reply
    file = case_for(case, visit.reader)
    for camera in order.cameras:
        data = data_of(order, camera)
        if not is_bookmarked(file, data):
            answer = _send(visit, Target("cases", case), "case.bookmark", _key(visit, case, data), data)
            if isinstance(answer, Problem):
                return BookmarkResult(case, answer)
    return BookmarkResult(case)


def data_of(order: BookmarkOrder, camera: str) -> dict[str, str]:
    """Return the data of the action for a camera."""
    until = exact(order.until)
    subject = order.subject
    days = caught_up_cage_and_count_books.books().settings.video_event_days
    data = {
        "camera": camera,
        "from": exact(order.since),
        "to": until,
        "note": order.note,
        "expires": expiry(until, days) if order.is_protected else "",
        "event": subject.event,
        "alert": subject.alert,
        "table": subject.table,
        "send_to": order.send_to,
    }
    return {name: value for name, value in data.items() if value}


def is_bookmarked(file: CaseFile, data: Mapping[str, str]) -> bool:
    """Return whether the case has this bookmark already, with an expiry that is no earlier."""

    def fits(bookmark: Bookmark) -> bool:
        about = (bookmark.ref_event or "", bookmark.ref_alert or "", bookmark.send_to or "")
        return (
            bookmark.recording == (data["camera"], data["from"], data["to"])
            and about == (data.get("event", ""), data.get("alert", ""), data.get("send_to", ""))
            and (bookmark.expires or "") >= data.get("expires", "")
        )

    return any(map(fits, file.bookmarks))


def _open(visit: Visit, order: BookmarkOrder) -> str | Problem:
    """Open the new case with the subject as its evidence; return its id."""
    subject = order.subject
    data: dict[str, Any] = {name: value for name, value in order.opening.items() if value}
    data |= {"alerts": [subject.alert]} if subject.alert else {}
    data |= {"events": [subject.event]} if subject.event else {}
    data |= {"rounds": [subject.round]} if subject.round else {}
    data |= {"places": [subject.table]} if subject.table else {}
    answer = _send(visit, Target("cases", NEW), "case.open", f"bookmark-case:{_digest(visit, order.form)}", data)
    if isinstance(answer, Problem):
        return answer
    events = [msgspec.json.decode(entry.event) for entry in answer.events]
    return str(events[0]["data"]["case"])


def _send(visit: Visit, target: Target, kind: str, key: str, data: Mapping[str, Any]) -> Answer | Problem:
    action = Action(type=kind, key=key, data=msgspec.Raw(msgspec.json.encode(data)))
    reply = visit.frame.services.send(visit.request, target, action)
    if isinstance(reply, Answer):
        visit.frame.services.until(reply.position)
    assert isinstance(reply, Answer | Problem), "a bookmark is no check"
    return reply


def _key(visit: Visit, case: str, data: Mapping[str, str]) -> str:
    return f"bookmark:{_digest(visit, case, *(f'{name}={value}' for name, value in sorted(data.items())))}"


def _digest(visit: Visit, *parts: str) -> str:
    return hashlib.sha256("\0".join((visit.reader.person, *parts)).encode()).hexdigest()[:40]
