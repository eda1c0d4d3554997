"""If several people show a one-time credential at once, it signs in one of them, on either database."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.core.cache import cache
from django.db import connections
from django.http import HttpResponse
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Person
from backoffice.people import display_keys, hashed_recovery_codes, password_setup_links, replay_protection
from tests.support.pages.sign_in import PASSWORD, code
from tests.support.processes.scratch_databases import as_default, read_models

AT_ONCE = 4
replay_protection.install()
Deed = Callable[[], bool]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/read.sqlite3"
    return str(request.getfixturevalue("postgres_url"))


def _app() -> Deed:
    secret = generate_totp_secret()
    data = {"secret": get_adapter().encrypt(secret)}
    row = Authenticator.objects.create(user_id="maria", type=Authenticator.Type.TOTP, data=data)
    shown = code(secret)
    return lambda: bool(row.wrap().validate_code(shown))


def _recovery_code() -> Deed:
    data = hashed_recovery_codes.hashed(["12345678", "87654321"])
    row = Authenticator.objects.create(user_id="maria", type=Authenticator.Type.RECOVERY_CODES, data=data)
    return lambda: bool(Authenticator.objects.get(pk=row.pk).wrap().validate_code("8765 4321"))


def _challenge() -> Deed:
    return lambda: replay_protection._is_first("webauthn:a-challenge")


def _counter() -> Deed:
    data = {"name": "key", "credential": {}, replay_protection.COUNTER: 3}
    row = Authenticator.objects.create(user_id="maria", type=Authenticator.Type.WEBAUTHN, data=data)
    return lambda: replay_protection._has_counted(row, 4)


def _link() -> Deed:
    shown = password_setup_links.invite("maria", "ada")
    return lambda: password_setup_links.redeem_code(shown, PASSWORD) is not None


def _display_link() -> Deed:
    shown = display_keys.invite("lobby", "ada")
    return lambda: display_keys.let_in(HttpResponse(), shown)


def _key_of_before() -> Deed:
    """Return the use of an expired key, which any client may take again."""
    cache.add("before", 1, timeout=-1)
    return lambda: cache.add("before", 1, timeout=60)


CREDENTIALS = (_app, _recovery_code, _challenge, _counter, _link, _display_link, _key_of_before)


@pytest.mark.parametrize("make", CREDENTIALS)
def test_one_of_those_who_show_it_at_once_comes_in(
    make: Callable[[], Deed], database: str, django_db_blocker: DjangoDbBlocker
) -> None:
    together = threading.Barrier(AT_ONCE)

    def show(deed: Deed) -> bool:
        with as_default(alias):
            together.wait(60)
            try:
                return deed()
            finally:
                connections["default"].close()

    with django_db_blocker.unblock(), read_models(database) as alias, as_default(alias):
        Person.objects.create(id="maria")
        deed = make()
        with ThreadPoolExecutor(AT_ONCE) as threads:
            answers = list(threads.map(show, [deed] * AT_ONCE))
    assert sorted(answers) == [False] * (AT_ONCE - 1) + [True]
