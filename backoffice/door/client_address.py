"""The client of a request: the peer of the connection, or the client that trusted proxies report.

Only proxies that PITLEDGER_PROXIES names are trusted. Their lists are read from the right, and the first address that
is no trusted proxy is the client. A client's own entries are further left and ignored. `X-Forwarded-*` and `Forwarded`
may both be present only if they agree.
"""

import asyncio
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

import msgspec

from backoffice.http.shared_request_ambiguity_checks import Ambiguous
from events.error_codes import coded
from events.settings import network_address_parsing
from events.settings.network_address_parsing import Proxies

LOOKED_UP_S = 10.0  # how often names of proxies are resolved: a container that starts again may have a new address
LOOKED_UP_LEAST_S = 0.2  # between two of these, however many unknown machines report clients
_NAMES = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"})
_ELEMENT = re.compile(r'\s*([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^\s;,"]*)\s*(;|,|$)')
_PORT = re.compile(r"(?:(\[[0-9A-Fa-f:.]+\])|([0-9.]+)):\d+")
MAX_HOPS = 32

Pairs = Iterable[tuple[str, str]]


class Client(msgspec.Struct, frozen=True):
    """The client of a request: its IP address, and scheme and host as trusted proxies forward them ("" without)."""

    source: str
    scheme: str = ""
    host: str = ""
    is_proxied: bool = False  # a named proxy passed it on


class _Hop(msgspec.Struct, frozen=True):
    """A request as one proxy received it."""

    source: str
    scheme: str
    host: str


class Peers:
    """The peers that are proxies of the house. In the event loop's thread."""

    def __init__(self, proxies: Proxies) -> None:
        self._proxies = proxies
        self.have_names = bool(proxies.names)  # whose addresses may change
        self._resolved: frozenset[str] = frozenset()
        self._is_doubted = asyncio.Event()

    def is_proxy(self, source: str) -> bool:
        """Return whether this machine is a trusted proxy."""
        if not self._proxies.networks and not self._resolved:
            return False
        ip = network_address_parsing.parse_ip(source)
        return ip is not None and (
            network_address_parsing.is_within(source, self._proxies.networks) or str(ip) in self._resolved
        )

    def refresh_names(self) -> None:
        """Look the names up at once: an unknown machine reports a client, and may be a proxy that has just started."""
        self._is_doubted.set()

    async def keep_resolving(self) -> None:
        """Look the names up, repeatedly. A name that is not found names no one."""
        while self._proxies.names:
            self._is_doubted.clear()
            resolved: set[str] = set()
            for name in self._proxies.names:
                with suppress(OSError, UnicodeError):
                    rows = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
                    resolved |= {str(network_address_parsing.parse_ip(str(row[4][0]))) for row in rows}
            self._resolved = frozenset(resolved)
            await asyncio.sleep(LOOKED_UP_LEAST_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOKED_UP_S):
                    await self._is_doubted.wait()


def client_of(peer: str, headers: Pairs, peers: Peers) -> Client:
    """Return who asks, by the peer of the connection and the headers as they came. Raises Ambiguous."""
    source = _canonical_address(peer)
    if not peers.is_proxy(source):
        if peers.have_names and not _NAMES.isdisjoint([name.lower() for name, _value in headers]):
            peers.refresh_names()
        return Client(source)
    lines: dict[str, list[str]] = {}
    for name, value in headers:
        if (plain := name.lower()) in _NAMES:
            lines.setdefault(plain, []).append(value)
    old, new = _old_hops(lines), _hops(",".join(lines.get("forwarded", [])))
    clients = [_client(source, hops, peers) for hops in (old, new) if hops]
    if len(set(clients)) > 1:
        raise Ambiguous(coded("request-two-proxies"))
    return clients[0] if clients else Client(source, is_proxied=True)


@lru_cache(maxsize=1_024)  # the same machines come repeatedly
def _canonical_address(peer: str) -> str:
    """Return the peer's IP address in its one form; a text that names none as it is."""
    ip = network_address_parsing.parse_ip(peer)
    return peer if ip is None else str(ip)


def _client(peer: str, hops: list[_Hop], peers: Peers) -> Client:
    """Walk from the house towards the client, as long as the hops are trusted proxies."""
    client = Client(peer, is_proxied=True)
    for hop in reversed(hops[-MAX_HOPS:]):
        ip = network_address_parsing.parse_ip(hop.source)
        source = client.source if ip is None else str(ip)
        client = Client(source, hop.scheme or client.scheme, hop.host or client.host, is_proxied=True)
        if ip is None or not peers.is_proxy(source):
            break
    return client


def _old_hops(lines: dict[str, list[str]]) -> list[_Hop]:
    """The hops of `X-Forwarded-*`: three lists, each of which is as long as its proxies made it."""
    sources, schemes, hosts = (_items(lines.get(f"x-forwarded-{name}", [])) for name in ("for", "proto", "host"))
    count = max(len(sources), 1 if schemes or hosts else 0)
    return [
        _Hop(_without_port(_from_right(sources, left)), _scheme(_at(schemes, left)), _at(hosts, left).lower())
        for left in range(count, 0, -1)
    ]


def _items(lines: list[str]) -> list[str]:
    return [item.strip() for line in lines for item in line.split(",") if item.strip()]


def _from_right(items: list[str], place: int) -> str:
    return items[-place] if place <= len(items) else ""


def _at(items: list[str], place: int) -> str:
    """Return the item of a hop. A single one was passed on, or set, by the nearest proxy, and is valid for all."""
    return items[0] if len(items) == 1 else _from_right(items, place)


def _scheme(text: str) -> str:
    return text.lower() if text.lower() in ("http", "https") else ""


def _hops(text: str) -> list[_Hop]:
    """The hops of `Forwarded` (RFC 7239). Raises Ambiguous for one that cannot be read."""
    hops: list[_Hop] = []
    fields: dict[str, str] = {}
    place = 0
    while place < len(text):
        match = _ELEMENT.match(text, place)
        if match is None:
            raise Ambiguous(coded("request-forwarded-format"))
        name, value, end = match.groups()
        fields[name.lower()] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
        if end != ";":
            source = _without_port(fields.get("for", ""))
            hops.append(_Hop(source, _scheme(fields.get("proto", "")), fields.get("host", "").lower()))
            fields = {}
        place = match.end()
    return hops


def _without_port(text: str) -> str:
    match = _PORT.fullmatch(text)
    return match.group(1) or match.group(2) if match else text
