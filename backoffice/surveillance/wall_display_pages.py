"""The pages of wall displays: alerts on a large screen, followed live, with a sound for new ones, and their set-up.

A wall display shows alerts without a sign-in. Surveillance sets it up and revokes it.
"""

from datetime import datetime
from typing import Any

import msgspec
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import ALERT, PERSON
from backoffice.http import live_stream_addresses
from backoffice.kit.access_log_rules import AccessLogRule, part_of
from backoffice.kit.form_address_and_permission import may_send
from backoffice.kit.page_declaration import Page, PageAddress, PageRequest
from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people import display_keys, staff_change_access_log_line
from backoffice.people.roles_allowed_per_page import WALLS, WATCH
from backoffice.surveillance.large_screen_alert_content import SEVERITIES, WallDisplay, wall_display
from events.settings.settings_from_environment import settings

_MAY_SET_UP = ReadRule(("surveillance",))  # auditors read, and change nothing
_LOOKS = AccessLogRule(ALERT, lambda wall: len(wall.entries))


def _rights(visit: Visit, _wall: WallDisplay) -> dict[str, Any]:
    return {
        "may_act": may_send(visit.reader, "alerts", "alert.acknowledge"),
        "severities": SEVERITIES,
        "stream_url": live_stream_addresses.ALERTS,
        "query": visit.query_without("seen"),
        "shows_people": not visit.reader.is_wall,
    }


def _alerts_part(visit: Visit) -> HttpResponse:
    """Return the alerts without the page around them. Asked for whenever the stream has news."""
    return visit.show("pages/wall/alerts.html")


WALL = Page(
    name="alert-wall",
    path="alerts/wall",
    title=_("Wall display"),
    open_to=WALLS,
    template="pages/wall.html",
    query=lambda request: wall_display(request.text("severity", 8), request.text("name", 40)),
    shown_as="wall",
    add_context=_rights,
    under="alerts",
    listens=True,
    looks=_LOOKS,
    also=(PageAddress("alert-wall-part", "alerts/wall/part", _alerts_part, looks=part_of(_LOOKS)),),
)


class WallScreen(msgspec.Struct, frozen=True):
    """A screen that shows alerts. `is_waiting`: its code is not used yet."""

    name: str
    person: str
    made_at: datetime
    is_waiting: bool


def _screens(_request: PageRequest) -> tuple[WallScreen, ...]:
    return tuple(WallScreen(row.id, row.wall_of, row.made_at, not row.key) for row in display_keys.walls())


def _set_up(visit: Visit) -> HttpResponse:
    """Show the link of a new wall once."""
    if visit.request.method != "POST":
        return HttpResponseRedirect(reverse("wall-displays"))
    name, code = display_keys.invite_wall(visit.reader.person)
    staff_change_access_log_line.record_staff_change(visit.reader.person, "display", name)
    link = f"{settings().link}{reverse('display')}#{code}"
    return visit.render(screens=_screens(visit.page_request), may_set_up=True, link=link, name=name)


def _revoke(visit: Visit) -> HttpResponse:
    name = str(visit.request.POST.get("name", ""))[:64]
    if display_keys.revoke_wall(name):
        staff_change_access_log_line.record_staff_change(visit.reader.person, "revoke", name)
    return HttpResponseRedirect(reverse("wall-displays"))


WALL_DISPLAYS = Page(
    name="wall-displays",
    path="alerts/wall/displays",
    title=_("Wall displays"),
    open_to=WATCH,
    template="pages/wall_displays.html",
    query=_screens,
    shown_as="screens",
    add_context=lambda visit, _screens: {"may_set_up": _MAY_SET_UP.admits(visit.reader)},
    under="alerts",
    looks=AccessLogRule(PERSON, len),
    also=(
        PageAddress("wall-displays-add", "alerts/wall/displays/do/add", _set_up, does=True, open_to=_MAY_SET_UP),
        PageAddress("wall-displays-revoke", "alerts/wall/displays/do/revoke", _revoke, does=True, open_to=_MAY_SET_UP),
    ),
)
