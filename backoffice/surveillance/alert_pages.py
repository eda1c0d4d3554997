"""The wall of alerts, an alert with its proofs and forms, and both for programs."""

from typing import Any, get_args
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import ALERT
from backoffice.event_log.filters import BIGGEST, read_number
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.form_address_and_permission import may_send
from backoffice.kit.page_declaration import Act, Endpoint, LiveUpdate, MenuEntry, Page, PageAddress, PageRequest, Stage
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.people_choices import people_in_roles
from backoffice.people.roles_allowed_per_page import WATCH
from backoffice.surveillance import people_barred_from_alert_decision
from backoffice.surveillance.acknowledgement_lookup import is_acknowledged
from backoffice.surveillance.people_barred_from_alert_decision import AssignmentChoices
from backoffice.surveillance.raised_alert_queries import (
    ORDERS,
    PAGE,
    PAGE_MAX,
    STATUSES,
    AlertsPage,
    AlertWall,
    Looked,
    alert,
    alerts,
    count_open,
    wall,
)
from events.alerts.alert_action_structs_and_decider import Disposition
from events.error_codes import coded
from events.errors import Invalid
from events.house.alert_rules import RULES
from events.roles import WATCH as WATCH_ROLES
from projections.alerts.models import Alert

_OF_AN_ALERT = (
    Act("alerts", "alert.acknowledge", _("Acknowledge alert")),
    Act("alerts", "alert.assign", _("Assign alert")),
    Act("alerts", "alert.note", _("Add note")),
    Act("alerts", "alert.clear", _("Close alert")),
    Act("alerts", "alert.reopen", _("Reopen alert")),
)


def _people_who_watch(reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the people of surveillance, who can investigate alerts, by id and with the name for readers who may know
    names."""
    return tuple(people_in_roles(WATCH_ROLES, reader))


def _at_alert(request: PageRequest) -> Stage:
    """Return the alert of this id; any person of surveillance whom it does not concern can investigate it."""
    key = request.places["alert"]
    names = Alert.objects.filter(id=key).values_list("name", flat=True)
    title = "".join(capfirst(gettext(RULES[name].title)) for name in names if name in RULES)
    subjects = people_barred_from_alert_decision.of_alerts([key]).get(key, frozenset())
    people = [choice for choice in people_in_roles(WATCH_ROLES, request.reader) if choice[0] not in subjects]
    return Stage(key, choices={"person": people}, title=title)


def _alerts(request: PageRequest) -> AlertsPage:
    """Return a page of alerts for programs. Raises Invalid for a wrong parameter."""
    parameters = request.parameters
    limit = read_number(parameters, "limit")
    if limit is not None and not 1 <= limit <= PAGE_MAX:
        raise Invalid("limit", coded("alerts-limit", most=PAGE_MAX))
    return alerts(
        day=parameters.get("day") or "",
        name=parameters.get("name") or "",
        status=parameters.get("status") or "",
        order=parameters.get("order") or ORDERS[0],
        after=read_number(parameters, "after"),
        size=PAGE if limit is None else limit,
    )


ALERTS = Endpoint(
    name="alerts",
    path="alerts",
    answer=AlertsPage,
    meaning="Alerts for surveillance, each with the events that prove it.",
    query=_alerts,
    parameters={
        "day": {"type": "string", "format": "date", "description": "Only alerts of this gaming day"},
        "name": {"enum": [*RULES], "description": "Only alerts of this rule"},
        "status": {"enum": [*STATUSES], "description": "Only alerts in this state"},
        "order": {"enum": [*ORDERS], "default": ORDERS[0], "description": "By the position of the raising event"},
        "after": {
            "type": "integer",
            "minimum": 0,
            "maximum": BIGGEST,
            "description": "Continue from here: `next` of the previous page",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE},
    },
    open_to=WATCH,
)


def _wall(request: PageRequest) -> AlertWall:
    """Return the open alerts, or those of the requested status."""
    status, day = request.text("status"), request.text("day")
    return wall("" if status == "all" else status or "open", request.text("name"), day, request.text("after", 160))


def _choices(visit: Visit, wall: AlertWall) -> dict[str, Any]:
    """Return the filters for further pages, and the reader's own choices."""
    choices = {"status": wall.status or "all", "name": wall.name, "day": wall.day}
    query = urlencode({name: value for name, value in choices.items() if value})
    may_act = may_send(visit.reader, "alerts", "alert.assign")
    choices_of = AssignmentChoices()
    if may_act:
        subjects = people_barred_from_alert_decision.of_alerts([shown.id for shown in wall.page.alerts])
        choices_of = AssignmentChoices(visit.reader.person, _people_who_watch(visit.reader), subjects)
    return {"query": query, "may_act": may_act, "choices_of": choices_of, "dispositions": get_args(Disposition)}


def _count(_visit: Visit) -> HttpResponse:
    """Return the number of open alerts, for the header of every page."""
    number, is_high = count_open()
    words = ngettext("%d open alert", "%d open alerts", number) % number
    state = "red" if is_high else "amber"
    badge = format_html('<b class="count {}" title="{}">{}</b>', state, words, f"{number:,}")
    return HttpResponse(badge if number else "")


def _as_it_stands(visit: Visit, detail: Looked) -> dict[str, Any]:
    """Return the buttons that fit the alert: a cleared one can only be reopened and annotated."""
    is_cleared = detail.alert.status == "cleared"
    out = {"alert.assign", "alert.clear"} if is_cleared else {"alert.reopen"}
    if is_cleared or is_acknowledged(detail.alert.id):
        out.add("alert.acknowledge")
    subjects = people_barred_from_alert_decision.of_alerts([detail.alert.id]).get(detail.alert.id, frozenset())
    if visit.reader.person in subjects:  # no one decides about an own matter
        out = {act.type for act in _OF_AN_ALERT}
    return {"buttons": [button for button in visit.buttons if button.type not in out]}


def _alert_count(answer: AlertWall | AlertsPage) -> int:
    """Return the number of alerts in an answer."""
    return len((answer.page if isinstance(answer, AlertWall) else answer).alerts)


ALERTS_PAGE = Page(
    name="alerts",
    path="alerts",
    title=_("Alerts"),
    open_to=WATCH,
    template="pages/alerts.html",
    query=_wall,
    shown_as="wall",
    add_context=_choices,
    menu=MenuEntry(_("Alerts"), "a", _("go to alerts"), count="alerts-count"),
    follows=LiveUpdate("pages/alerts_live.html"),
    endpoint=ALERTS,
    looks=AccessLogRule(ALERT, _alert_count),
    also=(PageAddress("alerts-count", "alerts/count", _count),),
)
ALERT_PAGE = Page(
    name="alert",
    path="alerts/<str:alert>",
    title=_("Alert"),
    open_to=WATCH,
    template="pages/alert.html",
    query=lambda request: alert(str(request.places["alert"])),
    shown_as="looked",
    add_context=_as_it_stands,
    under="alerts",
    acts=_OF_AN_ALERT,
    stage=_at_alert,
    looks=AccessLogRule(ALERT, lambda _result: 1),
    endpoint=Endpoint(
        name="alert",
        path="alerts/<str:alert>",
        answer=Looked,
        meaning="An alert with its evidence and its history.",
    ),
)
