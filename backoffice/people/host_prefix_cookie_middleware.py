"""Cookies belong to one address of the house: over HTTPS all of them are Secure and begin with `__Host-`.

So a cookie of loopback is not valid at the house's address, even if a person copies it, and the reverse. All other code
of the house uses plain names.
"""

from collections.abc import Callable, Iterable
from http.cookies import Morsel, SimpleCookie

from django.http import HttpRequest, HttpResponse

from backoffice.people.house_address_of_request import PREFIX, address_of_request, cookies_of


class AddressCookies:
    """Middleware, before everything that reads or sets a cookie."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = address_of_request(request)
        request.COOKIES = cookies_of(request.COOKIES, address)
        response = self.get_response(request)
        if address is None:
            response.cookies.clear()
        elif address.is_secure and response.cookies:
            response.cookies = _for_host(response.cookies.values())
        return response


def _for_host(plain: "Iterable[Morsel[str]]") -> SimpleCookie:
    """The same cookies as a browser takes them over HTTPS for one host alone."""
    cookies = SimpleCookie()
    for morsel in plain:
        name = PREFIX + morsel.key
        cookies[name] = morsel.value
        cookies[name].update({**morsel, "secure": True, "path": "/", "domain": ""})
    return cookies
