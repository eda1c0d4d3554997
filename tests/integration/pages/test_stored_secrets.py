"""No stored value lets its reader sign in: the test makes one of each credential, and reads every database."""

import json
import re
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse
from django.test import Client

from backoffice.http import signed_person_passes
from backoffice.models import Remembered
from backoffice.people import (
    badge_and_key_authentication,
    display_keys,
    hashed_recovery_codes,
    password_setup_links,
    session_store,
)
from backoffice.people.request_identity import listener
from backoffice.people.session_store import SessionStore
from tests.integration.door.test_copies_let_nobody_in import holds
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import FACTORS, PASSWORD, code, enrolled, session_of

pytestmark = pytest.mark.django_db
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?|\b\d{10}\.\d+")


@pytest.fixture
def let_in(on_each_database: None, house: House) -> Iterator[dict[str, str]]:
    """Yield one of each credential, by its kind."""
    cache.clear()
    house.grant("maria", "auditor")
    client, secret = enrolled("maria")
    page = client.get(f"{FACTORS}/recovery-codes/").content.decode()
    codes = re.findall(r"\b\d{8}\b", page[page.index("<textarea") :])
    assert len(codes) == 10, page
    response = HttpResponse()
    assert display_keys.let_in(response, display_keys.invite("lobby", "ada"))
    pending = Client()
    pending.post(
        "/enrol", {"code": password_setup_links.invite("nora", "ada"), "password": PASSWORD, "again": PASSWORD}
    )
    pending.get(f"{FACTORS}/totp/activate/")  # chosen, and not yet shown
    made = {
        "session": client.cookies[settings.SESSION_COOKIE_NAME].value,
        "session of somebody on the way in": pending.cookies[settings.SESSION_COOKIE_NAME].value,
        "password": PASSWORD,
        "authenticator app": secret,
        "authenticator app on its way": pending.session["mfa.totp.secret"],
        "recovery code": codes[0],
        "last recovery code": codes[-1],
        "link": password_setup_links.invite("maria", "ada"),
        "badge": badge_and_key_authentication.issue_badge("maria"),
        "device key": badge_and_key_authentication.issue_device_key("t-1", "BJ1"),
        "display key": response.cookies[display_keys.COOKIE].value,
        "display link": display_keys.invite("bar", "ada"),
        "pass": signed_person_passes.to_act("maria", 0.0),
        "key of the logins": settings.PITLEDGER_LOGIN_KEY,
        "secret key": settings.SECRET_KEY,
    }
    yield made
    cache.clear()


def cells() -> Iterator[tuple[str, str]]:
    """Yield every value of every table as text, with its place."""
    for alias in ("default", "access"):
        with connections[alias].cursor() as cursor:
            for table in connections[alias].introspection.table_names(cursor):
                cursor.execute(f"SELECT * FROM {connections[alias].ops.quote_name(table)}")
                names = [column[0] for column in cursor.description]
                for row in cursor.fetchall():
                    yield from ((f"{table}.{name}", _text(value)) for name, value in zip(names, row, strict=True))


def _text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("latin-1")
    return value if isinstance(value, str) else json.dumps(value, default=str)


def parts(text: str) -> set[str]:
    """Return everything that an intruder could try from this value: the value and its parts.

    Times are left out: their microseconds sometimes equal the six digits of an app.
    """
    pieces = _MOMENT.sub(" ", text)
    return {text, *re.findall(r"[^\s\"'{}\[\],]+", pieces), *re.split(r"[$:.]", pieces)} - {""}


def test_no_database_holds_a_credential(let_in: dict[str, str]) -> None:
    stored = list(cells())
    assert {"django_session.session_key", "mfa_authenticator.data"} <= {where for where, _ in stored}
    leaks = [(what, where) for where, text in stored for what, secret in let_in.items() if holds(text.encode(), secret)]
    assert not leaks


def test_what_is_stored_opens_nothing(let_in: dict[str, str]) -> None:
    of_people = {model._meta.db_table for label in ("backoffice", "mfa", "sessions", "usersessions", "account")
                 if apps.is_installed(label) or label in apps.app_configs
                 for model in apps.get_app_config(label).get_models()}  # fmt: skip
    texts = {part for where, text in cells() if where.partition(".")[0] in of_people for part in parts(text)}
    doors = _doors()
    for door in doors.values():
        assert not any(door(f"none {number}") for number in range(3))
    entered = [(name, text) for name, door in doors.items() for text in sorted(texts) if door(text)]
    assert not entered
    print(f"{len(texts)} values tried at {len(doors)} doors")


def test_the_credentials_themselves_let_in(let_in: dict[str, str]) -> None:
    """The credentials work, so that the test above tries them at the right doors."""
    doors = _doors()
    for door, credential in (
        ("session", "session"), ("live stream", "session"), ("badge", "badge"), ("device", "device key"),
        ("display", "display key"), ("link", "link"), ("recovery code", "recovery code"),
    ):  # fmt: skip
        assert doors[door](let_in[credential]), door
    assert not doors["recovery code"](let_in["recovery code"]), "it works once"


