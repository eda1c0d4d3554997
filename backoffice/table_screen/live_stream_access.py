"""Listeners of a table's live stream: the screens of devices that are paired with it."""

from django.http import HttpRequest
from django.http.cookie import parse_cookie

from backoffice.people.request_address_binding_cookies import address_of, cookies_of
from backoffice.table_screen import device_authentication
from events.errors import Forbidden, Unknown

PATH = "/live/tables/"  # of a stream, before the table's name


def may_listen(table: str, cookies: str, host: str = "localhost") -> bool:
    """Return whether these cookies are those of a device that is paired with the table and not revoked."""
    request = HttpRequest()
    request.META["HTTP_HOST"] = host
    request.COOKIES = cookies_of(parse_cookie(cookies), address_of(host))
    try:
        device = device_authentication.device_of(request, table)
    except (Forbidden, Unknown):
        return False
    return device_authentication.in_force().is_active(device.pk)
