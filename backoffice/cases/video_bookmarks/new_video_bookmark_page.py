"""The page on which a recording is bookmarked. From a replay or an alert one key is enough, once a case is chosen."""

from typing import Any, get_args

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec.structs import replace

from backoffice.case_files.case_queries import case_for
from backoffice.cases.video_bookmarks import video_bookmark_form as forms
from backoffice.cases.video_bookmarks.configured_video_system_names import video_systems
from backoffice.cases.video_bookmarks.video_bookmark_creation import bookmark
from backoffice.cases.video_bookmarks.video_bookmark_form import BookmarkForm
from backoffice.days import caught_up_cage_and_count_books
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.kit.page_declaration import Page, PageAddress
from backoffice.kit.reader_and_read_rule_types import Reader, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.error_code_sentences import error_sentence, message_of
from events.cases.access import WORKERS, may_work
from events.cases.action_structs import Category, Severity
from events.cases.decrypted_case import CaseFile
from events.errors import Invalid, Unknown

OPEN_TO = roles(*(role for role in WORKERS if role != "auditor"))
SESSION = "bookmark"  # the last choices of a person, in the session


def last_case(session: Any, reader: Reader) -> CaseFile | None:
    """Return the case of the person's last bookmark, while they may work on it."""
    name = session.get(SESSION, {}).get("case", "")
    try:
        file = case_for(name, reader) if name else None
    except Unknown:
        return None
    return file if file and file.status == "open" and may_work(file, reader.person, reader.roles) else None


@cache_reads()
def _show(visit: Visit) -> HttpResponse:
    """Show the form, filled in for the event or alert that the address names."""
    session = visit.request.session.get(SESSION, {})
    return _bookmark_page(
        visit, forms.new_form(visit.request.GET, visit.reader, session.get("case", ""), _system(session))
    )


def _bookmark_page(visit: Visit, form: BookmarkForm, error: str = "", field: str = "") -> HttpResponse:
    context = forms.context_of(form, visit.reader, video_systems())
    house = caught_up_cage_and_count_books.books().settings
    context |= {"categories": get_args(Category), "severities": get_args(Severity), "error": error, "field": field}
    context |= {"video_days": house.video_days, "video_event_days": house.video_event_days}
    return visit.render("pages/bookmark.html", status=422 if error else 200, **context)


def _make(visit: Visit) -> HttpResponse:
    """Make the bookmarks that were sent; of a press of the key in the case that was used last."""
    if visit.request.method != "POST":
        return HttpResponseRedirect(reverse("bookmark"))
    posted = visit.request.POST
    form = forms.read_posted_form(posted, visit.reader) if "form" in posted else _by_one_key(visit)
    if form is None:
        query = {name: posted.get(name, "") for name in ("event", "alert", "back")}
        return HttpResponseRedirect(f"{reverse('bookmark')}?{urlencode(query)}")
    return _save_form(visit, form)


def _by_one_key(visit: Visit) -> BookmarkForm | None:
    """Return the form as it is filled in, for the last case; None where there is a choice to make."""
    session = visit.request.session.get(SESSION, {})
    file = last_case(visit.request.session, visit.reader)
    if file is None:
        return None
    form = forms.new_form(visit.request.POST, visit.reader, file.id, _system(session))
    return form if form.cameras else None


def _save_form(visit: Visit, form: BookmarkForm) -> HttpResponse:
    try:
        order = forms.order_of(form)
        result = bookmark(visit, order)
    except Invalid as error:
        return _bookmark_page(visit, form, error_sentence(error), error.field)
    if result.problem is not None:
        return _bookmark_page(visit, replace(form, case=result.case or form.case), message_of(result.problem, ""))
    visit.request.session[SESSION] = {"case": result.case, "send_to": order.send_to}
    names = {"cameras": ", ".join(order.cameras), "case": case_for(result.case, visit.reader).title}
    messages.success(visit.request, _("Bookmarked in %(case)s: %(cameras)s") % names)
    return HttpResponseRedirect(form.back or reverse("case", kwargs={"name": result.case}))


def _system(session: dict[str, str]) -> str:
    """Return the video system of the last bookmark; before that the only one, if there is one."""
    systems = video_systems()
    if session.get("send_to", "") in systems or "send_to" in session:
        return session["send_to"] if session["send_to"] in systems else ""
    return systems[0] if len(systems) == 1 else ""


BOOKMARK = Page(
    name="bookmark",
    path="bookmark",
    title=gettext_lazy("Bookmark recording"),
    open_to=OPEN_TO,
    view=_show,
    under="cases",
    also=(PageAddress("bookmark-make", "bookmark/make", _make, does=True),),
)
