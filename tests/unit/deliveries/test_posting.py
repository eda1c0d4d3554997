"""A message to a webhook: where it may go, how it is signed, how long it may take. Nothing leaves this machine."""

import base64
import hashlib
import hmac
import re
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path

import httpcore
import pytest

from backoffice.deliveries import webhook_requests
from backoffice.deliveries.destinations_configuration_file import Webhook, read
from backoffice.deliveries.webhook_requests import AddressRefused, is_allowed, post
from events.errors import Invalid

KEY = "0123456789abcdef0123456789abcdef"
LOOPBACK = (ip_network("127.0.0.0/8"),)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def answering(*parts: bytes, pause_s: float = 0.0) -> Iterator[tuple[int, list[bytes]]]:
    """A server on loopback that answers each connection with these parts; its port, and the requests that it got."""
    listener, requests = socket.create_server(("127.0.0.1", 0)), list[bytes]()

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                requests.append(whole_request(connection))
                try:
                    for part in parts:
                        connection.sendall(part)
                        time.sleep(pause_s)
                except OSError:
                    continue

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1], requests
    finally:
        listener.close()


def whole_request(connection: socket.socket) -> bytes:
    """Read a request with its body, which may come in parts."""
    request = b""
    while not (length := re.search(rb"Content-Length: (\d+)\r\n(?:.*\r\n)*?\r\n", request)) or (
        len(request.partition(b"\r\n\r\n")[2]) < int(length[1])
    ):
        if not (part := connection.recv(65_536)):
            break
        request += part
    return request


def to(port: int, host: str = "hooks.test") -> Webhook:
    return Webhook(f"http://{host}:{port}/in", KEY, LOOPBACK)


def at_loopback(_host: str, _port: int) -> Sequence[str]:
    return ["127.0.0.1"]


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.9",
            "172.16.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
        ),
        *("::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "::a00:1", "ff02::1"),
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_allowed(address, ())


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_allowed(address, ())


def test_a_named_network_is_allowed_and_no_other() -> None:
    networks = (ip_network("10.20.0.0/24"),)
    assert is_allowed("10.20.0.7", networks)
    assert is_allowed("::ffff:10.20.0.7", networks)
    assert not is_allowed("10.20.1.7", networks)


def test_one_refused_address_of_a_host_refuses_it() -> None:
    webhook = Webhook("https://hooks.test/in", KEY)
    with pytest.raises(AddressRefused):
        post(webhook, "msg_1", b"{}", find=lambda _host, _port: ["93.184.216.34", "10.0.0.1"])


def test_the_host_is_resolved_once_and_its_answer_used() -> None:
    lookups = []

    def find(host: str, port: int) -> Sequence[str]:
        lookups.append((host, port))
        return ["127.0.0.1"]

    with answering(OK) as (port, requests):
        assert post(to(port), "msg_1", b"{}", find=find) == 200
    assert lookups == [("hooks.test", port)]
    assert f"host: hooks.test:{port}".encode() in requests[0].lower()


def test_the_signature_covers_id_time_and_body() -> None:
    with answering(OK) as (port, requests):
        post(to(port), "msg_7", b'{"count":1}', find=at_loopback, clock=lambda: 1_795_000_000.9)
    head, _, body = requests[0].partition(b"\r\n\r\n")
    headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    assert (headers[b"webhook-id"], headers[b"webhook-timestamp"]) == (b"msg_7", b"1795000000")
    digest = hmac.new(KEY.encode(), b"msg_7.1795000000." + body, hashlib.sha256).digest()
    assert f"webhook-signature: v1,{base64.b64encode(digest).decode()}".encode() in head.replace(b"Webhook", b"webhook")


def test_a_redirect_is_not_followed() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/other\r\nContent-Length: 0\r\n\r\n"
    with answering(moved) as (port, requests):
        assert post(to(port), "msg_1", b"{}", find=at_loopback) == 302
        assert len(requests) == 1


def test_an_endless_answer_is_cut() -> None:
    """The status is known by then."""
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", *[b"x" * 65_536] * 40) as (port, _requests):
        assert post(to(port), "msg_1", b"{}", find=at_loopback) == 200


def test_a_slow_answer_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part comes within the time of a read; all of them do not."""
    monkeypatch.setattr(webhook_requests, "WITHIN_S", 0.5)
    slow = [b"HTTP/1.1 200 OK\r\n", *[b"X-A: b\r\n"] * 50]
    with (
        answering(*slow, pause_s=0.1) as (port, _requests),
        pytest.raises((TimeoutError, httpcore.TimeoutException)),
    ):
        post(to(port), "msg_1", b"{}", find=at_loopback)


WEBHOOK = '[webhooks.desk]\naddress = "{}"\nkey = "{}"\n'


@pytest.mark.parametrize(
    "text",
    [
        WEBHOOK.format("http://hooks.example.org/", KEY),
        WEBHOOK.format("https://user:pw@hooks.example.org/", KEY),
        WEBHOOK.format("ftp://hooks.example.org/", KEY),
        WEBHOOK.format("https:///in", KEY),
        WEBHOOK.format("https://hooks.example.org/", "short"),
        WEBHOOK.format("https://hooks.example.org/", KEY) + 'networks = ["10.0.0.1/8"]',
        WEBHOOK.format("https://hooks.example.org/", KEY) + "folow = true",
        '[folders.books]\npath = "reports"',
        "[webhooks",
    ],
)
def test_a_wrong_file_of_destinations_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "destinations.toml").write_text(text, encoding="utf-8")
    with pytest.raises(Invalid, match="PITLEDGER_DESTINATIONS"):
        read(tmp_path / "destinations.toml")


def test_a_key_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n", encoding="utf-8")
    text = f'[webhooks.desk]\naddress = "https://hooks.example.org/in"\nkey_file = "{tmp_path}/key"\n'
    (tmp_path / "destinations.toml").write_text(text, encoding="utf-8")
    assert read(tmp_path / "destinations.toml").webhooks == {"desk": Webhook("https://hooks.example.org/in", KEY)}
