"""The pages of a person's own account: each opens, uses the product's words, and names the signed-in person."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client

from backoffice.people import password_setup_links
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import source, words
from tests.support.pages.sign_in import FACTORS, PASSWORD, enrolled, try_password

PAGES = {
    f"{FACTORS}/": "Second factors Authenticator app Set up.",
    f"{FACTORS}/webauthn/": "Passkeys and security keys",
    f"{FACTORS}/webauthn/add/": "Add a passkey or a security key",
    f"{FACTORS}/recovery-codes/generate/": "Create new recovery codes Your current recovery codes stop working.",
    f"{FACTORS}/recovery-codes/": "10 codes left",
    "/account/mail": "E-mail notifications Get one e-mail",
    "/account/password": "Change password Use at least 12 characters",
    "/account/sessions": "Sessions",
    f"{FACTORS}/reauthenticate/": "Confirm it's you",
    "/account/inactive": "This account is disabled",
    "/account/forgotten": "Lost your password or second factor? Ask an administrator",
    "/sign-out": "You are signed in as maria. Your sessions",
}


@pytest.fixture
def maria(house: House) -> Client:
    cache.clear()
    client, _secret = enrolled("maria")
    return client


def test_recovery_codes_are_there_to_be_written_down_the_one_time_that_they_are_shown(maria: Client) -> None:
    page = source(maria, f"{FACTORS}/recovery-codes/")
    shown = re.search(r"<textarea[^>]*readonly>([^<]*)</textarea>", page)
    assert shown is not None
    codes = shown[1].split()
    assert len(codes) == 10
    assert len(set(codes)) == 10


def test_the_session_that_the_link_began_is_listed(maria: Client) -> None:
    assert "127.0.0.1" in words(maria, "/account/sessions")


def test_whoever_has_no_key_yet_may_look_at_the_list_of_keys(maria: Client) -> None:
    assert maria.get(f"{FACTORS}/webauthn/").status_code == 200


@pytest.mark.parametrize("address", PAGES)
def test_an_account_page_speaks_as_the_house_does(maria: Client, address: str) -> None:
    assert PAGES[address] in words(maria, address)


def test_without_a_second_factor_the_page_says_what_to_choose(house: House) -> None:
    cache.clear()
    client, secret = enrolled("maria")
    text = words(client, f"{FACTORS}/")
    assert "Set up a second factor to continue" not in text
    assert "codes left" in text
    assert secret not in text


def test_the_pages_of_a_key_speak_as_the_house_does(maria: Client) -> None:
    data = {"name": "Yubi", "credential": {}, "passwordless": False}
    key = Authenticator.objects.create(user_id="maria", type=Authenticator.Type.WEBAUTHN, data=data).pk
    text = words(maria, f"{FACTORS}/webauthn/")
    assert "Yubi second factor" in text
    assert "Remove the key Yubi" in words(maria, f"{FACTORS}/webauthn/keys/{key}/remove/")
    assert "Rename a key" in words(maria, f"{FACTORS}/webauthn/keys/{key}/edit/")
    assert "Remove the authenticator app" in words(maria, f"{FACTORS}/totp/deactivate/")
    assert maria.post(f"{FACTORS}/webauthn/keys/{key}/edit/", {"name": "Desk"}).status_code == 302
    assert "Desk" in words(maria, f"{FACTORS}/webauthn/")


def test_the_second_step_of_signing_in_and_setting_up_an_app_speak_so_too(house: House) -> None:
    cache.clear()
    enrolled("maria")
    cache.clear()
    client = Client()
    assert try_password(client, "maria", PASSWORD) == 302
    assert "Second factor Enter the code from your authenticator app" in words(client, f"{FACTORS}/authenticate/")
    other = Client()
    invited = password_setup_links.invite("dora", "ada")
    other.post("/enrol", {"code": invited, "password": PASSWORD, "again": PASSWORD})
    assert "Set up an authenticator app" in words(other, f"{FACTORS}/totp/activate/")


def test_whoever_lost_the_password_is_told_whom_to_ask(house: House) -> None:
    assert 'href="/account/forgotten"' in source(Client(), "/sign-in")
    text = words(Client(), "/account/forgotten")
    assert "Ask an administrator" in text
    assert "./manage.py people enrol ID --by ADMINISTRATOR" in text


def test_every_page_of_the_entrance_has_the_switch_for_light_and_dark(maria: Client) -> None:
    assert all('data-themes="system light dark"' in source(maria, page) for page in PAGES)
    assert 'data-themes="system light dark"' in source(Client(), "/sign-in")


@pytest.mark.parametrize(
    ("address", "entry"),
    [
        (f"{FACTORS}/", "Second factors"),
        (f"{FACTORS}/webauthn/", "Second factors"),
        (f"{FACTORS}/webauthn/add/", "Second factors"),
        (f"{FACTORS}/recovery-codes/", "Second factors"),
        (f"{FACTORS}/recovery-codes/generate/", "Second factors"),
        ("/account/password", "Password"),
        ("/account/sessions", "Sessions"),
        ("/account/language", "Language"),
        ("/account/mail", "E-mail"),
        ("/sign-out", "Sign out"),
    ],
)
def test_the_navigation_of_the_account_marks_the_current_page(maria: Client, address: str, entry: str) -> None:
    assert re.findall(r'<a [^>]*aria-current="page"[^>]*>([^<]+)</a>', source(maria, address)) == [entry]