def _doors() -> dict[str, Callable[[str], bool]]:
    """Return every place that accepts a credential, with a test whether it lets a person in."""
    rows = list(Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN))
    return {
        "session": lambda text: bool(dict(SessionStore.of_cookie(text).items()).get("_auth_user_id")),
        "live stream": lambda text: not listener(f"{settings.SESSION_COOKIE_NAME}={text}").is_nobody,
        "badge": lambda text: _is_known({"Authorization": f"Bearer {text}"}),
        "pass": lambda text: _is_known({"Authorization": f"{signed_person_passes.SCHEME} {text}"}),
        "device": _is_device,
        "display": _is_display,
        "link": lambda text: password_setup_links.person_of_code(text) is not None,
        "display link": lambda text: display_keys.let_in(HttpResponse(), text),
        "recovery code": lambda text: any(row.wrap().validate_code(text) for row in rows if "digests" in row.data),
        "authenticator app": lambda text: any(row.wrap().validate_code(text) for row in rows if "secret" in row.data),
    }


def _is_known(headers: dict[str, str]) -> bool:
    try:
        return bool(badge_and_key_authentication.authenticate_sender(headers).person)
    except badge_and_key_authentication.NotAuthenticated:
        return False


def _is_device(text: str) -> bool:
    try:
        return bool(badge_and_key_authentication.terminal({"Pitledger-Device": text})[0])
    except badge_and_key_authentication.NotAuthenticated:
        return False


def _is_display(text: str) -> bool:
    request = HttpRequest()
    request.COOKIES = {display_keys.COOKIE: text}
    return display_keys.display_of(request) is not None


def test_a_page_opens_by_the_cookie_and_not_by_the_rows_name(let_in: dict[str, str]) -> None:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = let_in["session"]
    assert client.get("/account/sessions").status_code == 200
    for row in Session.objects.all():
        stranger = Client()
        stranger.cookies[settings.SESSION_COOKIE_NAME] = row.session_key
        assert stranger.get("/account/sessions").status_code == 302
    assert {row.session_key for row in UserSession.objects.all()} <= {row.session_key for row in Session.objects.all()}


def test_in_another_place_or_with_another_key_nobody_is_signed_in(
    on_each_database: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    cookie = session_of("maria")
    assert SessionStore.of_cookie(cookie).get("_auth_user_id") == "maria"
    with monkeypatch.context() as moved:
        moved.setattr(session_store, "place_of", lambda using: "elsewhere")
        assert SessionStore.of_cookie(cookie).get("_auth_user_id") is None
    settings.PITLEDGER_LOGIN_KEY = "of a house that was restored"
    assert SessionStore.of_cookie(cookie).get("_auth_user_id") is None
    assert SessionStore(Session.objects.get().session_key).get("_auth_user_id") is None


# --- what works once --------------------------------------------------------------------------------------------------


def test_a_code_works_once_in_all_the_time_in_which_it_is_valid(
    on_each_database: None, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, secret = enrolled("maria")
    app = Authenticator.objects.get(user="maria", type=Authenticator.Type.TOTP)
    at = time.time() + 61  # the code that activated the app is used up
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: at)
    shown = code(secret)
    assert app.wrap().validate_code(shown)
    later = at + 31
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: later)
    again = Authenticator.objects.get(pk=app.pk)  # as in a process that has just begun
    assert not again.wrap().validate_code(shown)
    assert not again.wrap().validate_code(f"{shown[:3]} {shown[3:]}"), "nor in another spelling"


def test_recovery_codes_of_before_go_on_and_are_hashes(on_each_database: None, house: House) -> None:
    migration = import_module("backoffice.migrations.0009_secrets_as_hashes")
    enrolled("maria")
    seed = "ab" * 40
    row = Authenticator.objects.get(user="maria", type=Authenticator.Type.RECOVERY_CODES)
    row.data = {"seed": encrypt(seed), "used_mask": 2, "viewed_at": 1.0}
    row.save()
    codes = migration.codes_of(seed)
    editor = SimpleNamespace(connection=connection)
    migration.hash_recovery_codes(apps, editor)
    migration.end_sessions(apps, editor)
    row.refresh_from_db()
    assert "seed" not in row.data
    assert [row.wrap().validate_code(text) for text in (codes[0], codes[0], codes[1], codes[9])] == [1, 0, 0, 1]
    assert not Session.objects.exists()
    assert hashed_recovery_codes.hashed(codes)["digests"] != row.data["digests"], "each set has a salt of its own"


def test_what_is_remembered_is_over_when_its_time_is(on_each_database: None) -> None:
    assert cache.add("a", [1.5], timeout=60)
    assert not cache.add("a", 2)
    assert cache.get("a") == [1.5]
    cache.set("a", [2.5], timeout=0.0)
    assert cache.get("a", "none") == "none"
    assert cache.add("a", 3, timeout=60)
    assert cache.touch("a", 60)
    assert cache.delete("a")
    assert not cache.delete("a")
    assert not Remembered.objects.exists()
