"""The source of a request: only named proxies are believed, each about the address directly before it."""

import asyncio
from typing import Any

import pytest

from backoffice.door import client_address
from backoffice.door.client_address import Client, Peers, client_of
from backoffice.http.shared_request_ambiguity_checks import Ambiguous
from events.settings.network_address_parsing import Proxies, proxies

PROXIES = proxies("10.9.0.0/24 fd00::9")
FAR = "203.0.113.7"


def client(peer: str, *headers: tuple[str, str], proxies: Proxies = PROXIES) -> Client:
    return client_of(peer, headers, Peers(proxies))


def test_without_a_setting_and_from_anybody_else_no_header_counts() -> None:
    headers = [("X-Forwarded-For", FAR), ("Forwarded", f"for={FAR};proto=https"), ("X-Forwarded-Proto", "http")]
    assert client("127.0.0.1", *headers, proxies=proxies("")) == Client("127.0.0.1")
    for peer in ("127.0.0.1", "10.9.1.1", "::1", FAR):
        assert client(peer, *headers) == Client(peer)


@pytest.mark.parametrize("peer", ["10.9.0.1", "::ffff:10.9.0.1", "fd00::9", "[fd00::9]"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Forwarded-For", FAR),
        ("x-FORWARDED-for", f" {FAR} "),
        ("X-Forwarded-For", f"{FAR}:51234"),
        ("X-Forwarded-For", f"1.1.1.1, {FAR}"),
        ("X-Forwarded-For", f"{FAR}, 10.9.0.7"),
        ("X-Forwarded-For", f"10.9.0.7, 1.1.1.1, {FAR}, 10.9.0.7, fd00::9"),
        ("Forwarded", f"for={FAR}"),
        ("forwarded", f'For="{FAR}:99";Proto=https;by=10.9.0.1'),
        ("Forwarded", f'for=1.1.1.1, for="{FAR}", for=10.9.0.7;host=x'),
        ("Forwarded", f'for="\\1.1.1.1, for=x" , for={FAR}'),
        ("X-Forwarded-For", f"::ffff:{FAR}"),
    ],
)
def test_the_first_address_from_the_right_that_is_no_proxy_is_the_client(peer: str, name: str, value: str) -> None:
    client_ = client(peer, (name, value))
    assert (client_.source, client_.is_proxied) == (FAR, True)


@pytest.mark.parametrize("value", ["2001:db8::7", "[2001:db8::7]:443", "[2001:db8::7]"])
def test_an_ipv6_client(value: str) -> None:
    assert client("10.9.0.1", ("X-Forwarded-For", value)).source == "2001:db8::7"
    assert client("10.9.0.1", ("Forwarded", f'for="{value}"')).source == "2001:db8::7"


@pytest.mark.parametrize("name", ["X_Forwarded_For", "X-Real-Ip", "True-Client-Ip", "X-Client-Ip", "X-Forwarded_For"])
def test_other_spellings_count_for_nothing_even_from_a_proxy(name: str) -> None:
    assert client("10.9.0.1", (name, FAR)) == Client("10.9.0.1", is_proxied=True)


def test_headers_in_several_lines_are_one_list() -> None:
    """Some proxies add a header line of their own below the client's line."""
    lines = [("X-Forwarded-For", "1.1.1.1"), ("x-forwarded-for", FAR)]
    assert client("10.9.0.1", *lines).source == FAR
    assert client("10.9.0.1", ("Forwarded", "for=1.1.1.1"), ("Forwarded", f"for={FAR}")).source == FAR


@pytest.mark.parametrize("value", ["unknown", "_hidden", "", "nonsense", f"{FAR}, unknown", "1.1.1.1, 999.1.1.1"])
def test_a_client_that_the_proxy_does_not_name_is_the_proxy(value: str) -> None:
    assert client("10.9.0.1", ("X-Forwarded-For", value)).source == "10.9.0.1"


def test_only_proxies_stand_in_the_list() -> None:
    assert client("10.9.0.1", ("X-Forwarded-For", "10.9.0.3, 10.9.0.2")).source == "10.9.0.3"


