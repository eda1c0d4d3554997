"""The pages of the house, in one list: the order of the menu and of the interface's document."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path

from backoffice.access import personal_data_access_log
from backoffice.access.refusal_log_writer import AccessLog, access_log
from backoffice.api.read_model_position_endpoint import POSITION
from backoffice.cage.pages import CAGE, CAGE_DAY, SLIP
from backoffice.cases.pages import CASE_PAGE, CASES_PAGE
from backoffice.cases.video_bookmarks.new_video_bookmark_page import BOOKMARK
from backoffice.count_room.pages import BOXES, COUNT_ROOM
from backoffice.days.cash_by_player_page import CASH_BY_PLAYER
from backoffice.days.hold.pages import HOLD
from backoffice.days.luck.pages import LUCK
from backoffice.days.pages import DAY, DAY_PAST, DAY_TABLE, DAYS_PAGE, DISCREPANCY
from backoffice.days.reports.pages import REPORT, REPORTS_PAGE
from backoffice.deliveries.delivery_log_page import DELIVERIES
from backoffice.deliveries.own_subscriptions_page import SUBSCRIPTIONS
from backoffice.forms.action_form_submission import perform
from backoffice.freshness.freshness import freshness
from backoffice.freshness.wait_for_read_model_position import wait_for_position
from backoffice.hits.hit_explanation_page import HIT
from backoffice.house.command_palette import PLACES
from backoffice.house.first_steps_page import FIRST_STEPS
from backoffice.house.health_and_metrics_endpoints import healthz, metrics, readyz
from backoffice.house.opening.first_steps import is_unfinished
from backoffice.house.settings_page import HOUSE
from backoffice.house.system_page import SYSTEM_PAGE
from backoffice.inbox.pages import INBOX
from backoffice.installation.dependency_injection import installation
from backoffice.integrity.access_log_page import LOOKS_PAGE
from backoffice.integrity.issued_documents_page import GIVEN
from backoffice.integrity.verification_status_and_start_page import INTEGRITY
from backoffice.kit.page_frame import PageServices
from backoffice.kit.reader_and_read_rule_types import public
from backoffice.kit.site_from_page_declarations import Site, SiteServices
from backoffice.people.pages import PEOPLE
from backoffice.people.request_identity import caller, visitor
from backoffice.people.signed_in_person_action_sender import is_fresh, send
from backoffice.progressives.liability_page import LIABILITY
from backoffice.progressives.pages import MATTERS, PROGRESSIVE, PROGRESSIVES, SIGN
from backoffice.progressives.parameter_change_notices_page import NOTICES
from backoffice.progressives.past_day_what_if_page import WHAT_IF
from backoffice.surveillance.alert_pages import ALERT_PAGE, ALERTS_PAGE
from backoffice.surveillance.event_page import EVENT
from backoffice.surveillance.inspection_draws.inspection_draw_pages import COVERAGE, DRAW, DRAWS
from backoffice.surveillance.person_results.person_pages import (
    DEALER_RESULTS,
    DEALER_ROUNDS,
    PLAYER_RESULTS,
    PLAYER_ROUNDS,
)
from backoffice.surveillance.replay.pages import ROUND
from backoffice.surveillance.search.endpoints import COMPLETIONS, FACETS, SAVED, SEARCH
from backoffice.surveillance.search.events_page import EVENTS
from backoffice.surveillance.timeline_page import TIMELINE
from backoffice.surveillance.wall_display_pages import WALL, WALL_DISPLAYS
from backoffice.table_screen.devices_page import DEVICES
from backoffice.tables.floor_and_pit_pages import FLOOR, PIT, PIT_TABLE
from backoffice.tables.own_posts_today_page import WORK
from backoffice.tables.table_day_page import TABLE
from backoffice.wording import stream_currencies
from projections.engine.projection_positions_and_wait import watermarks
from projections.registry import PROJECTORS


def position() -> int:
    """Return the position up to which every read model has all events."""
    return min(watermarks(list(PROJECTORS)).values())


def currency() -> str:
    """The one currency of the property."""
    return stream_currencies.of_house()


@login_required
def start(request: HttpRequest) -> HttpResponse:
    """Redirect after the sign-in: to the first page of the menu that the reader may open, or to the page of their own
    work.

    An administrator of a house that has not begun gets its first steps.
    """
    reader = visitor(request)
    if "administrator" in reader.roles and is_unfinished():
        return redirect("first-steps")
    menu = SITE.frame.menu(reader)
    return redirect(menu[0].url if menu else "work")


def refusals() -> AccessLog:
    """Return the log of refused readers, which is opened at the first refusal."""
    return installation().part(access_log)


SERVICES = PageServices(freshness, currency, send, wait_for_position, is_fresh, personal_data_access_log, refusals)
SOURCE = SiteServices(SERVICES, position, visitor, caller, perform)
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
    DEVICES,
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
    WALL,
    WALL_DISPLAYS,
    ALERT_PAGE,
    CASES_PAGE,
    CASE_PAGE,
    BOOKMARK,
    DRAWS,
    DRAW,
    COVERAGE,
    EVENTS,
    EVENT,
    TIMELINE,
    DEALER_RESULTS,
    DEALER_ROUNDS,
    PLAYER_RESULTS,
    PLAYER_ROUNDS,
    INTEGRITY,
    GIVEN,
    LOOKS_PAGE,
    FIRST_STEPS,
    HOUSE,
    INBOX,
    SUBSCRIPTIONS,
    PEOPLE,
    SYSTEM_PAGE,
    DELIVERIES,
    PLACES,
)
PLAIN = (
    path("healthz", public(healthz), name="healthz"),
    path("metrics", public(metrics), name="metrics"),
    path("readyz", public(readyz), name="readyz"),
    path("start", public(start), name="start"),
)
SITE = Site(PAGES, SOURCE, endpoints=(POSITION, SEARCH, COMPLETIONS, FACETS, SAVED), plain=PLAIN)
