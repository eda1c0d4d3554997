"""Signing in, as a person at a browser sees it."""

import logging
from collections import Counter

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from backoffice.access.models import Access
from backoffice.access.refusal_log_writer import access_log
from backoffice.installation.dependency_injection import installation
from backoffice.models import Person
from backoffice.people import password_setup_links
from backoffice.people.session_store import SessionStore
from backoffice.people.signed_in_person_action_sender import factor_age
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import FACTORS, PASSWORD, code, enrolled, try_password


@pytest.fixture(autouse=True)
def nobody_has_tried_yet(house: House) -> None:
    house.grant("maria", "auditor")
    cache.clear()


def test_whoever_is_let_in_chooses_a_password_then_a_second_factor_then_sees_the_floor() -> None:
    client = Client()
    invited = password_setup_links.invite("maria", "ada")
    answer = client.post("/enrol", {"code": invited, "password": PASSWORD, "again": PASSWORD})
    assert answer.headers["Location"] == f"{FACTORS}/"
    assert client.get("/").headers["Location"] == f"{FACTORS}/"  # no further without a second factor
    client.get(f"{FACTORS}/totp/activate/")
    secret = client.session["mfa.totp.secret"]
    client.post(f"{FACTORS}/totp/activate/", {"code": code(secret)})
    assert client.get("/").status_code == 200


def test_the_link_works_once_and_a_new_one_ends_the_older() -> None:
    older, newer = password_setup_links.invite("maria", "ada"), password_setup_links.invite("maria", "ada")
    form = {"password": PASSWORD, "again": PASSWORD}
    for invited, status in ((older, 422), (newer, 302), (newer, 422), ("nothing", 422)):
        assert Client().post("/enrol", {"code": invited, **form}).status_code == status


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("password1234", "too common"),
        ("short 7", "too short"),
        ("maria-maria-1", "too similar"),
        (PASSWORD + "!", "passwords differ"),
    ],
)
def test_a_password_that_others_would_guess_is_refused_and_the_link_still_works(password: str, why: str) -> None:
    invited = password_setup_links.invite("maria-maria", "ada")
    again = PASSWORD if why == "passwords differ" else password
    answer = Client().post("/enrol", {"code": invited, "password": password, "again": again})
    assert answer.status_code == 422
    assert why in answer.content.decode()
    assert password_setup_links.person_of_code(invited) is not None


def test_a_new_link_takes_the_lost_phone_s_place() -> None:
    _client, secret = enrolled("maria")
    client, other = enrolled("maria")
    assert secret != other
    assert Authenticator.objects.filter(user="maria", type=Authenticator.Type.TOTP).count() == 1
    assert client.get("/").status_code == 200
    assert _client.get("/account/sessions").status_code == 302  # its session ended with the password


def test_signing_in_takes_password_and_code_and_a_code_counts_once() -> None:
    _first, secret = enrolled("maria")
    cache.clear()  # the code that set up the app was used as well
    client, thief = Client(), Client()
    shown = code(secret)
    for browser in (client, thief):
        assert try_password(browser, "maria", PASSWORD) == 302
        assert "_auth_user_id" not in browser.session
    assert client.post(f"{FACTORS}/authenticate/", {"code": shown}).status_code == 302
    assert client.session["_auth_user_id"] == "maria"
    assert thief.post(f"{FACTORS}/authenticate/", {"code": shown}).status_code == 200
    assert "_auth_user_id" not in thief.session


def test_the_age_of_the_second_factor_is_known() -> None:
    _first, secret = enrolled("maria")
    cache.clear()
    client = Client()
    try_password(client, "maria", PASSWORD)
    answer = client.post(f"{FACTORS}/authenticate/", {"code": code(secret)})
    request = answer.wsgi_request
    age = factor_age(request)
    assert age is not None
    assert 0 <= age < 60


def test_a_key_is_asked_for_of_nobody_who_has_none() -> None:
    client, _secret = enrolled("maria")
    client.post("/sign-out")
    try_password(client, "maria", PASSWORD)
    page = client.get(f"{FACTORS}/authenticate/").content.decode()
    assert "Enter the code from your authenticator app" in page
    assert "passkey or security key" not in page


def test_nobody_locks_a_colleague_out() -> None:
    colleague, _secret = enrolled("maria")
    colleague.post("/sign-out")
    attacker = Client()
    tried = [try_password(attacker, "maria", f"wrong {n}") for n in range(8)]
    assert tried == [200] * 8
    assert "Too many failed" in _answer(attacker, "maria", PASSWORD)  # the attacker's browser, even with the right one
    assert try_password(colleague, "maria", PASSWORD) == 302  # hers
    assert try_password(Client(REMOTE_ADDR="10.0.0.9"), "maria", PASSWORD) == 302  # and from another address


