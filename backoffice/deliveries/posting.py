"""One signed POST to a webhook: HTTPS, no redirect, an address that was checked, 5 s, 64 kB of answer.

The host is resolved once. Its addresses are checked, and the connection goes to one of them, so that a second answer
of the name server cannot lead elsewhere. The signature is that of Standard Webhooks: HMAC-SHA256 over the id, the time
and the body.
"""

import base64
import hashlib
import hmac
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore

from backoffice.deliveries.destinations import Network, Webhook

WITHIN_S = 5.0
ANSWER_MAX = 64 * 1024
Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]  # host and port -> addresses
# Networks that lead to other addresses than their own: translations and tunnels.
_TUNNELS = tuple(map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")))


class AddressRefused(Exception):
    """A host whose address the house does not send to."""


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host. Raises OSError."""
    return list(dict.fromkeys(str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def is_allowed(text: str, networks: Iterable[Network]) -> bool:
    """Return whether the house may send to an address: a public one, or one in the named networks."""
    address: Address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if any(address.version == network.version and address in network for network in networks):
        return True
    is_tunnel = any(address.version == network.version and address in network for network in _TUNNELS)
    return address.is_global and not address.is_multicast and not is_tunnel


def signed_headers(webhook: Webhook, delivery: str, at_s: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove a message: its id, its time in seconds since 1970, and the signature of all."""
    content = f"{delivery}.{at_s}.".encode() + body
    digest = hmac.new(webhook.key.encode(), content, hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "webhook-id": delivery,
        "webhook-timestamp": str(at_s),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def post(
    webhook: Webhook,
    delivery: str,
    body: bytes,
    *,
    find: Resolve = resolve,
    clock: Callable[[], float] = time.time,
    tls: ssl.SSLContext | None = None,
) -> int:
    """Send a message and return the status of the answer. The answer itself is read up to 64 kB and forgotten.

    Raises AddressRefused, OSError or `httpcore` errors where nothing was answered in time.
    """
    headers = signed_headers(webhook, delivery, int(clock()), body) | {"Connection": "close"}
    until = time.monotonic() + WITHIN_S
    network = _CheckedNetwork(webhook, find, until)
    with (
        httpcore.ConnectionPool(ssl_context=tls, network_backend=network, retries=0) as pool,
        pool.stream("POST", webhook.address, headers=[*headers.items()], content=body) as answer,
    ):
        received = 0
        for part in answer.iter_stream():
            received += len(part)
            if received > ANSWER_MAX:
                break
        return answer.status


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects to allowed addresses only, and to none later than `until`."""

    def __init__(self, webhook: Webhook, find: Resolve, until: float) -> None:
        self._webhook, self._find, self._until = webhook, find, until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._find(host, port)
        if not addresses or not all(is_allowed(address, self._webhook.networks) for address in addresses):
            raise AddressRefused(host)
        stream = httpcore.SyncBackend().connect_tcp(addresses[0], port, _left(self._until))
        return _TimedStream(stream, self._until)


class _TimedStream(httpcore.NetworkStream):
    """A connection that ends at a time, however slowly the other side answers."""

    def __init__(self, stream: httpcore.NetworkStream, until: float) -> None:
        self._stream, self._until = stream, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._until))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._until))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, _left(self._until))
        return _TimedStream(secured, self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(until: float) -> float:
    """Return the seconds that are left. Raises TimeoutError."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
