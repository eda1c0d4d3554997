"""The address of the house that a request is for, and its effect on cookies and sessions.

Without PITLEDGER_ADDRESS the house is opened at loopback only. With it, pages are served at its addresses alone.
Programs on the machine (health checks, terminals, the house's processes) still use loopback for the API and the probes.
Cookies, sessions and remembered browsers belong to one address: none is valid at another.
"""

from collections.abc import Mapping

from django.http import HttpRequest
from django.http.request import split_domain_port

from backoffice.http import shared_request_ambiguity_checks
from backoffice.http.short_text_cache import cached_for_short_texts
from events.settings.network_address_parsing import HTTP, Address
from events.settings.settings_from_environment import settings

PREFIX = "__Host-"  # RFC 6265bis: a browser takes such a cookie over HTTPS only, for this host alone
HSTS = "max-age=31536000"  # seconds: a year
_FOR_PROGRAMS = ("/api/", "/live/", "/healthz", "/livez", "/readyz", "/metrics")


def address_of(host: str) -> Address | None:
    """Return the address that a Host header names. A known name with another port is that name's first address.

    None: the house does not go by this name, or only programs on this machine use it (`is_for_programs`).
    """
    return _address_of(host.lower(), settings().addresses)


def is_for_programs(host: str, path: str) -> bool:
    """Return whether programs on this machine may ask for this path by a loopback name."""
    return shared_request_ambiguity_checks.is_loopback(host) and path.startswith(_FOR_PROGRAMS)


def address_of_request(request: HttpRequest) -> Address | None:
    """Return the address that a request of the pages is for."""
    return address_of(request.get_host())


def mark_of(address: Address | None) -> str:
    """Return the binding of a secret to this address; "" at loopback, where secrets have no further binding."""
    return address.origin if address is not None and address.is_secure else ""


def mark_of_request(request: HttpRequest) -> str:
    """Return the binding of a secret in this request."""
    if not settings().addresses:
        return ""
    return mark_of(address_of_request(request))


def relying_party(request: HttpRequest) -> str:
    """Return the name to which passkeys belong: that of the house's first address; at loopback alone, the host's."""
    if addresses := settings().addresses:
        return addresses[0].host
    return split_domain_port(request.get_host())[0].removeprefix("[").removesuffix("]")


def passkey_address(request: HttpRequest) -> str:
    """Return the address at which a browser uses the house's passkeys; "" where the request's own address will do."""
    name = relying_party(request)
    host = split_domain_port(request.get_host())[0]
    return "" if host == name or host.endswith(f".{name}") else settings().addresses[0].origin


def cookies_of(cookies: Mapping[str, str], address: Address | None) -> dict[str, str]:
    """Return those cookies that count at an address, by their plain names."""
    if address is None:
        return {}
    if not address.is_secure:
        return {name: value for name, value in cookies.items() if not name.startswith(PREFIX)}
    return {name.removeprefix(PREFIX): value for name, value in cookies.items() if name.startswith(PREFIX)}


@cached_for_short_texts
def _address_of(host: str, addresses: tuple[Address, ...]) -> Address | None:
    domain, port = split_domain_port(host)
    name = domain.removeprefix("[").removesuffix("]")
    if not addresses:
        return Address(HTTP, name, int(port or 80)) if shared_request_ambiguity_checks.is_loopback(host) else None
    named = [address for address in addresses if address.host == name]
    exact = [address for address in named if address.netloc == host]
    return next(iter(exact or named), None)
