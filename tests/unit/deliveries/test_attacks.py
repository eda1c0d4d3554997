"""Name servers and receivers that try to lead a message elsewhere, or to hold the sender. Only loopback is reached."""

import re
import socket
import threading
import time
from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpcore
import msgspec
import pytest

from backoffice.deliveries import mail_and_webhook_sending, webhook_requests
from backoffice.deliveries.destinations_configuration_file import Webhook
from backoffice.deliveries.mail_and_webhook_sending import WebhookMessage, send_webhook
from backoffice.deliveries.webhook_requests import AddressRefused, AnswerTooLong, is_allowed, post, signed_headers
from tests.unit.deliveries.test_posting import KEY, LOOPBACK, OK, answering, at_loopback, to

ROOT = Path(__file__).resolve().parents[3]
CUT = (TimeoutError, httpcore.TimeoutException)


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection of a test except to loopback."""
    connect = socket.create_connection

    def checked(address: tuple[str, int], *rest: Any, **keywords: Any) -> socket.socket:
        assert address[0] in ("127.0.0.1", "::1"), f"it would have gone to {address}"
        return connect(address, *rest, **keywords)

    monkeypatch.setattr(socket, "create_connection", checked)


class RebindingNameServer:
    """A name server that gives a public address first, and an internal one to each later request."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.lookups = [*answers], 0

    def __call__(self, _host: str, _port: int) -> Sequence[str]:
        self.lookups += 1
        return [self.answers[min(self.lookups, len(self.answers)) - 1]]


def test_a_second_answer_of_the_name_server_is_never_asked_for() -> None:
    find = RebindingNameServer("127.0.0.1", "169.254.169.254")
    with answering(OK) as (port, requests):
        assert post(to(port), "msg_1", b"{}", find=find) == 200
    assert (find.lookups, len(requests)) == (1, 1)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "0.0.0.0", "10.0.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192"),  # noqa: S104 - nothing is bound
        *("255.255.255.255", "198.18.0.1", "192.88.99.1", "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254"),
        *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "fd00:ec2::254", "fec0::1", "2002:7f00:1::1"),
        *("2001:0:4136:e378::1", "::127.0.0.1", "::ffff:0:7f00:1", "5f00::1", "3fff::1", "fe80::1%1"),
    ],
)
def test_a_name_that_leads_inside_is_refused_before_anything_is_sent(address: str) -> None:
    with pytest.raises(AddressRefused):
        post(Webhook("https://hooks.test/in", KEY), "msg_1", b"{}", find=lambda _host, _port: [address])


def test_a_mapped_address_is_named_by_its_own_network() -> None:
    assert is_allowed("::ffff:10.1.2.3", (ip_network("10.1.2.0/24"),))
    assert not is_allowed("64:ff9b::a01:203", (ip_network("10.1.2.0/24"),))


def test_a_message_without_tls_goes_to_loopback_only() -> None:
    """Even where the name localhost leads elsewhere, into a network that is named."""
    webhook = Webhook("http://localhost/in", KEY, (*LOOPBACK, ip_network("10.0.0.0/8")))
    with pytest.raises(AddressRefused):
        post(webhook, "msg_1", b"{}", find=lambda _host, _port: ["10.0.0.1"])


def test_a_name_server_that_does_not_answer_has_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_requests, "WITHIN_S", 0.2)
    ends = threading.Event()

    def find(_host: str, _port: int) -> Sequence[str]:
        ends.wait(30)
        return ["127.0.0.1"]

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        post(to(1), "msg_1", b"{}", find=find)
    ends.set()
    assert time.monotonic() - began < 25


def test_an_answer_that_drips_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_requests, "WITHIN_S", 0.4)
    drip = [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", *[b"x"] * 100]
    with answering(*drip, pause_s=0.05) as (port, _requests), pytest.raises(CUT):
        post(to(port), "msg_1", b"{}", find=at_loopback)


def test_headers_without_end_are_cut() -> None:
    huge = [b"HTTP/1.1 200 OK\r\n", *[b"X-A: " + b"b" * 8_000 + b"\r\n"] * 20]
    with answering(*huge) as (port, _requests), pytest.raises((AnswerTooLong, httpcore.RemoteProtocolError)):
        post(to(port), "msg_1", b"{}", find=at_loopback)


def test_interim_answers_without_end_are_cut() -> None:
    with (
        answering(*[b"HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n"] * 4_000) as (port, _requests),
        pytest.raises((AnswerTooLong, httpcore.RemoteProtocolError)),
    ):
        post(to(port), "msg_1", b"{}", find=at_loopback)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_refusal_and_its_answer_is_never_shown(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = b"the inner page"
    moved = (
        f"HTTP/1.1 {status} Moved\r\nLocation: http://127.0.0.1:1/inner\r\nContent-Length: {len(secret)}\r\n\r\n"
    ).encode()
    news = WebhookMessage("msg_1", "alerts", 1, "p1", "http://localhost/alerts")
    with answering(moved + secret) as (port, requests):
        known = type("Known", (), {"webhooks": {"desk": to(port)}})
        monkeypatch.setattr(mail_and_webhook_sending, "destinations", lambda: known)

        def send(webhook: Webhook, delivery: str, body: bytes) -> int:
            return post(webhook, delivery, body, find=at_loopback)

        assert send_webhook(news, "desk", send) == f"status {status}"
        assert len(requests) == 1


def test_a_host_that_is_no_name_is_one_failed_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    webhook = Webhook(f"https://{'a' * 70}.test/in", KEY)
    monkeypatch.setattr(
        mail_and_webhook_sending, "destinations", lambda: type("Known", (), {"webhooks": {"desk": webhook}})
    )
    news = WebhookMessage("msg_1", "alerts", 1, "p1", "http://localhost/alerts")
    assert send_webhook(news, "desk", post) in ("UnicodeError", "UnicodeEncodeError", "LocalProtocolError")


def test_the_documented_check_takes_ours_and_refuses_others() -> None:
    """The snippet of the how-to, as a receiver copies it."""
    text = (ROOT / "docs" / "howto" / "subscribe.md").read_text(encoding="utf-8")
    [snippet] = re.findall(r"(?s)```python\n(.*?)```", text)
    receiver: dict[str, Any] = {}
    exec(snippet, receiver)  # noqa: S102 - the text of our own how-to
    is_genuine, body = receiver["is_genuine"], msgspec.json.encode({"id": "msg_1", "count": 2})
    now = 1_795_000_000
    headers = signed_headers(Webhook("https://hooks.test/in", KEY), "msg_1", now, body)
    assert is_genuine(headers, body, KEY, now + 10)
    assert not is_genuine(headers, body.replace(b"2", b"3"), KEY, now + 10)
    assert not is_genuine(headers | {"webhook-id": "msg_2"}, body, KEY, now + 10)
    assert not is_genuine(headers | {"webhook-timestamp": str(now + 1)}, body, KEY, now + 10)
    assert not is_genuine(headers, body, KEY[::-1], now + 10)
    assert not is_genuine(headers, body, KEY, now + 301)
    assert not is_genuine(headers | {"webhook-timestamp": "soon"}, body, KEY, now)
    assert not is_genuine({}, body, KEY, now)
