"""Networks by which settings name machines: `10.20.0.0/16`, `192.168.1.7`, `fd00::/8`."""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Ip = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_SEPARATORS = re.compile(r"[\s,]+")


def items(text: str) -> list[str]:
    """Return the items of a list separated by commas or spaces."""
    return [item for item in _SEPARATORS.split(text) if item]


@lru_cache(maxsize=32)
def networks(text: str) -> tuple[Network, ...]:
    """Return the networks of a list. Raises ValueError for an item that is no network, and for one with host bits."""
    return tuple(ip_network(item) for item in items(text))


@lru_cache(maxsize=1_024)  # the same machines come repeatedly
def machine(text: str) -> Ip | None:
    """Return the IP address that a text names, an IPv4 address in an IPv6 one as IPv4. None: it names none."""
    try:
        address = ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address
    return address


def is_within(address: str, among: tuple[Network, ...]) -> bool:
    """Return whether a machine is in one of these networks."""
    ip = machine(address)
    return ip is not None and any(ip in network for network in among)


def is_loopback(address: str) -> bool:
    """Return whether it is this machine."""
    ip = machine(address)
    return ip is not None and ip.is_loopback
