"""The page of the log of deliveries, for the administrator of the house, and a case's bookmarks sent again.

The attempts are shown newest first: ids, destinations and results, and no content.
"""

from datetime import datetime

import msgspec
from django.db.models import Count, QuerySet
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import PERSON
from backoffice.case_files.case_queries import case_to_work_on
from backoffice.deliveries.bookmark_push_list_and_repeat import PushRow, push_log, repeat_case_push, repeat_push
from backoffice.deliveries.destinations_configuration_file import destinations
from backoffice.deliveries.personal_subscriptions import STATE_WORDS, let_try_again, result_words, title_of
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, Page, PageAddress, PageRequest
from backoffice.kit.reader_and_read_rule_types import Reader, ReadRule, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.models import Delivery, DeliveryAttempt
from backoffice.people.roles_allowed_per_page import SYSTEM
from events.cases.access import WORKERS

PAGE = 100
MAY_REPEAT = ReadRule(("administrator",))  # auditors read, and change nothing


class AttemptRow(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt to send a delivery. `is_interrupted`: it has no result, since the sender was killed or still sends."""

    number: int
    at: datetime
    delivery: str
    person: str
    title: str
    kind: str
    destination: str
    state: str
    status: str
    result: str
    next_try_at: datetime | None
    requested_by: str
    is_interrupted: bool
    may_repeat: bool


class AttemptLog(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the log. `after=next` continues, null at the end. `states`: the number of deliveries by state.

    `pushes`: the newest bookmarks that go to video systems, on the first page.
    """

    attempts: tuple[AttemptRow, ...]
    next: str | None
    states: tuple[tuple[str, str, int], ...]
    destinations: tuple[str, ...]
    state: str
    destination: str
    pushes: tuple[PushRow, ...] = ()


def attempt_log(reader: Reader, state: str = "", destination: str = "", after: str = "") -> AttemptLog:
    """Return a page of the log: attempts whose delivery has this state now, to this destination ("mail": e-mails)."""
    rows = _matching(state, destination)
    if after.isascii() and after.isdecimal() and len(after) < 18:
        rows = rows.filter(id__lt=int(after))
    page_rows = [*rows.select_related("delivery__subscription").order_by("-id")[: PAGE + 1]]
    counted = dict(Delivery.objects.values("state").annotate(n=Count("id")).values_list("state", "n"))
    return AttemptLog(
        attempts=tuple(map(_row, page_rows[:PAGE])),
        next=str(page_rows[PAGE - 1].id) if len(page_rows) > PAGE else None,
        states=tuple((name, str(words), counted.get(name, 0)) for name, words in STATE_WORDS.items()),
        destinations=_names(),
        state=state,
        destination=destination,
        pushes=() if after else push_log(reader, state, destination),
    )


def _matching(state: str, destination: str) -> QuerySet[DeliveryAttempt]:
    rows = DeliveryAttempt.objects.all()
    if state in STATE_WORDS:
        rows = rows.filter(delivery__state=state)
    if destination == "mail":
        return rows.filter(kind="mail")
    return rows.filter(destination=destination) if destination else rows


def _names() -> tuple[str, ...]:
    """Return the names of all destinations in the file; addresses are never shown."""
    named = destinations()
    return ("mail", *sorted({*named.webhooks, *named.folders, *named.video_systems}))


def _row(row: DeliveryAttempt) -> AttemptRow:
    delivery = row.delivery
    state = row.state or "waiting"
    return AttemptRow(
        number=row.id,
        at=row.at,
        delivery=delivery.id,
        person=delivery.subscription.person,
        title=title_of(delivery.subscription),
        kind=row.kind,
        destination=row.destination,
        state=state,
        status=str(STATE_WORDS[state]),
        result=result_words(row.result),
        next_try_at=row.next_try_at if delivery.state == "waiting" else None,
        requested_by=row.requested_by,
        is_interrupted=not row.state,
        may_repeat=delivery.state in ("failed", "sent") and delivery.subscription.ended_at is None,
    )


def _requested_log(request: PageRequest) -> AttemptLog:
    texts = request.text("state", 16), request.text("destination", 64), request.text("after", 18)
    return attempt_log(request.reader, *texts)


def _send_again(visit: Visit) -> HttpResponse:
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
    query=_requested_log,
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
        PageAddress("deliveries-again", "system/deliveries/do/again", _send_again, does=True, open_to=MAY_REPEAT),
        PageAddress(
            "case-push-again", "cases/<str:name>/recordings/again", _bookmark_again, does=True, open_to=roles(*WORKERS)
        ),
    ),
)
