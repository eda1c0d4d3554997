"""The state of the house is read by named networks, by a token, and without either setting on this machine alone."""

import pytest
from django.test import RequestFactory

from backoffice.door.house_health_and_process_readiness import _without_details
from backoffice.door.http_request_forwarding import UpstreamAnswer
from backoffice.http import monitoring_access
from events.errors import Invalid
from events.settings import settings_from_environment

TOKEN = "t" * 32
LOCAL = [
    ("127.0.0.1", "localhost:8000"),
    ("::1", "[::1]:8000"),
    ("::ffff:127.0.0.1", "127.0.0.1"),
    ("127.0.0.9", "localhost"),
]


@pytest.mark.parametrize(("source", "host"), LOCAL)
def test_a_program_on_this_machine_is_local(source: str, host: str) -> None:
    assert monitoring_access.is_local(source, host, ["host", "accept"])
    assert monitoring_access.admits(source, "", is_local=True)


@pytest.mark.parametrize(
    "header", ["Forwarded", "X-Forwarded-For", "x_forwarded_for", "X-Real-Ip", "Via", "X-Forwarded-Proto"]
)
def test_what_came_over_a_proxy_is_not_local(header: str) -> None:
    assert not monitoring_access.is_local("127.0.0.1", "localhost", ["host", header])
    request = RequestFactory().get("/healthz")
    request.META[f"HTTP_{header.upper().replace('-', '_')}"] = "127.0.0.1"
    assert not monitoring_access.may_observe(request)


def test_neither_another_machine_nor_the_public_name_is_local() -> None:
    assert not monitoring_access.is_local("10.0.0.1", "localhost", [])
    assert not monitoring_access.is_local("127.0.0.1", "pit.example.org", [])
    assert not monitoring_access.may_observe(RequestFactory().get("/healthz", REMOTE_ADDR="10.0.0.1"))
    assert monitoring_access.may_observe(RequestFactory().get("/healthz"))


def test_the_word_of_the_web_process_counts_more_than_what_the_request_shows() -> None:
    request = RequestFactory().get("/healthz")
    request.META[monitoring_access.MAY_OBSERVE] = False
    assert not monitoring_access.may_observe(request)


@pytest.mark.parametrize("source", ["10.20.0.7", "::ffff:10.20.0.7", "192.168.1.7", "fd00::5"])
def test_a_named_network_may_and_this_machine_then_may_not(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_OBSERVERS", "10.20.0.0/24, 192.168.1.7 fd00::/8")
    assert monitoring_access.admits(source, "", is_local=False)
    for stranger in ("10.20.1.7", "192.168.1.8", "fe80::1", "", "nonsense", "127.0.0.1"):
        assert not monitoring_access.admits(stranger, "", is_local=stranger == "127.0.0.1")


def test_a_token_may_from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not monitoring_access.admits("10.0.0.1", "Bearer ", is_local=False)
    monkeypatch.setenv("PITLEDGER_OBSERVER_TOKEN", TOKEN)
    assert monitoring_access.admits("10.0.0.1", f"Bearer {TOKEN}", is_local=False)
    assert monitoring_access.admits("10.0.0.1", f"bearer  {TOKEN}", is_local=False)
    for shown in ("", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é", "Bearer"):
        assert not monitoring_access.admits("10.0.0.1", shown, is_local=False)
    assert monitoring_access.admits("127.0.0.1", "", is_local=True)  # as long as no network is named


@pytest.mark.parametrize("value", ["10.0.0.5/8", "office", "10.0.0.0/33", "10.0.0.0/8;10.1.0.0/16"])
def test_a_network_that_is_none_is_refused_at_the_start(value: str) -> None:
    with pytest.raises(Invalid, match=r"PITLEDGER_OBSERVERS: .* is not a list of networks: want networks such as"):
        settings_from_environment.read({"PITLEDGER_OBSERVERS": value})


def test_a_short_token_is_refused_and_not_repeated() -> None:
    with pytest.raises(Invalid, match="the value is not a token of 32 characters") as refusal:
        settings_from_environment.read({"PITLEDGER_OBSERVER_TOKEN": "short-secret"})
    assert "short-secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("body", "state"),
    [(b'{"status": "degraded", "down": {"relay": "x"}}', "degraded"), (b"<html>", "down"), (b"[]", "down")],
)
def test_the_brief_answer_holds_one_word(body: bytes, state: str) -> None:
    answer = _without_details(UpstreamAnswer(200, [("a", "b")], body))
    assert (answer.status, answer.headers, answer.body) == (200, [("a", "b")], f'{{"status":"{state}"}}'.encode())
