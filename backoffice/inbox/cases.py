"""Due tasks, requests and expiring recordings of cases, each for a reader who may see the case."""

from collections.abc import Iterator
from datetime import datetime

import msgspec
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from backoffice.case_files.decrypted_cases import CaseReader, cases_of, requests_of
from backoffice.cases.bookmarks.states import expiring, extended
from backoffice.cases.lists import tasks_due
from backoffice.forms.summaries import ActionPlace, Line
from backoffice.inbox.matter import Matter
from backoffice.kit.due_actions import PageLink
from backoffice.wording import formats
from backoffice.wording.vocabulary import word
from events.cases.access import READERS, may_work
from events.cases.case_file import Bookmark, CaseFile, CaseTask
from events.runtime import clock


def case_matters(reader: CaseReader) -> list[Matter]:
    """Return the tasks that are due, the requests that wait for the reader, and recordings that expire soon. A subject
    of a case gets none of it."""
    if set(READERS).isdisjoint(reader.roles):
        return []
    today = clock.moment().date().isoformat()
    due = [_task(file, task, today) for file, task in tasks_due(reader) if task.due and task.due <= today]
    return [*_requests(reader), *_recordings(reader), *due]


def _requests(reader: CaseReader) -> Iterator[Matter]:
    for file in cases_of(reader):
        if may_work(file, reader.person, reader.roles):
            for request in requests_of(file):
                if request.person != reader.person:
                    yield _matter(file, "amber", word(request.action), Line(_("by"), request.person, is_person=True))


def _recordings(reader: CaseReader) -> Iterator[Matter]:
    """Yield the recordings that expire soon, for every reader of the case, with the way to save them."""
    for file in cases_of(reader):
        ways = may_work(file, reader.person, reader.roles) and file.status == "open"
        for bookmark in expiring(file):
            yield _recording(file, bookmark, may_extend=ways)


def _recording(file: CaseFile, bookmark: Bookmark, *, may_extend: bool) -> Matter:
    ends = [formats.at(datetime.fromisoformat(time), "short") for time in (bookmark.from_, bookmark.to)]
    matter = _matter(
        file,
        "amber",
        _("recording of camera %(camera)s expires") % {"camera": bookmark.camera},
        Line(_("Time"), " – ".join(ends)),
    )
    to_do = Line(_("To do"), _("Protect the recording on the recorder, or copy it. Then record its new expiry."))
    query = f"?{urlencode(extended(bookmark) | {'form-back': reverse('inbox')})}"
    extend = PageLink(_("Record new expiry"), "case-case.bookmark", {"name": file.id}, query)
    return msgspec.structs.replace(
        matter,
        beside=(*matter.beside, to_do),
        until=datetime.fromisoformat(bookmark.expires or bookmark.to),
        is_lapsing=True,
        ways=(*((extend,) if may_extend else ()), *matter.ways),
    )


def _task(file: CaseFile, task: CaseTask, today: str) -> Matter:
    return _matter(file, "red" if (task.due or "") < today else "amber", task.what, Line(_("Due day"), task.due or ""))


def _matter(file: CaseFile, state: str, title: str, line: Line) -> Matter:
    return Matter(
        kind="cases",
        state="red" if state == "red" else "amber",
        title=f"{file.title}: {title}",
        place=ActionPlace("cases", "", ""),
        position=0,
        time=None,
        roles=frozenset(READERS),
        beside=(line,),
        ways=(PageLink(_("Show case"), "case", {"name": file.id}),),
    )
