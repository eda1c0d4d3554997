"""A house behind nginx and Caddy, opened over HTTPS by a browser in another network that trusts one authority."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.browser.test_people_in import authenticator, choose_password, fill, link
from tests.servers.chromium import flags
from tests.servers.ports import free_port
from tests.support.pages.sign_in import code
from tests.support.processes.web_process import DoorProcess, LiveProcess, Web
from tests.tls import authority
from tests.tls.network import HERE, THERE, Network, another_network
from tests.tls.nginx_and_caddy import Caddy, Nginx, Proxy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.tls, pytest.mark.browser]

NAME = "pit.example.org"
TOKEN = "t" * 40


@dataclass
class Premises:
    """The house, its proxies, and a browser elsewhere."""

    web: Web
    proxies: dict[str, Proxy]
    network: Network
    browser: "Browser"
    authority: Path

    def address(self, proxy: str) -> str:
        return f"https://{NAME}:{self.proxies[proxy].port}"

    def curl(self, proxy: str, path: str, *words: str) -> str:
        """Return the answer that curl gets through a proxy from another address, with its headers."""
        port = self.proxies[proxy].port
        trust = ["--cacert", str(self.authority), "--resolve", f"{NAME}:{port}:{HERE}"]
        return self.network.run("curl", "-sS", "-i", "--max-time", "20", *trust, *words, f"https://{NAME}:{port}{path}")


class AddressedWeb(Web):
    """The process of the pages of a house that knows its addresses."""

    given: dict[str, str]

    def environment(self) -> dict[str, str]:
        return super().environment() | self.given


@pytest.fixture(scope="module")
def premises(
    chromium_path: str, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Premises]:
    folder = tmp_path_factory.mktemp("https")
    authority.make(folder, NAME)
    with ExitStack() as stack:
        network = stack.enter_context(another_network())
        proxies: dict[str, Proxy] = {"nginx": Nginx(NAME, folder), "caddy": Caddy(NAME, folder)}
        web, web_port = AddressedWeb(fill, django_db_blocker), free_port()
        for proxy in proxies.values():
            proxy.web_port = web_port
            stack.enter_context(proxy)
        addresses = ", ".join(f"https://{NAME}:{proxy.port}" for proxy in proxies.values())
        web.given = {
            "PITLEDGER_ADDRESS": addresses,
            "PITLEDGER_PROXIES": "127.0.0.1",
            "PITLEDGER_OBSERVER_TOKEN": TOKEN,
        }
        stack.enter_context(web)
        stack.enter_context(LiveProcess(web))
        stack.enter_context(_Door(web, web_port))
        program = network.browser(tmp_path_factory.mktemp("browser"), chromium_path, folder / "authority.pem")
        yield Premises(web, proxies, network, stack.enter_context(_browser(program)), folder / "authority.pem")


class _Door(DoorProcess):
    """A web process at the port that the proxies expect."""

    def __init__(self, web: Web, port: int) -> None:
        super().__init__(web)
        self._at = port

    def before(self) -> list[list[str]]:
        self.port = self._at
        return super().before()

    def answers(self) -> bool:
        return True  # where it answers to `localhost`, and not to everybody, the tests find out


class _browser:
    def __init__(self, program: str) -> None:
        self._program, self._stack = program, ExitStack()

    def __enter__(self) -> "Browser":
        from playwright.sync_api import sync_playwright

        playwright = self._stack.enter_context(sync_playwright())
        rules = f"--host-resolver-rules=MAP {NAME} {HERE}"
        browser = playwright.chromium.launch(executable_path=self._program, args=[*flags(), rules])
        self._stack.callback(browser.close)
        return browser

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def tablet(premises: Premises) -> "BrowserContext":
    context = premises.browser.new_context(viewport={"width": 820, "height": 1180}, locale="en-GB")
    context.set_default_timeout(60_000)
    return context


def at(link: str, address: str) -> str:
    """A link that was printed, at this address of the house."""
    parts = urlsplit(link)
    return f"{address}{parts.path}#{parts.fragment}"


@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_a_tablet_elsewhere_signs_in_with_an_app_and_a_passkey_and_sees_the_meters_move(
    premises: Premises, proxy: str
) -> None:
    address, printed = premises.address(proxy), link(premises.web, "maria")
    assert printed.startswith(f"{premises.address('nginx')}/enrol#"), "links name the first address"
    context = tablet(premises)
    page = context.new_page()
    authenticator(page)
    page.goto(at(printed, address))
    choose_password(page)
    _add_app(page, address)
    _cookies(context)
    _add_passkey(page, address)
    _sign_in_with_the_passkey(page, address)
    _stream(page, address)
    page.goto(f"{address}/events?q=table:BJ1")
    assert _sources(premises.web) == {THERE}, "the access log names the tablet"
    context.close()


def _sources(web: Web) -> set[str]:
    """Return the source addresses in Maria's lines of the access log."""
    with closing(sqlite3.connect(web.folder / "access.sqlite3")) as connection:
        [[table]] = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%_look'")
        return {source for [source] in connection.execute(f"SELECT source FROM {table} WHERE person = 'maria'")}


