"""Every address as every role, by login and by badge, and without sign-in, over HTTP through the door: `make matrix`.

`tests/integration/pages/test_access_by_role.py` checks the same in one process in every run.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import httpx
import msgspec
import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.people import badge_and_key_authentication
from tests.support.houses.small_house import PEOPLE
from tests.support.pages.addresses import ABSENT, CLOSED, OF_NO_CASE, READS
from tests.support.pages.sign_in import next_page
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.processes.web_process import DoorProcess, Web, played

ROLE_OF = {"adam": "administrator", **PEOPLE, "nemo": ""}
AS_MANY_AS_THEY_LIKE = dict.fromkeys(("PITLEDGER_LIMIT_BADGE", "PITLEDGER_LIMIT_ADDRESS"), "1e6")


class DoorWithCredentials(msgspec.Struct, frozen=True):
    """The door of a house, and a session key and a badge for each person."""

    url: str
    sessions: Mapping[str, str]
    badges: Mapping[str, str]

    def asking(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Host": "localhost", **headers}, timeout=60.0)


@pytest.fixture(scope="module")
def running(django_db_blocker: DjangoDbBlocker) -> Iterator[DoorWithCredentials]:
    with Web(played, django_db_blocker) as web:
        sessions = {person: web.let_in(person) for person in ROLE_OF}
        with django_db_blocker.unblock(), ThreadPoolExecutor(1) as thread:
            badges = thread.submit(_badges, f"sqlite:///{web.folder}/read.sqlite3").result()
        with DoorProcess(web, **AS_MANY_AS_THEY_LIKE) as door:
            yield DoorWithCredentials(f"http://{door.address}", sessions, badges)


def _badges(url: str) -> dict[str, str]:
    with read_models(url) as alias, as_default(alias):
        return {person: badge_and_key_authentication.issue_badge(person) for person in ROLE_OF}


@pytest.mark.parametrize("person", ROLE_OF)
def test_who_has_signed_in_is_answered_by_the_rules(running: DoorWithCredentials, person: str) -> None:
    reader = Reader(person, frozenset({ROLE_OF[person]}))
    wrong = []
    with running.asking(Cookie=f"{settings.SESSION_COOKIE_NAME}={running.sessions[person]}") as client:
        for address, rule in CLOSED:
            status, may = client.get(address).status_code, rule.admits(reader)
            if status not in ((200, 204, 302) if may else (403,)) and not (may and address in (*ABSENT, *OF_NO_CASE)):
                wrong.append((address, status, may))
    assert wrong == []


@pytest.mark.parametrize("person", ROLE_OF)
def test_a_badge_opens_the_interface_by_the_rules_and_no_page(running: DoorWithCredentials, person: str) -> None:
    reader = Reader(person, frozenset({ROLE_OF[person]}))
    wrong = []
    with running.asking(Authorization=f"Bearer {running.badges[person]}") as client:
        for address, rule in CLOSED:
            status = client.get(address).status_code
            there = 404 if address in (*ABSENT, *OF_NO_CASE) else 200
            right = (there if rule.admits(reader) else 403) if address.startswith("/api/") else 302
            if status != right:
                wrong.append((address, status, right))
    assert wrong == []


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong", "Pitledger-Device": "wrong"}], ids=str)
def test_nobody_is_shown_the_way_in_and_what_is_anybodys(running: DoorWithCredentials, headers: dict[str, str]) -> None:
    with running.asking(**headers) as client:
        for address, rule in READS:
            response = client.get(address)
            if rule.public:
                assert response.status_code < 500, address
            elif address.startswith("/api/"):
                assert response.status_code == 401, address
            else:
                then = "/start" if address == "/" else address
                assert (response.status_code, next_page(response.headers["Location"])) == (302, then)
