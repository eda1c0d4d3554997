"""A disabled account stays disabled until an administrator enables it."""

import re

import pytest
from django.core.cache import cache
from django.test import Client

from backoffice.models import Enrolment, Person
from backoffice.people import badge_and_key_authentication, password_setup_links
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import PASSWORD, enrolled, try_password

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def maria(house: House) -> None:
    house.grant("maria", "auditor")
    cache.clear()


def shut(person: str = "maria") -> None:
    """Disable an account by the administrator's page."""
    assert at("adam").post("/people/do/shut", {"person": person}).status_code == 302


def used(code: str) -> str:
    """Return the page's answer to the use of a link, or "" if the link signs in."""
    answer = Client().post("/enrol", {"code": code, "password": PASSWORD, "again": PASSWORD})
    return re.sub(r"\s+", " ", answer.content.decode()) if answer.status_code == 422 else ""


def test_a_link_of_before_opens_no_account_that_was_shut() -> None:
    older = password_setup_links.invite("maria", "adam")
    shut()
    assert "was disabled after this link was issued" in used(older)
    assert not Person.objects.get(id="maria").is_active


def test_only_a_new_link_opens_it_again_and_the_pages_say_so() -> None:
    enrolled("maria")
    shut()
    cache.clear()
    assert "This account is disabled" in words(Client(), "/account/inactive")
    assert "A new sign-in link enables the account." in words(at("adam"), "/people/do/shut")
    assert "enables a disabled account." in words(at("adam"), "/people/do/enrol")
    assert used(password_setup_links.invite("maria", "adam")) == ""
    assert Person.objects.get(id="maria").is_active


def test_whoever_is_signed_in_is_so_no_longer_and_does_not_come_in_again() -> None:
    there, _secret = enrolled("maria")
    assert there.get("/").status_code == 200
    shut()
    assert there.get("/").headers["Location"].startswith("/sign-in")
    assert not there.session.exists(there.session.session_key or "")
    cache.clear()
    assert try_password(Client(), "maria", PASSWORD) == 302
    assert there.get("/").status_code == 302


def test_a_shut_account_gets_no_badge() -> None:
    badge = badge_and_key_authentication.issue_badge("maria")
    shut()
    with pytest.raises(badge_and_key_authentication.NotAuthenticated):
        badge_and_key_authentication.authenticate_sender({"Authorization": f"Bearer {badge}"})
    answer = at("adam").post("/people/do/badge", {"person": "maria"})
    assert answer.status_code == 422
    assert "Create a sign-in link to enable it" in answer.content.decode()


def test_shutting_twice_and_before_there_is_a_login_shuts() -> None:
    for _time in range(2):
        shut("dora")
    assert not Person.objects.get(id="dora").is_active


def test_a_link_that_was_looked_at_before_the_shutting_is_void_after_it() -> None:
    older = password_setup_links.invite("maria", "adam")
    assert password_setup_links.person_of_code(older) is not None
    password_setup_links.disable_account("maria")
    assert password_setup_links.redeem_code(older, PASSWORD) is None
    assert Enrolment.objects.get(person="maria").used_at is None
