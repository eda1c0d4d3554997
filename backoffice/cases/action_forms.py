"""Actions on cases: the forms of their pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from backoffice.case_files.case_queries import case_for, requests_of
from backoffice.cases.video_bookmarks.bookmark_subject_and_period import subject_of
from backoffice.cases.video_bookmarks.configured_video_system_names import video_systems
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.kit.page_declaration import Act, Choice, PageRequest, PendingRequest, Stage, approval_acts
from backoffice.people.people_choices import people_in_roles
from backoffice.wording import stream_currencies
from events.cases.access import READERS, is_subject
from events.errors import Unknown
from events.people.role_grant_decider import ROLES
from events.streams.stream_kind_declaration import NEW

_READING: Mapping[str, Sequence[str]] = {
    "roles": [role for role in READERS if role != "auditor"],
    "subject_roles": sorted(ROLES - {"system"}),
}


def _to_the_case(events: Sequence[Mapping[str, Any]]) -> str:
    """Return the address of the case that was opened."""
    return next((reverse("case", kwargs={"name": event["data"]["case"]}) for event in events), "")


OPEN_CASE = Act("cases", "case.open", _("Open case"), choices=_READING, is_tried=False, leads=_to_the_case)
OF_A_CASE = (
    Act("cases", "case.add", _("Add evidence"), choices=_READING, is_tried=False),
    Act("cases", "case.note", _("Add note"), is_tried=False),
    Act("cases", "case.bookmark", _("Bookmark recording"), is_tried=False),
    Act("cases", "case.attach", _("Attach uploaded file"), is_offered=False, is_tried=False),
    Act("cases", "case.task", _("Set task"), is_tried=False),
    Act("cases", "case.link", _("Link case"), is_tried=False),
    Act("cases", "case.grant", _("Change access"), is_tried=False),
    Act("cases", "case.hand_over", _("Hand over export"), is_offered=False, is_tried=False),
    Act("cases", "case.close", _("Close case"), is_tried=False, asks=lambda data: bool(data.concerns)),
    Act("cases", "case.reopen", _("Reopen case"), is_tried=False),
    Act("cases", "case.destroy_key", _("Destroy key"), is_tried=False, asks=lambda _data: True),
    *approval_acts("cases"),
)
ON_CLOSED = ("case.note", "case.link", "case.grant", "case.reopen", "case.hand_over", "case.destroy_key")
ON_OPEN = tuple(act.type for act in OF_A_CASE if act.type not in ("case.reopen", "case.destroy_key"))


def at_new_case(request: PageRequest) -> Stage:
    """The stream that an opening begins, with a title for its evidence."""
    title = _proposed_title(request)
    return Stage(NEW, proposals={"case.open": {"title": title}} if title else {})


def _proposed_title(request: PageRequest) -> str:
    """Return a title for the one alert, event or round of the address; "" for one that the reader may not see."""
    if any(len(request.parameters.getlist(name)) > 1 for name in ("events", "alerts", "rounds")):
        return ""
    try:
        title = subject_of(request.text("events", 200), request.text("alerts", 200), request.reader).title
    except Unknown:
        return ""
    round_name = request.text("rounds")
    return title or (gettext("Round %s") % round_name if round_name else "")


@cache_reads()
def at_case(request: PageRequest) -> Stage:
    """The case of this id, and the people who may get access or a task. Raises Unknown without access."""
    file = case_for(request.places["name"], request.reader)
    people = [choice for choice in people_in_roles(READERS, request.reader) if not is_subject(file, choice[0], ())]
    currency = stream_currencies.by_place().house
    choices: dict[str, Sequence[Choice]] = {"person": people}
    if systems := video_systems():
        choices["send_to"] = systems
    requests = {each.request: PendingRequest(each.action, each.person, each.input) for each in requests_of(file)}
    return Stage(file.id, currency=currency, choices=choices, title=file.title, requests=requests)
