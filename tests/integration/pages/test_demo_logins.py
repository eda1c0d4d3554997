"""The demo lets one person a role in, offline; no other house does."""

import time
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client

from backoffice.models import Person
from events.errors import Invalid
from events.people.role_grant_decider import ROLES
from tools.demo import logins
from tools.demo.demo_house_setup import PEOPLE

pytestmark = pytest.mark.django_db


def test_one_person_of_each_role_signs_in_with_what_is_printed(tmp_path: Path) -> None:
    cache.clear()
    Person.objects.bulk_create([Person(id=person, name=name) for person, (_role, name) in PEOPLE.items()])
    (tmp_path / logins.MARK).touch()
    made = logins.let_in(tmp_path)
    saved = logins.saved_logins(tmp_path)
    assert saved == made
    assert set(saved.people) == ROLES - {"system"}
    assert all(PEOPLE[person][0] == role for role, person in saved.people.items())
    text = "\n".join(logins.lines(saved, 8000))
    client, person = Client(), saved.people["auditor"]
    assert all(part in text for part in (person, saved.password, saved.secret))
    assert client.post("/sign-in", {"login": person, "password": saved.password}).status_code == 302
    assert client.post("/account/factors/authenticate/", {"code": logins.code(saved)}).status_code == 302
    assert client.session["_auth_user_id"] == person
    assert time.time() - client.session["account_authentication_methods"][-1]["at"] < 60


def test_a_house_that_is_no_demo_has_no_such_logins(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not a demo's"):
        logins.let_in(tmp_path)
    assert logins.saved_logins(tmp_path) is None
