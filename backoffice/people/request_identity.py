"""Readers of requests: by login, badge, terminal's key or display's key, with the roles in force.

Pages take a login, or a display's key. Programs that use the API may send a badge or a terminal's key instead, which
then count alone.
"""

from collections.abc import Mapping

from django.conf import settings
from django.contrib import auth
from django.http import HttpRequest
from django.http.cookie import parse_cookie

from backoffice.kit.reader_and_read_rule_types import NOBODY, Reader
from backoffice.people import badge_and_key_authentication, display_keys
from backoffice.people.current_roles import roles_of
from backoffice.people.house_address_of_request import address_of, cookies_of, mark_of
from backoffice.people.idle_sign_out import idle_s
from backoffice.people.roles_allowed_per_page import WATCH
from backoffice.people.second_factor_enforcement import has_one
from backoffice.people.session_store import SessionStore
from backoffice.people.signed_in_person_action_sender import person_of
from backoffice.people.staff_list_and_name_lookup import is_shut
from events.settings.settings_from_environment import settings as our_settings


def visitor(request: HttpRequest) -> Reader:
    """Return the reader of a page."""
    person = person_of(request)
    return _person(person, str(request.user)) if person else _screen(request)


def listener(cookies: str, host: str = "localhost") -> Reader:
    """Return the listener of a live stream, by the cookies and the Host header of the request. It does not count as
    activity."""
    address = address_of(host)
    request = HttpRequest()
    request.META["HTTP_HOST"] = host
    request.COOKIES = cookies_of(parse_cookie(cookies), address)
    request.session = SessionStore.of_cookie(request.COOKIES.get(settings.SESSION_COOKIE_NAME), mark_of(address))
    request.user = auth.get_user(request)
    if request.user.is_authenticated and (idle_s(request.session) > our_settings().idle_s or not has_one(request)):
        return NOBODY
    return visitor(request)


def caller(request: HttpRequest) -> Reader:
    """Return the reader of an API request; `NOBODY` for a wrong badge or key."""
    if "Authorization" in request.headers or "Pitledger-Device" in request.headers:
        return _reader_of_headers(request.headers)
    return visitor(request)


def _reader_of_headers(headers: Mapping[str, str]) -> Reader:
    try:
        if "Authorization" not in headers:
            return Reader(device=badge_and_key_authentication.terminal(headers)[0])
        who = badge_and_key_authentication.authenticate_sender(headers)
    except badge_and_key_authentication.NotAuthenticated:
        return NOBODY
    reader = _person(who.person)
    return Reader(reader.person, reader.roles, who.device or "")


def _screen(request: HttpRequest) -> Reader:
    """Return a display. A wall stops when the person who set it up may no longer see alerts."""
    screen = display_keys.display_of(request)
    if screen is None:
        return NOBODY
    if not screen.wall_of:
        return Reader(display=screen.id)
    if is_shut(screen.wall_of) or not WATCH.admits(_person(screen.wall_of)):
        return NOBODY
    return Reader(display=screen.id, is_wall=True)


def _person(person: str, name: str = "") -> Reader:
    return Reader(person, roles_of(person), name=name)
