"""Warnings about settings that are accepted, and that the person who runs the house should change."""

from collections.abc import Iterator, Mapping

from events.settings import network_address_parsing
from events.settings.setting_declarations import Settings


def setting_warnings(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each warning: the setting, and the remedy."""
    if settings.mail_link:
        yield (
            "PITLEDGER_MAIL_LINK is replaced by PITLEDGER_ADDRESS, and the next version does not know it. "
            "Set PITLEDGER_ADDRESS instead"
        )
    if environment.get("PITLEDGER_LIVE_PORT"):
        yield (
            "PITLEDGER_LIVE_PORT is for the house's own processes: browsers get live streams at the address of the "
            "pages. Close the port in firewalls and proxies, the next version does not answer browsers there"
        )
    if not settings.addresses:
        return
    if settings.addresses[0].is_secure and not settings.proxies:
        yield (
            "PITLEDGER_PROXIES names no proxy: rate limits and the access log take all people for one client, the "
            "proxy. Set it to the proxy's network or host name"
        )
    if network_address_parsing.parse_ip(settings.addresses[0].host) is not None:
        yield (
            f"passkeys belong to a name, and {settings.addresses[0].host} is none: nobody can add a passkey. "
            "Put an address with a name first in PITLEDGER_ADDRESS"
        )
