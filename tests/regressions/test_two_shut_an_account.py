"""Administrators disable one account at the same moment: it is disabled once, completely and without an error."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from allauth.usersessions.models import UserSession
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Credential, Enrolment, Person
from backoffice.people import badge_and_key_authentication, password_setup_links
from tests.support.pages.sign_in import PASSWORD, session_of
from tests.support.processes.scratch_databases import as_default, read_models

AT_ONCE = 4


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/read.sqlite3"
    return str(request.getfixturevalue("postgres_url"))


def shut(alias: str, together: threading.Barrier) -> None:
    """Disable the account in a thread, as an administrator's button does."""
    with as_default(alias):
        together.wait(60)
        password_setup_links.disable_account("maria")
        connections["default"].close()


def test_an_account_that_is_shut_twice_at_once_is_shut(database: str, django_db_blocker: DjangoDbBlocker) -> None:
    together = threading.Barrier(AT_ONCE)
    with django_db_blocker.unblock(), read_models(database) as alias, as_default(alias):
        older = password_setup_links.invite("maria", "adam")
        badge_and_key_authentication.issue_badge("maria")
        key = session_of("maria")
        UserSession.objects.create(user_id="maria", session_key=key, ip="127.0.0.1", user_agent="x", data={})
        with ThreadPoolExecutor(AT_ONCE) as threads:
            for done in [threads.submit(shut, alias, together) for _number in range(AT_ONCE)]:
                done.result(60)
        assert not Person.objects.get(id="maria").is_active
        assert not UserSession.objects.exists()
        assert not Credential.objects.filter(revoked_at=None).exists()
        assert password_setup_links.redeem_code(older, PASSWORD) is None
        assert Enrolment.objects.get(person="maria").used_at is None
