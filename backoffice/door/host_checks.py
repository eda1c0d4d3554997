"""Admission of requests: only for addresses of the house, with the Host header made uniform.

The Host header of a request for one of the house's addresses becomes that address, even if a proxy left out the port.
So every process behind the door reads the same host.
"""

from http import HTTPStatus
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from backoffice.api.json_response import Response, rendered
from backoffice.door.client_address import Client
from backoffice.door.http_request_forwarding import PATH_SAFE, ForwardedRequest
from backoffice.http import shared_request_ambiguity_checks
from backoffice.people.house_address_of_request import address_of, is_for_programs
from events.error_codes import ErrorText, coded
from events.settings import network_address_parsing
from events.settings.network_address_parsing import HTTP, Address
from events.settings.settings_from_environment import settings
from events.streams.problem_details import problem_about

SAFE_METHODS = ("GET", "HEAD")


class AddressRefusal(msgspec.Struct, frozen=True):
    """Why the house does not answer a request here; `location`: where it does."""

    response: Response
    location: str = ""


def admit(request: ForwardedRequest, client: Client) -> ForwardedRequest | AddressRefusal:
    """Return the request for passing on, or the reason of its refusal."""
    host = request.header("host")
    address = address_of(host)
    if address is None and client.is_proxied and client.host:
        address = address_of(client.host)
    if address is None:
        return _for_programs(request, host)
    if not address.is_secure:
        return request
    if _is_plain(client):
        return _unencrypted(request, address)
    headers = [pair for pair in request.headers if pair[0] != "host"]
    return replace(request, headers=[("host", address.netloc), *headers], is_secure=True)


def _for_programs(request: ForwardedRequest, host: str) -> ForwardedRequest | AddressRefusal:
    """A request by a name that is no address of the house: programs on this machine use it, without cookies."""
    if is_for_programs(host, request.path):
        return replace(request, headers=[pair for pair in request.headers if pair[0] != "cookie"])
    if shared_request_ambiguity_checks.is_loopback(host):
        return _refusal("Another address", coded("request-other-address", address=settings().link))
    return _refusal("Another host", coded("request-other-host"))


def _is_plain(client: Client) -> bool:
    """Return whether the client did not use HTTPS: a proxy reports that, or another machine bypasses the proxies."""
    if client.is_proxied:
        return client.scheme == HTTP
    return bool(settings().proxies) and not network_address_parsing.is_loopback(client.source)


def _unencrypted(request: ForwardedRequest, address: Address) -> AddressRefusal:
    target = quote(request.path, safe=PATH_SAFE) + (f"?{request.query}" if request.query else "")
    refusal = _refusal("HTTPS only", coded("request-https-only", address=address.origin))
    return replace(refusal, location=address.origin + target) if request.method in SAFE_METHODS else refusal


def _refusal(title: str, text: ErrorText) -> AddressRefusal:
    return AddressRefusal(rendered(problem_about(HTTPStatus.BAD_REQUEST, title, text), HTTPStatus.BAD_REQUEST))
