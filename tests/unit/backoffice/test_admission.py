"""The addresses that the house answers: its own, and loopback for programs on the machine."""

from http import HTTPStatus

import pytest

from backoffice.door.client_address import Client
from backoffice.door.host_checks import AddressRefusal, admit
from backoffice.door.http_request_forwarding import ForwardedRequest
from backoffice.people.house_address_of_request import address_of, cookies_of

LOCAL, FAR = Client("127.0.0.1"), Client("203.0.113.7")
PROXIED = Client("203.0.113.7", "https", is_proxied=True)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_ADDRESS", "https://pit.example.org https://b.example:8443 http://localhost:8000")


def request_to(host: str, path: str = "/floor", method: str = "GET") -> ForwardedRequest:
    return ForwardedRequest(method, path, "q=1", [("host", host), ("cookie", "a=b")], b"", "203.0.113.7")


def passed(host: str, client: Client = PROXIED, path: str = "/floor") -> ForwardedRequest:
    admitted = admit(request_to(host, path), client)
    assert isinstance(admitted, ForwardedRequest), admitted
    return admitted


def refused(host: str, client: Client = PROXIED, path: str = "/floor", method: str = "GET") -> AddressRefusal:
    refusal = admit(request_to(host, path, method), client)
    assert isinstance(refusal, AddressRefusal), refusal
    assert refusal.response.status == HTTPStatus.BAD_REQUEST
    return refusal


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:9999", "[::1]:8000", "LOCALHOST"])
def test_without_the_setting_only_loopback_is_answered(host: str) -> None:
    admitted = passed(host, LOCAL)
    assert (admitted, admitted.is_secure) == (request_to(host), False)
    for other in ("pit.example.org", "192.168.1.5:8000", "", "localhost.example", "0.0.0.0"):  # noqa: S104 - a Host
        assert b"This house does not have this name" in refused(other, LOCAL).response.body


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(
    ("host", "netloc"),
    [
        ("pit.example.org", "pit.example.org"),
        ("PIT.example.org:443", "pit.example.org"),
        ("pit.example.org:9999", "pit.example.org"),
        ("b.example", "b.example:8443"),
        ("b.example:8443", "b.example:8443"),
    ],
)
def test_the_host_becomes_the_address(host: str, netloc: str) -> None:
    for client in (PROXIED, LOCAL, FAR, Client("10.0.0.1", is_proxied=True)):
        admitted = passed(host, client)
        assert (admitted.header("host"), admitted.is_secure) == (netloc, True)


@pytest.mark.usefixtures("house")
def test_a_proxy_that_sends_its_own_host_names_the_address_beside_it() -> None:
    client = Client("203.0.113.7", "https", "pit.example.org", is_proxied=True)
    assert passed("127.0.0.1:8000", client).header("host") == "pit.example.org"
    assert passed("b.example", client).header("host") == "b.example:8443"
    refused("127.0.0.1:8000", Client("203.0.113.7", "https", "evil.example", is_proxied=True))
    refused("127.0.0.1:8000", Client("127.0.0.1", "https", "pit.example.org"))


@pytest.mark.usefixtures("house")
def test_a_client_without_https_is_led_to_it_and_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Client("203.0.113.7", "http", is_proxied=True)
    assert refused("pit.example.org", plain, "/a b").location == "https://pit.example.org/a%20b?q=1"
    assert refused("b.example", plain).location == "https://b.example:8443/floor?q=1"
    refusal = refused("pit.example.org", plain, "/api/v1/tables/BJ1/actions", "POST")
    assert (refusal.location, b"Open https://pit.example.org" in refusal.response.body) == ("", True)
    monkeypatch.setenv("PITLEDGER_PROXIES", "10.9.0.0/24")
    assert refused("pit.example.org", FAR).location  # past the proxies
    assert passed("pit.example.org", LOCAL).is_secure


@pytest.mark.usefixtures("house")
def test_programs_use_loopback_without_cookies_and_people_are_told_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("/api/v1/position", "/live/progressives/x", "/healthz", "/metrics"):
        assert passed("127.0.0.1:8000", LOCAL, path).headers == [("host", "127.0.0.1:8000")]
    assert b"Open https://pit.example.org" in refused("127.0.0.1:8000", LOCAL).response.body
    assert passed("localhost:8000", LOCAL) == request_to("localhost:8000")  # listed
    monkeypatch.setenv("PITLEDGER_ADDRESS", "https://pit.example.org")
    refused("localhost:8000", LOCAL)


@pytest.mark.usefixtures("house")
def test_a_cookie_counts_at_its_own_address_only() -> None:
    both = {"sessionid": "loopback", "__Host-sessionid": "house", "__Secure-sessionid": "other"}
    assert cookies_of(both, address_of("pit.example.org")) == {"sessionid": "house"}
    assert cookies_of(both, address_of("localhost:8000")) == {
        "sessionid": "loopback",
        "__Secure-sessionid": "other",
    }
    assert cookies_of(both, address_of("127.0.0.1:8000")) == cookies_of(both, None) == {}
