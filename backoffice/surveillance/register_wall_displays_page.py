"""The page of wall displays: screens that show alerts without a sign-in, set up and revoked by surveillance."""

from datetime import datetime

import msgspec
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import PERSON
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Page, PageAddress, PageRequest
from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people import display_keys, staff_change_access_log_line
from backoffice.people.roles_allowed_per_page import WATCH
from events.settings.settings_from_environment import settings

MAY_SET_UP = ReadRule(("surveillance",))  # auditors read, and change nothing


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
    staff_change_access_log_line.done(visit.reader.person, "display", name)
    link = f"{settings().link}{reverse('display')}#{code}"
    return visit.render(screens=_screens(visit.page_request), may_set_up=True, link=link, name=name)


def _revoke(visit: Visit) -> HttpResponse:
    name = str(visit.request.POST.get("name", ""))[:64]
    if display_keys.revoke_wall(name):
        staff_change_access_log_line.done(visit.reader.person, "revoke", name)
    return HttpResponseRedirect(reverse("wall-displays"))


WALL_DISPLAYS = Page(
    name="wall-displays",
    path="alerts/wall/displays",
    title=_("Wall displays"),
    open_to=WATCH,
    template="pages/wall_displays.html",
    query=_screens,
    shown_as="screens",
    add_context=lambda visit, _screens: {"may_set_up": MAY_SET_UP.admits(visit.reader)},
    under="alerts",
    looks=AccessLogRule(PERSON, len),
    also=(
        PageAddress("wall-displays-add", "alerts/wall/displays/do/add", _set_up, does=True, open_to=MAY_SET_UP),
        PageAddress("wall-displays-revoke", "alerts/wall/displays/do/revoke", _revoke, does=True, open_to=MAY_SET_UP),
    ),
)
