"""Changing second factors needs a second factor, and the last one cannot be removed."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.test import Client

from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import FACTORS, PASSWORD, code, enrolled

CHANGING = ("totp/deactivate/", "webauthn/add/", "recovery-codes/generate/", "recovery-codes/")
pytestmark = pytest.mark.django_db


@pytest.fixture
def maria(house: House) -> tuple[Client, str]:
    house.grant("maria", "auditor")
    cache.clear()
    maria_ = enrolled("maria")
    cache.clear()
    return maria_


def passkey(client: Client) -> int:
    """Add a second factor, as a new security key does, and return its id."""
    data = {"name": "Yubi", "credential": {}, "passwordless": False}
    user = client.session["_auth_user_id"]
    return int(Authenticator.objects.create(user_id=user, type=Authenticator.Type.WEBAUTHN, data=data).pk)


def age(client: Client, seconds: float) -> None:
    """Age the sign-in of this browser by this number of seconds."""
    session = client.session
    known = session["account_authentication_methods"]
    session["account_authentication_methods"] = [{**method, "at": method["at"] - seconds} for method in known]
    session.save()


def test_the_last_second_factor_stays(maria: tuple[Client, str]) -> None:
    client, _secret = maria
    for how in (client.get, client.post):
        answer = how(f"{FACTORS}/totp/deactivate/", follow=True)
        assert "This is your last second factor. Add another one first." in answer.content.decode()
    assert "This is your only second factor" in words(client, f"{FACTORS}/")
    assert Authenticator.objects.filter(user="maria", type=Authenticator.Type.TOTP).exists()


def test_the_last_key_stays_when_the_app_went_before_it(maria: tuple[Client, str]) -> None:
    client, _secret = maria
    key = passkey(client)
    assert client.post(f"{FACTORS}/totp/deactivate/").status_code == 302
    assert not Authenticator.objects.filter(user="maria", type=Authenticator.Type.TOTP).exists()
    client.post(f"{FACTORS}/webauthn/keys/{key}/remove/")
    assert Authenticator.objects.filter(pk=key).exists()


def test_one_of_two_can_be_taken_away(maria: tuple[Client, str]) -> None:
    client, _secret = maria
    key = passkey(client)
    client.post(f"{FACTORS}/webauthn/keys/{key}/remove/")
    assert not Authenticator.objects.filter(pk=key).exists()


@pytest.mark.parametrize("address", CHANGING)
def test_a_password_alone_changes_nothing_and_shows_no_recovery_code(maria: tuple[Client, str], address: str) -> None:
    client, _secret = maria
    passkey(client)
    age(client, 10_000)
    assert client.post("/account/again", {"password": PASSWORD}).status_code == 302
    for how in (client.get, client.post):
        answer = how(f"{FACTORS}/{address}")
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(f"{FACTORS}/reauthenticate/?next=")


def test_a_code_shown_again_opens_the_way(maria: tuple[Client, str]) -> None:
    client, secret = maria
    age(client, 10_000)
    shown = client.post(f"{FACTORS}/reauthenticate/", {"code": code(secret)})
    assert shown.status_code == 302
    assert client.get(f"{FACTORS}/webauthn/add/").status_code == 200


def test_the_page_that_asks_for_the_factor_offers_no_password(maria: tuple[Client, str]) -> None:
    client, _secret = maria
    assert not re.search(r"Use your password", words(client, f"{FACTORS}/reauthenticate/"))


def test_whoever_signed_in_with_both_a_moment_ago_is_not_asked_again(maria: tuple[Client, str]) -> None:
    client, _secret = maria
    assert client.get(f"{FACTORS}/webauthn/add/").status_code == 200


def test_the_code_that_set_up_the_first_factor_counts_as_shown(maria: tuple[Client, str]) -> None:
    client, _secret = maria
    [shown] = [method for method in client.session["account_authentication_methods"] if method["method"] == "mfa"]
    assert time.time() - shown["at"] < 60


def test_the_code_that_activates_an_app_is_used_up_by_it(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.grant("nora", "auditor")
    cache.clear()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)  # else the app may show the next code already
    client, secret = enrolled("nora")
    shown = code(secret)
    age(client, 10_000)
    again = client.post(f"{FACTORS}/reauthenticate/", {"code": shown})
    assert again.status_code == 200
    assert "Incorrect code" in again.content.decode()
    later = format_hotp_value(hotp_value(secret, int(time.time()) // 30 + 1))
    assert client.post(f"{FACTORS}/reauthenticate/", {"code": later}).status_code == 302