def _add_app(page: "Page", address: str) -> None:
    page.goto(f"{address}/account/factors/totp/activate/")
    page.fill("#id_code", code(page.input_value("#authenticator_secret")))
    page.click("main button[type=submit]")
    page.wait_for_url("**/recovery-codes/")
    page.goto(f"{address}/")
    assert page.title().startswith("Floor")


def _cookies(context: "BrowserContext") -> None:
    cookies: list[Any] = context.cookies()
    assert {cookie["name"] for cookie in cookies} == {
        f"__Host-{name}" for name in ("csrftoken", "pitledger_known", "sessionid")
    }
    for cookie in cookies:
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"], cookie["path"], cookie["domain"]) == (
            *(True, True, "Strict", "/", NAME),
        )


def _add_passkey(page: "Page", address: str) -> None:
    page.goto(f"{address}/account/factors/webauthn/add/")
    options = page.locator("#js_data").text_content() or ""
    assert json.loads(options)["creation_options"]["publicKey"]["rp"]["id"] == NAME
    page.fill("#id_name", "tablet")
    page.check("#id_passwordless")
    page.click("#mfa_webauthn_add")
    page.wait_for_url(lambda url: "/add" not in url)


def _sign_in_with_the_passkey(page: "Page", address: str) -> None:
    page.goto(f"{address}/sign-out")
    page.click("main button[type=submit]")
    page.wait_for_url("**/sign-in")
    page.click("#passkey_login")
    page.wait_for_url(f"{address}/")
    assert page.title().startswith("Floor")


def _stream(page: "Page", address: str) -> None:
    page.goto(f"{address}/progressives/blazing")
    page.locator("#stream[data-state=live]").wait_for()
    assert page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
    assert page.evaluate("isSecureContext")


@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_a_page_of_another_site_posts_nothing(premises: Premises, proxy: str) -> None:
    forged = ["-H", "Origin: https://evil.example", "-H", "Cookie: __Host-csrftoken=x", "-d", "csrfmiddlewaretoken=x"]
    assert " 403" in premises.curl(proxy, "/sign-in", *forged).splitlines()[0]


@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
@pytest.mark.parametrize(
    "forged",
    [
        ["X-Forwarded-For: 127.0.0.1"],
        ["x_forwarded_for: 127.0.0.1", "X-Real-IP: 127.0.0.1"],
        ["Forwarded: for=127.0.0.1;proto=https;host=localhost"],
        ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: localhost"],
        ["X-Forwarded-Proto: http"],
    ],
)
def test_a_stranger_is_no_observer_whatever_headers_say(premises: Premises, proxy: str, forged: list[str]) -> None:
    words = [word for header in forged for word in ("-H", header)]
    head, _, body = premises.curl(proxy, "/healthz", *words).replace("\r", "").partition("\n\n")
    assert " 200" in head.splitlines()[0]
    assert list(json.loads(body)) == ["status"]
    assert "strict-transport-security: max-age=31536000" in head.lower()
    assert " 401" in premises.curl(proxy, "/live/progressives/blazing", *words).splitlines()[0]
    assert " 200" not in premises.curl(proxy, "/metrics", *words).splitlines()[0]
    token = ["-H", f"Authorization: Bearer {TOKEN}"]
    assert " 200" in premises.curl(proxy, "/metrics", *words, *token).splitlines()[0]
