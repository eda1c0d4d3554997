"""The entrance in a real browser: the link of an administrator, an authenticator app, a passkey."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events.store import open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.browser import follow, opened, violations
from tests.support.pages.sign_in import PASSWORD, code
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import ROOT, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

ANOTHER = "copper lantern 3 valleys"
PHONE = {"width": 390, "height": 844}


def fill(folder: Path) -> None:
    """An evening, and two auditors who have no login yet."""
    with closing(House(open_store(f"sqlite:///{folder}/events.sqlite3"))) as house:
        evening_with_everything.play(house)
        for person in ("maria", "nora"):
            house.grant(person, "auditor")
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
            evening_with_everything.project(house, alias)


@pytest.fixture(scope="module")
def web(django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(fill, django_db_blocker) as running:
        yield running


def link(web: Web, person: str) -> str:
    """Return the sign-in link that an administrator creates for a person."""
    output = _people(web, "enrol", person)
    return re.sub(r"^http://localhost:\d+", _name(web), output.splitlines()[-1])


def _people(web: Web, *words: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), "people", *words]
    ran = subprocess.run(command, env=web.environment(), capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def _name(web: Web) -> str:
    """Return the address by host name. A passkey belongs to a host name, and 127.0.0.1 is an IP address."""
    return f"http://localhost:{web.port}"


def authenticator(page: "Page") -> "CDPSession":
    """A security key of the browser's own, which always says yes."""
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    options: dict[str, Any] = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return tools


def choose_password(page: "Page") -> None:
    page.fill("#id_password", PASSWORD)
    page.fill("#id_again", PASSWORD)
    page.click("text=Set password")
    page.wait_for_url("**/account/factors/")


def test_somebody_is_let_in_and_signs_in_with_an_app(browser: "Browser", web: Web) -> None:
    with opened(browser, link(web, "maria"), nobody=True) as page:
        assert "#" not in page.url
        assert page.input_value("#id_code")
        assert violations(page) == []
        choose_password(page)
        page.goto(f"{_name(web)}/account/factors/totp/activate/")
        assert violations(page) == []
        secret = page.input_value("#authenticator_secret")
        page.fill("#id_code", code(secret))
        page.click("main button[type=submit]")
        page.wait_for_url("**/recovery-codes/")
        assert page.inner_text("main")
        page.goto(_name(web))
        assert page.title().startswith("Floor")


def test_a_passkey_signs_in_alone_and_counts_as_second_factor(browser: "Browser", web: Web) -> None:
    with opened(browser, link(web, "maria"), nobody=True) as page:
        authenticator(page)
        choose_password(page)
        page.goto(f"{_name(web)}/account/factors/webauthn/add/")
        page.fill("#id_name", "my key")
        page.check("#id_passwordless")
        page.click("#mfa_webauthn_add")
        page.wait_for_url("**/recovery-codes/")
        page.goto(f"{_name(web)}/sign-out")
        page.click("main button[type=submit]")
        page.wait_for_url("**/sign-in")
        page.click("#passkey_login")
        page.wait_for_url(f"{_name(web)}/")
        assert page.title().startswith("Floor")


def by_a_recovery_code(page: "Page", person: str, password: str, recovery: str) -> None:
    """Sign in by a password and a code that was written down."""
    page.fill("#id_login", person)
    page.fill("#id_password", password)
    follow(page.locator("main button[type=submit]"))
    page.fill("#id_code", recovery)
    page.click("main button[type=submit]")
    page.wait_for_url(lambda url: "sign-in" not in url and "factors" not in url)


def looked_at(page: "Page", address: str) -> str:
    """Open a page of the person's own account, check it with axe, and return its text."""
    page.goto(address)
    assert violations(page) == [], address
    return page.inner_text("main")


def test_the_account_is_kept_by_its_owner(browser: "Browser", web: Web) -> None:
    """App, recovery codes, passkey, sessions that are listed and ended, another password."""
    name = _name(web)
    with (
        opened(browser, link(web, "nora"), nobody=True) as page,
        opened(browser, f"{name}/sign-in", nobody=True) as other,
    ):
        authenticator(page)
        choose_password(page)
        page.goto(f"{name}/account/factors/totp/activate/")
        page.fill("#id_code", code(page.input_value("#authenticator_secret")))
        page.click("main button[type=submit]")
        page.wait_for_url("**/recovery-codes/")
        first, second = page.input_value("#recovery_codes").split()[:2]
        assert "cannot be shown again" in looked_at(page, f"{name}/account/factors/recovery-codes/")
        page.goto(f"{name}/account/factors/webauthn/add/")
        page.fill("#id_name", "desk")
        page.click("#mfa_webauthn_add")
        page.wait_for_url(lambda url: "add" not in url)
        assert "desk" in looked_at(page, f"{name}/account/factors/webauthn/")
        by_a_recovery_code(other, "nora", PASSWORD, first)
        assert page.locator("tbody tr").count() == 1
        looked_at(page, f"{name}/account/sessions")
        assert page.locator("tbody tr").count() == 2
        page.click("text=Sign out other sessions")
        page.locator("tbody tr").nth(1).wait_for(state="detached")
        other.goto(f"{name}/")
        assert "/sign-in" in other.url
        looked_at(page, f"{name}/account/factors/reauthenticate/")
        follow(page.locator("main a[href*='webauthn/reauthenticate']"))
        assert violations(page) == []
        page.click("#mfa_webauthn_reauthenticate")
        page.wait_for_url(lambda url: "reauthenticate" not in url)
        looked_at(page, f"{name}/account/password")
        for field, text in {"oldpassword": PASSWORD, "password1": ANOTHER, "password2": ANOTHER}.items():
            page.fill(f"#id_{field}", text)
        page.click("main button[type=submit]")
        page.locator(".banner").wait_for()
        by_a_recovery_code(other, "nora", ANOTHER, second)
        assert other.title().startswith("Floor")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_entrance_fits_a_phone_and_can_be_read(browser: "Browser", web: Web, scheme: str) -> None:
    for address in (f"{_name(web)}/sign-in", f"{_name(web)}/enrol"):
        with opened(browser, address, "desktop", scheme, nobody=True) as page:
            page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # Playwright's own TypedDict, by another name
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            assert violations(page) == []
