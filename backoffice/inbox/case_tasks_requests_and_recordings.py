"""Due tasks, requests and expiring recordings of cases, each for a reader who may see the case."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from backoffice.case_files.case_queries import CaseReader, CaseRequest, cases_of, requests_by_case
from backoffice.cases.case_list_and_detail_content import tasks_due
from backoffice.cases.video_bookmarks.expired_and_expiring_recordings import expiring, extended
from backoffice.forms.request_and_action_wording import ActionPlace, SummaryLine, action_lines
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.inbox.matter import Matter
from backoffice.kit.due_action_and_link_structs import DueAction, PageLink
from backoffice.wording import formats, stream_currencies
from backoffice.wording.code_to_word_translation import word
from events.cases.access import READERS, may_work
from events.cases.decrypted_case import Bookmark, CaseFile, CaseTask
from events.runtime import clock


@cache_reads()
def case_matters(reader: CaseReader) -> list[Matter]:
    """Return the tasks that are due, the requests that wait for the reader, and recordings that expire soon. A subject
    of a case gets none of it."""
    if set(READERS).isdisjoint(reader.roles):
        return []
    today = clock.moment().astimezone(ZoneInfo(formats.zone())).date().isoformat()
    due = [_task_matter(file, task, today) for file, task in tasks_due(reader) if task.due and task.due <= today]
    waiting = [
        _case_matter(file, "amber", word(request.action), SummaryLine(_("by"), request.person, is_person=True))
        for file, request in _open_requests(reader)
        if request.person != reader.person and may_work(file, reader.person, reader.roles)
    ]
    return [*waiting, *_recording_matters(reader), *due]


def own_case_requests(reader: CaseReader) -> list[Matter]:
    """Return the reader's own requests in cases that the reader may still see, with the right to withdraw each."""
    if set(READERS).isdisjoint(reader.roles):
        return []
    own = [(file, request) for file, request in _open_requests(reader) if request.person == reader.person]
    return [_own_request_matter(file, request) for file, request in own]


def _open_requests(reader: CaseReader) -> Iterator[tuple[CaseFile, CaseRequest]]:
    files = cases_of(reader)
    requests = requests_by_case(files)
    return ((file, request) for file in files for request in requests.get(file.id, ()))


def _own_request_matter(file: CaseFile, request: CaseRequest) -> Matter:
    lines = action_lines(request.action, request.input, stream_currencies.by_place().house)
    matter = _case_matter(file, "amber", word(request.action), *lines)
    key, data = f"withdraw:{request.content[:12]}", {"request": request.request}
    withdraw = DueAction(_("Withdraw request"), "", f"cases/{file.id}", key, "approval.withdraw", data)
    return msgspec.structs.replace(matter, until=_parse_time(request.until), requester_actions=(withdraw,))


def _parse_time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _recording_matters(reader: CaseReader) -> Iterator[Matter]:
    """Yield the recordings that expire soon, for every reader of the case, with the way to save them."""
    for file in cases_of(reader):
        may_extend = may_work(file, reader.person, reader.roles) and file.status == "open"
        for bookmark in expiring(file):
            yield _recording_matter(file, bookmark, may_extend=may_extend)


def _recording_matter(file: CaseFile, bookmark: Bookmark, *, may_extend: bool) -> Matter:
    ends = [formats.moment_text(datetime.fromisoformat(time), "short") for time in (bookmark.from_, bookmark.to)]
    matter = _case_matter(
        file,
        "amber",
        _("recording of camera %(camera)s expires") % {"camera": bookmark.camera},
        SummaryLine(_("Time"), " – ".join(ends)),
    )
    to_do = SummaryLine(_("To do"), _("Protect the recording on the recorder, or copy it. Then record its new expiry."))
    query = f"?{urlencode(extended(bookmark) | {'form-back': reverse('inbox')})}"
    extend = PageLink(_("Record new expiry"), "case-case.bookmark", {"name": file.id}, query)
    return msgspec.structs.replace(
        matter,
        further_lines=(*matter.further_lines, to_do),
        until=datetime.fromisoformat(bookmark.expires or bookmark.to),
        is_lapsing=True,
        links=(*((extend,) if may_extend else ()), *matter.links),
    )


def _task_matter(file: CaseFile, task: CaseTask, today: str) -> Matter:
    return _case_matter(
        file, "red" if (task.due or "") < today else "amber", task.what, SummaryLine(_("Due day"), task.due or "")
    )


def _case_matter(file: CaseFile, state: str, title: str, *lines: SummaryLine) -> Matter:
    return Matter(
        kind="cases",
        state="red" if state == "red" else "amber",
        title=f"{file.title}: {title}",
        place=ActionPlace("cases", "", ""),
        position=0,
        time=None,
        roles=frozenset(READERS),
        further_lines=lines,
        links=(PageLink(_("Show case"), "case", {"name": file.id}),),
    )
