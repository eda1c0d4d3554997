"""A code that was used, and attempts that failed, are known to every process of the pages, and after a restart."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth.hashers import make_password
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Person, Remembered
from backoffice.people.allauth_adapters import SecondFactorAdapter
from tests.support.pages.sign_in import PASSWORD, wrong_codes
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import Web

SECRET = generate_totp_secret()
ATTEMPTS = 5
GUESSES = 12
ANSWERED_S = 15.0  # a busy machine answers both browsers in that time
CODE_PAGE = "/account/factors/authenticate/"


class SecondWeb(Web):
    """A second process of the pages, over the same databases."""

    def __init__(self, first: Web, blocker: DjangoDbBlocker) -> None:
        super().__init__(lambda folder: None, blocker)
        self._first = first

    def before(self) -> list[list[str]]:
        """All is there."""
        return []

    def environment(self) -> dict[str, str]:
        return super().environment() | {"PITLEDGER_DATA": str(self._first.folder)}


@pytest.fixture
def pages(web: Web, django_db_blocker: DjangoDbBlocker) -> Web:
    """The pages of a house with a person who has a password and an app."""
    with django_db_blocker.unblock(), read_models(f"sqlite:///{web.folder}/read.sqlite3") as alias:
        Remembered.objects.using(alias).all().delete()  # nobody has failed yet
        people = Person.objects.using(alias)
        user, _ = people.update_or_create(id="maria", defaults={"password": make_password(PASSWORD)})
        rows = Authenticator.objects.using(alias)
        rows.filter(user=user).delete()
        rows.create(user=user, type=Authenticator.Type.TOTP, data={"secret": SecondFactorAdapter().encrypt(SECRET)})
    return web


def code_of(steps: int) -> str:
    """Return the code that is valid this number of steps from now."""
    shown: str = format_hotp_value(hotp_value(SECRET, int(time.time()) // app_settings.TOTP_PERIOD + steps))
    return shown


def _barrier(codes: list[str], steps: int) -> threading.Barrier:
    return threading.Barrier(2, lambda: _add_code(codes, steps))


def _add_code(codes: list[str], steps: int) -> None:
    """Add the code that is valid this number of steps from now.

    An earlier code soon expires, so the function waits for the beginning of a step.
    """
    left_s = app_settings.TOTP_PERIOD - time.time() % app_settings.TOTP_PERIOD
    if steps < 0 and left_s < ANSWERED_S:
        time.sleep(left_s)
    codes.append(code_of(steps))


def post(browser: httpx.Client, path: str, **data: str) -> httpx.Response:
    """Post a form of the page at this address; return the response."""
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(path).text)
    assert token
    return browser.post(path, data={"csrfmiddlewaretoken": token[1], **data})


def lets_in(pages: Web, code: str | list[str], together: threading.Barrier | None = None) -> bool:
    """Tell whether this code signs in a person after the password, at the same moment as others.

    Checking passwords takes time. A list gets its code when all threads have arrived, so that the code is current.
    """
    with httpx.Client(base_url=pages.url, headers={"Host": "localhost"}, trust_env=False, timeout=60) as browser:
        assert post(browser, "/sign-in", login="maria", password=PASSWORD).headers.get("location") == CODE_PAGE
        if together is not None:
            together.wait(60)
        return post(browser, CODE_PAGE, code=code if isinstance(code, str) else code[-1]).status_code == 302


def test_a_used_code_stays_used_when_the_pages_begin_again(pages: Web) -> None:
    shown = code_of(1)
    assert lets_in(pages, shown)
    assert not lets_in(pages, shown)
    pages.kill()
    pages.start()
    assert not lets_in(pages, shown)


def test_failed_attempts_are_counted_on_when_the_pages_begin_again(pages: Web) -> None:
    with httpx.Client(base_url=pages.url, headers={"Host": "localhost"}, trust_env=False, timeout=60) as browser:
        for number in range(5):
            assert "Too many" not in post(browser, "/sign-in", login="mallory", password=f"wrong {number}").text
        assert "Too many" in post(browser, "/sign-in", login="mallory", password="wrong 5").text
        pages.kill()
        pages.start()
        assert "Too many" in post(browser, "/sign-in", login="mallory", password="wrong 6").text


def test_wrong_passwords_at_once_are_counted_by_two_processes_together(
    pages: Web, django_db_blocker: DjangoDbBlocker
) -> None:
    together = threading.Barrier(GUESSES)

    def guess(number: int) -> bool:
        at = pages if number % 2 else second
        with httpx.Client(base_url=at.url, headers={"Host": "localhost"}, trust_env=False, timeout=60) as browser:
            together.wait(60)
            return "Too many" in post(browser, "/sign-in", login="eve", password=f"wrong {number}").text

    with SecondWeb(pages, django_db_blocker) as second, ThreadPoolExecutor(GUESSES) as threads:
        assert list(threads.map(guess, range(GUESSES))).count(False) <= ATTEMPTS


def test_guessed_codes_are_counted_for_a_person_whoever_guesses(pages: Web) -> None:
    """Each in a browser of its own, which has shown the password."""
    assert not any(lets_in(pages, code) for code in wrong_codes(SECRET, ATTEMPTS))
    assert not lets_in(pages, code_of(0)), "the right one is not looked at any more"


def test_of_two_processes_one_takes_a_code(pages: Web, django_db_blocker: DjangoDbBlocker) -> None:
    with SecondWeb(pages, django_db_blocker) as second, ThreadPoolExecutor(2) as threads:
        for steps in (-1, 0, 1):
            codes = list[str]()
            together = _barrier(codes, steps)
            answers = list(threads.map(lets_in, [pages, second], [codes] * 2, [together] * 2))
            assert sorted(answers) == [False, True], steps
