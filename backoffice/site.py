"""The pages of the house, in one list: the order of the menu and of the interface's document."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path

from backoffice.api.position import POSITION
from backoffice.house.opening.first_steps import is_unfinished
from backoffice.kit.acts import perform
from backoffice.kit.readers import public
from backoffice.kit.site import Site, Source
from backoffice.pages.views.alerts import ALERT_PAGE, ALERTS_PAGE
from backoffice.pages.views.cage import CAGE, CAGE_DAY, SLIP
from backoffice.pages.views.count_room import BOXES, COUNT_ROOM
from backoffice.pages.views.days import DAY, DAY_PAST, DAY_TABLE, DAYS_PAGE, DISCREPANCY
from backoffice.pages.views.event import EVENT
from backoffice.pages.views.events import EVENTS
from backoffice.pages.views.first_steps import FIRST_STEPS
from backoffice.pages.views.floor import FLOOR
from backoffice.pages.views.funds import LIABILITY
from backoffice.pages.views.given import GIVEN
from backoffice.pages.views.health import healthz, readyz
from backoffice.pages.views.hits import HIT
from backoffice.pages.views.hold import HOLD
from backoffice.pages.views.in_force import HOUSE
from backoffice.pages.views.inbox import INBOX
from backoffice.pages.views.integrity import INTEGRITY
from backoffice.pages.views.looks import LOOKS_PAGE
from backoffice.pages.views.luck import LUCK
from backoffice.pages.views.metrics import metrics
from backoffice.pages.views.notices import NOTICES
from backoffice.pages.views.people import PEOPLE
from backoffice.pages.views.pit import PIT, PIT_TABLE
from backoffice.pages.views.places import PLACES
from backoffice.pages.views.players import CASH_BY_PLAYER
from backoffice.pages.views.progressives import MATTERS, PROGRESSIVE, PROGRESSIVES, SIGN
from backoffice.pages.views.reports import REPORT, REPORTS_PAGE
from backoffice.pages.views.rounds import ROUND
from backoffice.pages.views.search import COMPLETIONS, FACETS, SAVED, SEARCH
from backoffice.pages.views.system import SYSTEM_PAGE
from backoffice.pages.views.tables import TABLE
from backoffice.pages.views.timelines import TIMELINE
from backoffice.pages.views.what_if import WHAT_IF
from backoffice.pages.views.work import WORK
from backoffice.people.acting import is_fresh, send
from backoffice.people.readers import caller, visitor
from backoffice.queries import currencies
from backoffice.queries.freshness import freshness
from backoffice.queries.position import until
from projections.engine.watermark import watermarks
from projections.registry import PROJECTORS


def position() -> int:
    """Return the position up to which every read model has all events."""
    return min(watermarks(list(PROJECTORS)).values())


def currency() -> str:
    """The one currency of the property."""
    return currencies.of_house()


@login_required
def start(request: HttpRequest) -> HttpResponse:
    """Redirect after the sign-in: to the first page of the menu that the reader may open, or to the page of their own
    work.

    An administrator of a house that has not begun gets its first steps.
    """
    reader = visitor(request)
    if "administrator" in reader.roles and is_unfinished():
        return redirect("first-steps")
    menu = SITE.menu(reader)
    return redirect(menu[0].url if menu else "work")


SOURCE = Source(freshness, position, currency, visitor, caller, send, until, is_fresh, perform)
PAGES = (
    FLOOR,
    WORK,
    TABLE,
    ROUND,
    CAGE,
    CAGE_DAY,
    SLIP,
    COUNT_ROOM,
    BOXES,
    PIT,
    PIT_TABLE,
    DAYS_PAGE,
    DAY,
    DAY_TABLE,
    DISCREPANCY,
    DAY_PAST,
    REPORTS_PAGE,
    REPORT,
    CASH_BY_PLAYER,
    LUCK,
    HOLD,
    PROGRESSIVES,
    PROGRESSIVE,
    MATTERS,
    LIABILITY,
    WHAT_IF,
    SIGN,
    HIT,
    NOTICES,
    ALERTS_PAGE,
    ALERT_PAGE,
    EVENTS,
    EVENT,
    TIMELINE,
    INTEGRITY,
    GIVEN,
    LOOKS_PAGE,
    FIRST_STEPS,
    HOUSE,
    INBOX,
    PEOPLE,
    SYSTEM_PAGE,
    PLACES,
)
PLAIN = (
    path("healthz", public(healthz), name="healthz"),
    path("metrics", public(metrics), name="metrics"),
    path("readyz", public(readyz), name="readyz"),
    path("start", public(start), name="start"),
)
SITE = Site(PAGES, SOURCE, endpoints=(POSITION, SEARCH, COMPLETIONS, FACETS, SAVED), plain=PLAIN)