@pytest.mark.parametrize(
    ("headers", "scheme"),
    [
        ([("X-Forwarded-Proto", "https")], "https"),
        ([("X-Forwarded-Proto", "HTTP")], "http"),
        ([("X-Forwarded-Proto", "wss")], ""),
        ([("X-Forwarded-For", FAR), ("X-Forwarded-Proto", "https")], "https"),
        ([("X-Forwarded-For", f"{FAR}, 10.9.0.7"), ("X-Forwarded-Proto", "https, http")], "https"),
        ([("X-Forwarded-For", f"1.1.1.1, {FAR}"), ("X-Forwarded-Proto", "http, https")], "https"),
        ([("Forwarded", f"for={FAR};proto=https, for=10.9.0.7;proto=http")], "https"),
        ([("Forwarded", "for=1.1.1.1;proto=http, for=203.0.113.7;proto=https")], "https"),
    ],
)
def test_the_scheme_is_the_one_that_the_client_used(headers: list[tuple[str, str]], scheme: str) -> None:
    assert client("10.9.0.1", *headers).scheme == scheme


def test_two_headers_that_differ_are_refused_and_two_that_agree_are_one() -> None:
    same = [("X-Forwarded-For", FAR), ("X-Forwarded-Proto", "https"), ("Forwarded", f"for={FAR};proto=https")]
    assert client("10.9.0.1", *same) == Client(FAR, "https", is_proxied=True)
    with pytest.raises(Ambiguous, match="forwarded and x-forwarded-for differ"):
        client("10.9.0.1", ("X-Forwarded-For", FAR), ("Forwarded", "for=1.1.1.1"))
    with pytest.raises(Ambiguous, match="cannot be read"):
        client("10.9.0.1", ("Forwarded", 'for="1.1.1.1'))
    assert client(FAR, ("X-Forwarded-For", "1.1.1.1"), ("Forwarded", "for=2.2.2.2")) == Client(FAR)


def test_a_proxy_by_its_name_counts_once_it_is_found_and_as_long_as_it_is() -> None:
    async def work() -> None:
        loop, addresses = asyncio.get_running_loop(), ["10.8.0.5"]

        async def resolve(name: str, *_: Any, **options: Any) -> list[Any]:
            if not addresses:
                raise OSError(name)
            return [(0, 0, 0, "", (addresses[0], 0))]

        peers = Peers(proxies("proxy"))
        assert not peers.is_proxy("10.8.0.5")
        loop.getaddrinfo = resolve  # type: ignore[method-assign,assignment]  # no name of this machine is meant
        for address in ("10.8.0.5", "10.8.0.6", ""):
            addresses[:] = [address] if address else []
            task = asyncio.create_task(peers.keep_resolving())
            await asyncio.sleep(0.01)
            task.cancel()
            assert [peers.is_proxy(peer) for peer in ("10.8.0.5", "10.8.0.6")] == [
                address == "10.8.0.5",
                address == "10.8.0.6",
            ]

    asyncio.run(work())


def test_a_proxy_that_has_just_started_is_found_by_its_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is looked up at once, not after ten seconds. Otherwise a browser would follow redirects in a loop."""
    monkeypatch.setattr(client_address, "LOOKED_UP_LEAST_S", 0.0)

    async def work() -> None:
        loop, addresses = asyncio.get_running_loop(), list[str]()

        async def resolve(name: str, *_: Any, **options: Any) -> list[Any]:
            return [(0, 0, 0, "", (address, 0)) for address in addresses]

        peers = Peers(proxies("proxy"))
        loop.getaddrinfo = resolve  # type: ignore[method-assign,assignment]  # no name of this machine is meant
        task = asyncio.create_task(peers.keep_resolving())
        await asyncio.sleep(0.01)
        addresses.append("10.8.0.5")
        client_of("10.8.0.5", [("Host", "pit.example.org")], peers)
        await asyncio.sleep(0.01)
        assert not peers.is_proxy("10.8.0.5")
        client_of("10.8.0.5", [("X-Forwarded-For", FAR)], peers)
        await asyncio.sleep(0.01)
        assert peers.is_proxy("10.8.0.5")
        task.cancel()

    asyncio.run(work())