def test_a_known_browser_may_not_try_for_ever_either() -> None:
    client, _secret = enrolled("maria")
    client.post("/sign-out")
    for n in range(5):
        try_password(client, "maria", f"wrong {n}")
    assert "Too many failed" in _answer(client, "maria", PASSWORD)


def test_an_unknown_id_and_a_wrong_password_look_the_same() -> None:
    enrolled("maria")
    unknown, wrong = (_answer(Client(), person, "wrong one") for person in ("nobody", "maria"))
    assert "are not correct" in unknown
    assert "are not correct" in wrong


def test_whoever_is_idle_is_signed_out_though_the_page_goes_on_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    client, _secret = enrolled("maria")
    client.get("/")
    now = client.session["seen_at"]

    def clock(later: float) -> None:
        monkeypatch.setattr("time.time", lambda: now + later)

    clock(600)
    client.get("/account/sessions")  # a sign of life
    clock(1400)
    client.get("/live?seen=1")
    assert "_auth_user_id" in client.session
    clock(1600)
    client.get("/live?seen=1")
    assert "_auth_user_id" not in client.session


def test_a_clock_that_was_set_back_lets_nobody_stay_and_makes_no_factor_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    client, _secret = enrolled("maria")
    request = client.get("/").wsgi_request
    now = client.session["seen_at"]
    monkeypatch.setattr("time.time", lambda: now - 3_600)
    age = factor_age(request)
    assert age is not None
    assert age > 3_500
    client.get("/account/sessions")
    assert "_auth_user_id" not in client.session


def test_sessions_are_listed_and_ended_from_another_browser() -> None:
    here, secret = enrolled("maria")
    cache.clear()
    there = Client(HTTP_USER_AGENT="A tablet")
    try_password(there, "maria", PASSWORD)
    there.post(f"{FACTORS}/authenticate/", {"code": code(secret)})
    assert there.get("/account/sessions").status_code == 200
    assert "A tablet" in here.get("/account/sessions").content.decode()
    here.post("/account/sessions")
    assert there.get("/account/sessions").status_code == 302
    assert here.get("/account/sessions").status_code == 200


def test_secrets_lie_encrypted_or_hashed(house: House, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        _client, secret = enrolled("maria")
    data = Authenticator.objects.get(user="maria", type=Authenticator.Type.TOTP).data
    assert secret not in str(data)
    assert PASSWORD not in Person.objects.get(id="maria").password
    assert not any(secret_ in caplog.text for secret_ in (secret, PASSWORD))
    assert all(PASSWORD not in str(SessionStore().decode(row.session_data)) for row in Session.objects.all())


def test_nobody_signs_up_and_nobody_asks_for_a_mail() -> None:
    for address in ("/account/none/email", "/sign-up"):
        assert Client().get(address).status_code == 404


def test_of_two_who_use_one_link_one_gets_in() -> None:
    invited = password_setup_links.invite("maria", "ada")
    both_looked = [password_setup_links.person_of_code(invited) for _browser in range(2)]
    assert all(both_looked)
    assert [password_setup_links.redeem_code(invited, PASSWORD) is not None for _browser in range(2)] == [True, False]


def _answer(client: Client, person: str, password: str) -> str:
    return client.post("/sign-in", {"login": person, "password": password}).content.decode()


def test_refused_passwords_and_codes_leave_lines_in_the_access_log() -> None:
    _client, secret = enrolled("maria")
    stranger = Client()
    for attempt in range(7):
        try_password(stranger, "maria", f"wrong {attempt}")
    try_password(Client(), "what somebody typed", "wrong")
    cache.clear()
    signing_in = Client()
    assert try_password(signing_in, "maria", PASSWORD) == 302
    wrong = str((int(code(secret)) + 1) % 1_000_000).zfill(6)
    assert signing_in.post(f"{FACTORS}/authenticate/", {"code": wrong}).status_code == 200
    installation().part(access_log).write(counts=True)
    lines: Counter[tuple[str, str]] = Counter()
    for line in Access.objects.filter(outcome__startswith="401"):
        lines[line.person, line.what] += line.count
    assert lines["maria", "password refused from 127.0.0.1"] >= 7
    assert lines["", "password refused from 127.0.0.1"] == 1, "what is nobody's id is not written down"
    assert lines["maria", "second factor refused from 127.0.0.1"] == 1
