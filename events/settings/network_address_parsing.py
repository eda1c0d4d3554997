"""Addresses of the house, proxies in front of it, and lists of networks, as settings name them."""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

import msgspec

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
def parse_ip(text: str) -> Ip | None:
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
    ip = parse_ip(address)
    return ip is not None and any(ip in network for network in among)


def is_loopback(address: str) -> bool:
    """Return whether it is this machine."""
    ip = parse_ip(address)
    return ip is not None and ip.is_loopback


HTTP, HTTPS = "http", "https"
_PORTS = {HTTP: 80, HTTPS: 443}
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMBERS = re.compile(r"[0-9.]+|.*[:/].*")  # a network or an IP address, or an attempt at one


class WrongAddress(ValueError):
    """A setting names an impossible address; the message has the reason and the correct form."""


class Address(msgspec.Struct, frozen=True):
    """One address of the house. `host` is a name in lower case, or an IP address without brackets."""

    scheme: str
    host: str
    port: int

    @property
    def is_secure(self) -> bool:
        """Return whether it is reached over HTTPS."""
        return self.scheme == HTTPS

    @property
    def name(self) -> str:
        """The host as addresses write it."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def netloc(self) -> str:
        """Host and port as a browser's Host header has them."""
        return self.name if self.port == _PORTS[self.scheme] else f"{self.name}:{self.port}"

    @property
    def origin(self) -> str:
        """Return it in the form of a browser's Origin header."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine can open it."""
        return self.host == "localhost" or is_loopback(self.host)


class Proxies(msgspec.Struct, frozen=True):
    """The trusted proxies: networks, and names that the network's DNS resolves."""

    networks: tuple[Network, ...]
    names: tuple[str, ...]


@lru_cache(maxsize=32)
def addresses(text: str) -> tuple[Address, ...]:
    """Return the addresses of a list, in its order, each once. Raises WrongAddress."""
    if text and not items(text):
        raise WrongAddress(f"{text!r} names no address: want https://pit.example.org")
    return tuple(dict.fromkeys(_address(item) for item in items(text)))


@lru_cache(maxsize=32)
def proxies(text: str) -> Proxies:
    """Return the proxies of a list. Raises WrongAddress."""
    names, numbers = [], []
    for item in items(text):
        if _NUMBERS.fullmatch(item):
            numbers.append(item)
        elif _NAME.fullmatch(item.lower()):
            names.append(item.lower())
        else:
            raise WrongAddress(f"{item!r} names no proxy: want a network such as 10.20.0.0/24, or a host name")
    try:
        trusted_proxies = Proxies(networks(" ".join(numbers)), tuple(names))
    except ValueError as error:
        raise WrongAddress(f"{error}: want a network such as 10.20.0.0/24, or a host name") from None
    if any(network.prefixlen == 0 for network in trusted_proxies.networks):
        raise WrongAddress(f"{text!r} names every machine: want the network of the proxies alone")
    return trusted_proxies


def _address(text: str) -> Address:
    parts = _address_parts(text)
    host = _host(text, parts.hostname or "")
    address = Address(parts.scheme, host, parts.port or _PORTS[parts.scheme])
    if not address.is_secure and not address.is_loopback:
        raise WrongAddress(
            f"{text!r} is not encrypted: want https://{address.name}. http is for localhost alone "
            "(docs/howto/tls.md says how to get a certificate)"
        )
    return address


def _address_parts(text: str) -> SplitResult:
    """The parts of an address that has nothing behind its port. Raises WrongAddress."""
    try:
        parts = urlsplit(text)
        is_port = parts.port != 0
    except ValueError as error:
        raise WrongAddress(f"{text!r} is no address: {error}") from None
    if parts.scheme not in _PORTS or not parts.netloc:
        raise WrongAddress(f"{text!r} is no address: want https://pit.example.org")
    if not is_port or parts.netloc.endswith(":"):
        raise WrongAddress(f"{text!r} has no port that can be used: want a number from 1 to 65535, or none")
    if "@" in parts.netloc or parts.path not in ("", "/") or parts.query or parts.fragment or text.endswith(("?", "#")):
        raise WrongAddress(f"{text!r} names more than a host: want https://pit.example.org, without path or user")
    return parts


def _host(text: str, host: str) -> str:
    """The host in lower case and in ASCII. Raises WrongAddress."""
    if (ip := parse_ip(host)) is not None:
        if ip.is_unspecified or ip.is_multicast:
            raise WrongAddress(f"{text!r} names no machine: people open the house by a name or by one IP address")
        return str(ip)
    try:
        name = host.encode("idna").decode().lower() if not host.isascii() else host.lower()
    except UnicodeError:
        name = ""
    name = name.removesuffix(".")
    if not name or len(name) > 253 or not _NAME.fullmatch(name) or _NUMBERS.fullmatch(name):
        raise WrongAddress(
            f"{text!r} has no host name that can be used: want an address such as https://pit.example.org"
        )
    return name
