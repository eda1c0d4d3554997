"""The effects of the house's address: cookies, sessions, passkeys, forms."""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.test import Client, override_settings
from django.utils.module_loading import import_string
from fido2.utils import websafe_encode

from backoffice.people import display_keys, password_setup_links
from backoffice.people.house_address_of_request import PREFIX
from backoffice.people.request_identity import listener
from backoffice.people.second_factor_forms import require_our_origin
from backoffice.people.session_store import SessionStore
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db

PASSWORD = "a long and quiet night"
HOUSE, OTHER, LOCAL = "pit.example.org", "b.example:8443", "localhost:8000"
ADDRESSES = f"https://{HOUSE} https://{OTHER} http://{LOCAL}"


@pytest.fixture(autouse=True)
def addresses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PITLEDGER_ADDRESS", ADDRESSES)
    hosts = [*settings.ALLOWED_HOSTS, HOUSE, OTHER.partition(":")[0]]
    with override_settings(ALLOWED_HOSTS=hosts):
        yield


def browser(host: str) -> Client:
    return Client(headers={"host": host, "origin": f"http{'s' * (host != LOCAL)}://{host}"}, enforce_csrf_checks=True)


def let_in(host: str, person: str = "maria") -> Client:
    """Return a browser in which a person has opened a sign-in link, at an address of the house."""
    client, secure = browser(host), host != LOCAL
    page = client.get("/enrol", secure=secure)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())
    assert token is not None
    code = password_setup_links.invite(person, "ada")
    data = {"code": code, "password": PASSWORD, "again": PASSWORD, "csrfmiddlewaretoken": token[1]}
    response = client.post("/enrol", data, secure=secure)
    assert response.status_code == 302, words(client, "/enrol")
    return client


@pytest.fixture
def maria(house: House) -> None:
    house.grant("maria", "auditor")


@pytest.mark.usefixtures("maria")
@pytest.mark.parametrize("host", [HOUSE, OTHER])
def test_every_cookie_of_the_house_is_secure_and_of_one_host(host: str) -> None:
    client = let_in(host)
    assert set(client.cookies) == {f"{PREFIX}{name}" for name in ("csrftoken", "pitledger_known", "sessionid")}
    for cookie in client.cookies.values():
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Strict")
        assert (cookie["path"], cookie["domain"]) == ("/", "")
    assert client.get("/account/factors/", secure=True).status_code == 200
    client.post("/sign-out", secure=True)


@pytest.mark.usefixtures("maria")
def test_loopback_has_plain_cookies_as_ever() -> None:
    client = let_in(LOCAL)
    assert set(client.cookies) == {"csrftoken", "pitledger_known", "sessionid"}
    assert not any(cookie["secure"] for cookie in client.cookies.values())


@pytest.mark.usefixtures("maria")
@pytest.mark.parametrize(("of", "at"), [(a, b) for a in (HOUSE, OTHER, LOCAL) for b in (HOUSE, OTHER, LOCAL) if a != b])
def test_a_secret_of_one_address_opens_nothing_at_another_under_any_name(of: str, at: str) -> None:
    client = let_in(of)
    names = ("csrftoken", "pitledger_known", "sessionid")
    secrets = {name: cookie.value for name in names for key, cookie in client.cookies.items() if key.endswith(name)}
    for prefix in ("", PREFIX, "__Secure-"):
        thief = Client(headers={"host": at})
        for name, value in secrets.items():
            thief.cookies[prefix + name] = value
        response = thief.get("/account/factors/", secure=at != LOCAL)
        assert (response.status_code, "/sign-in" in response.headers["Location"]) == (302, True)
        assert listener("; ".join(f"{prefix}{name}={value}" for name, value in secrets.items()), at).is_nobody


@pytest.mark.usefixtures("maria")
def test_a_display_is_let_in_at_one_address() -> None:
    client = browser(HOUSE)
    client.handler.enforce_csrf_checks = False
    response = client.post("/display", {"code": display_keys.invite("lobby", "ada")}, secure=True)
    key = response.cookies[PREFIX + display_keys.COOKIE]
    assert (key["secure"], response.status_code) == (True, 302)
    assert listener(f"{PREFIX}{display_keys.COOKIE}={key.value}", HOUSE).display == "lobby"
    for host, name in (
        (LOCAL, display_keys.COOKIE),
        (OTHER, PREFIX + display_keys.COOKIE),
        (HOUSE, display_keys.COOKIE),
    ):
        assert listener(f"{name}={key.value}", host).is_nobody


@pytest.mark.usefixtures("maria")
@pytest.mark.parametrize("host", [HOUSE, OTHER])
def test_passkeys_belong_to_the_first_address(host: str) -> None:
    page = let_in(host).get("/account/factors/webauthn/add/", secure=True).content.decode()
    options = re.search(r'<script id="js_data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert options is not None
    assert json.loads(options[1])["creation_options"]["publicKey"]["rp"]["id"] == HOUSE


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        (f"https://{HOUSE}", True),
        (f"https://{OTHER}", True),
        (f"https://evil.{HOUSE}", False),
        (f"https://{HOUSE}:444", False),
        (f"http://{HOUSE}", False),
        ("", False),
    ],
)
def test_a_passkey_is_shown_on_a_page_of_the_house(origin: str, is_ours: bool) -> None:
    signed = websafe_encode(json.dumps({"type": "webauthn.get", "challenge": "YWJj", "origin": origin}).encode())
    with nullcontext() if is_ours else pytest.raises(ValidationError):
        require_our_origin({"response": {"clientDataJSON": signed}})


def test_every_form_for_passkeys_checks_the_page() -> None:
    of_passkeys = {name: form for name, form in settings.MFA_FORMS.items() if name.endswith("_webauthn")}
    assert len(of_passkeys) == 4
    for form in of_passkeys.values():
        shown = import_string(form).__new__(import_string(form))
        shown.cleaned_data = {"credential": {}}
        with pytest.raises(ValidationError):
            shown.clean_credential()


@pytest.mark.parametrize(("host", "is_here"), [(HOUSE, True), (OTHER, False), (LOCAL, False)])
def test_another_address_says_where_passkeys_work(host: str, is_here: bool) -> None:
    page = browser(host).get("/sign-in", secure=host != LOCAL).content.decode()
    assert ("passkey_login" in page) == is_here
    assert (f'<a href="https://{HOUSE}">' in page) == (not is_here)


@pytest.mark.parametrize(
    ("origin", "status"),
    [(f"https://{HOUSE}", 422), (f"https://{OTHER}", 422), ("https://evil.example", 403), (f"http://{HOUSE}", 403)],
)
def test_forms_come_from_the_addresses_of_the_house(origin: str, status: int) -> None:
    client = browser(HOUSE)
    with override_settings(CSRF_TRUSTED_ORIGINS=[f"https://{HOUSE}", f"https://{OTHER}"]):
        page = client.get("/enrol", secure=True).content.decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token is not None
        data = {"code": "none", "password": PASSWORD, "again": PASSWORD, "csrfmiddlewaretoken": token[1]}
        response = client.post("/enrol", data, secure=True, headers={"origin": origin})
    assert response.status_code == status


def test_a_session_of_before_counts_at_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's name in the database is the one from before addresses were introduced."""
    monkeypatch.delenv("PITLEDGER_ADDRESS")
    store = SessionStore.of_cookie("secret")
    assert SessionStore("secret").session_key == store.session_key
    assert SessionStore.of_cookie("secret", f"https://{HOUSE}").session_key != store.session_key
