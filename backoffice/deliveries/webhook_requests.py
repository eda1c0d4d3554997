"""One signed POST to a webhook: HTTPS, no redirect, an address that was checked, 5 s, 64 kB of answer.

The host is resolved once. Its addresses are checked, and the connection goes to one of them, so that a second answer
of the name server cannot lead elsewhere. The signature is that of Standard Webhooks: HMAC-SHA256 over the id, the time
and the body.
"""

import base64
import hashlib
import hmac
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore

from backoffice.deliveries.destinations_configuration_file import Network, Webhook

WITHIN_S = 5.0
ANSWER_MAX = 64 * 1024
Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]  # host and port -> addresses
_PUBLIC_6 = ip_network("2000::/3")
# Networks that lead to other addresses than their own (translations, tunnels, relays), and the metadata of clouds.
_REFUSED = tuple(
    map(ip_network, ("2002::/16", "2001::/23", "3fff::/20", "192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32"))
)


class AddressRefused(Exception):
    """A host whose address the house does not send to."""


class AnswerTooLong(OSError):
    """An answer of more than 64 kB."""


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host. Raises OSError."""
    return list(dict.fromkeys(str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def is_allowed(text: str, networks: Iterable[Network]) -> bool:
    """Return whether the house may send to an address: a public one, or one in the named networks."""
    address: Address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if _is_in(address, networks):
        return True
    is_public = address.is_global and not address.is_multicast and (address.version == 4 or address in _PUBLIC_6)
    return is_public and not _is_in(address, _REFUSED)


def _is_in(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


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
        with suppress(AnswerTooLong):  # the status is known by then
            for _part in answer.iter_stream():
                continue
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
        addresses = _in_time(lambda: self._find(host, port), self._until)
        if not addresses or not all(map(self._admits, addresses)):
            raise AddressRefused(host)
        stream = httpcore.SyncBackend().connect_tcp(addresses[0], port, _seconds_left(self._until))
        return _TimedStream(stream, self._until)

    def _admits(self, address: str) -> bool:
        """Return whether a message may go to an address; without TLS to loopback only."""
        is_plain = self._webhook.address.startswith("http:")
        return is_allowed(address, self._webhook.networks) and not (is_plain and not ip_address(address).is_loopback)


class _TimedStream(httpcore.NetworkStream):
    """A connection that ends at a time, however slowly the other side answers, and after 64 kB of answer."""

    def __init__(self, stream: httpcore.NetworkStream, until: float) -> None:
        self._stream, self._until, self._room = stream, until, ANSWER_MAX

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._room <= 0:
            raise AnswerTooLong
        part = self._stream.read(min(max_bytes, self._room), _seconds_left(self._until))
        self._room -= len(part)
        return part

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _seconds_left(self._until))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, _seconds_left(self._until))
        return _TimedStream(secured, self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _in_time(find: Callable[[], Sequence[str]], until: float) -> Sequence[str]:
    """Return the answer of a name server, which has no time limit of its own. Raises TimeoutError and its error."""
    answers: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(find())
        except Exception as error:  # raised again by the sender
            answers.put(error)

    threading.Thread(target=ask, name="resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=_seconds_left(until))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _seconds_left(until: float) -> float:
    """Return the seconds that are left. Raises TimeoutError."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
