"""The page of the log of deliveries, for the administrator of the house, and a case's bookmarks sent again."""

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import PERSON
from backoffice.case_files.case_queries import case_to_work_on
from backoffice.deliveries.attempt_listing import AttemptLog, attempt_log
from backoffice.deliveries.bookmark_push_list_and_repeat import repeat_case_push, repeat_push
from backoffice.deliveries.personal_subscriptions import let_try_again
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, Page, PageAddress, PageRequest
from backoffice.kit.reader_and_read_rule_types import ReadRule, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.models import Delivery
from backoffice.people.roles_allowed_per_page import SYSTEM
from events.cases.access import WORKERS

MAY_REPEAT = ReadRule(("administrator",))  # auditors read, and change nothing


def _log(request: PageRequest) -> AttemptLog:
    texts = request.text("state", 16), request.text("destination", 64), request.text("after", 18)
    return attempt_log(request.reader, *texts)


def _again(visit: Visit) -> HttpResponse:
    """Have a delivery or a bookmark sent again, under the same id."""
    if visit.request.method == "POST":
        delivery = str(visit.request.POST.get("id", ""))[:64]
        if not let_try_again(Delivery.objects.filter(id=delivery), visit.reader):
            repeat_push(delivery, visit.reader)
    return HttpResponseRedirect(reverse("deliveries"))


def _bookmark_again(visit: Visit) -> HttpResponse:
    """Have a bookmark of a case sent again, by a person who may work on the case. Raises Unknown without access."""
    case = case_to_work_on(str(visit.place("name")), visit.reader).id
    if visit.request.method == "POST":
        repeat_case_push(case, str(visit.request.POST.get("id", ""))[:64], visit.reader)
    return HttpResponseRedirect(reverse("case", kwargs={"name": case}) + "#videos")


DELIVERIES = Page(
    name="deliveries",
    path="system/deliveries",
    title=_("Deliveries"),
    open_to=SYSTEM,
    template="pages/deliveries.html",
    query=_log,
    shown_as="log",
    add_context=lambda visit, _log: {
        "may_repeat": MAY_REPEAT.admits(visit.reader),
        "query": visit.query_without("after"),
    },
    under="system",
    looks=AccessLogRule(PERSON, lambda log: len(log.attempts)),
    endpoint=Endpoint(
        name="deliveries",
        path="system/deliveries",
        answer=AttemptLog,
        meaning="Attempts to send news to subscribers, newest first: destination, result and next attempt, no content.",
        parameters={
            "state": {
                "type": "string",
                "description": "Only deliveries in this state: waiting, sent, failed or dropped",
            },
            "destination": {
                "type": "string",
                "description": "Only deliveries to the destination of this name; `mail` for e-mails",
            },
            "after": {"type": "string", "description": "Continue from here: `next` of the previous page"},
        },
    ),
    also=(
        PageAddress("deliveries-again", "system/deliveries/do/again", _again, does=True, open_to=MAY_REPEAT),
        PageAddress(
            "case-push-again", "cases/<str:name>/recordings/again", _bookmark_again, does=True, open_to=roles(*WORKERS)
        ),
    ),
)
