"""Permission to read the state of the house without a login: `/metrics`, the details of `/healthz`, live streams.

The networks of PITLEDGER_OBSERVERS may, and programs that send PITLEDGER_OBSERVER_TOKEN as a bearer token. Without
either setting only programs on this machine may, and only if they ask the house itself. A request that came over a
proxy, or for the house's public name, is not local, even with a sender on this machine.
"""

import hmac
from collections.abc import Iterable

from django.http import HttpRequest

from backoffice.http import shared_request_ambiguity_checks
from events.settings import network_address_parsing
from events.settings.settings_from_environment import settings

MAY_OBSERVE = "pitledger.may_observe"  # in the WSGI environment: the decision of the web process
_SCHEME = "bearer "


def may_observe(request: HttpRequest) -> bool:
    """Return whether a request of the pages may read metrics and the details of the house's health."""
    meta = request.META
    if MAY_OBSERVE in meta:
        return bool(meta[MAY_OBSERVE])
    source = meta.get("REMOTE_ADDR", "")
    names = [key.removeprefix("HTTP_") for key in meta if key.startswith("HTTP_")]
    local = is_local(source, meta.get("HTTP_HOST") or meta.get("SERVER_NAME", ""), names)
    return admits(source, meta.get("HTTP_AUTHORIZATION", ""), is_local=local)


def admits(source: str, authorization: str, *, is_local: bool) -> bool:
    """Return whether a client at this address, with this Authorization header, may read the state of the house."""
    if is_named(source, authorization):
        return True
    return is_local and not settings().observers


def is_named(source: str, authorization: str) -> bool:
    """Return whether the settings name this client: by its network, or by the token that it sends."""
    house_settings = settings()
    if house_settings.observer_token and authorization.lower().startswith(_SCHEME):
        token = authorization[len(_SCHEME) :].strip()
        return hmac.compare_digest(token.encode(), house_settings.observer_token.encode())
    return network_address_parsing.is_within(source, network_address_parsing.networks(house_settings.observers))


def is_local(source: str, host: str, header_names: Iterable[str]) -> bool:
    """Return whether a program on this machine asks the house without a proxy and without a public name."""
    return (
        network_address_parsing.is_loopback(source)
        and shared_request_ambiguity_checks.is_loopback(host)
        and not any(
            shared_request_ambiguity_checks.is_of_proxies(name.lower().replace("_", "-")) for name in header_names
        )
    )
