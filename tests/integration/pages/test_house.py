"""What holds for every page: headers, size, methods, health, errors, the seam for roles, vendored files."""

import hashlib
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.test import Client, RequestFactory
from msgspec import structs

from backoffice.kit.site import Site
from backoffice.running import status
from backoffice.site import PAGES as PAGES_OF_THE_HOUSE
from backoffice.site import SOURCE
from tests.house import DAY, House
from tests.pages import source, words

pytestmark = pytest.mark.django_db

PAGES = [
    "/",
    f"/tables/FR1/{DAY}",
    f"/tables/BJ1/{DAY}",
    "/progressives/",
    "/progressives/blazing",
    "/progressives/blazing/matters",
    "/notices",
    "/events",
    "/events/9",
]
SIZE_MAX = 100_000


@pytest.mark.parametrize("url", PAGES)
def test_a_page_is_small_and_has_nothing_inline(client: Client, evening_house: House, url: str) -> None:
    response = client.get(url)
    page = response.content.decode()
    assert len(response.content) < SIZE_MAX
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert response.headers["Cache-Control"] == "no-store"
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


@pytest.mark.parametrize("url", PAGES)
def test_a_page_has_landmarks_and_heads_its_tables(client: Client, evening_house: House, url: str) -> None:
    page = source(client, url)
    for landmark in ("<main", "<nav", "<header", "<footer", 'class="skip"'):
        assert landmark in page
    assert page.count("<h1") == 1
    assert not re.search(r"<th(?![^>]*\sscope=)[ >]", page)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("url", PAGES)
def test_pages_only_read(client: Client, url: str) -> None:
    assert client.post(url).status_code == 405
    assert client.delete(url).status_code == 405


def test_every_address_asks_who_may_read_it(client: Client, evening_house: House) -> None:
    """In every form of every page, and of the interface: nobody gets anything where the declaration says nobody."""
    closed = Site([structs.replace(page, readers=nobody) for page in PAGES_OF_THE_HOUSE], SOURCE)
    assert len(closed.urls) >= 20
    for pattern in (*closed.urls, *closed.api):
        places = {name: _PLACES[name] for name in pattern.pattern.converters}
        request = RequestFactory().get("/")
        try:
            status = pattern.callback(request, **places).status_code
        except PermissionDenied:
            status = 403
        assert status == 403, pattern


_PLACES = {"name": "blazing", "gaming_day": DAY, "hit": f"BJ1-{DAY}-1-1", "position": 9}


def nobody(request: HttpRequest) -> bool:
    return False


def test_health_is_good_where_the_database_answers(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_health_names_what_the_supervisor_cannot_keep_running(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    why = "projector ended with exit code 1, 5 times in a row before it was ready"
    status.announce("up", down={"projector": why})
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "degraded", "down": {"projector": why}})


def test_health_is_bad_where_migrations_are_missing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = "backoffice.pages.views.health.MigrationExecutor.migration_plan"
    monkeypatch.setattr(plan, lambda self, targets: [("one", False)])
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["why"] == "1 migrations are missing: ./manage.py migrate"


def test_a_page_that_breaks_says_what_to_do(evening_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("backoffice.pages.views.progressives.progressives", broken)
    calm = Client(raise_request_exception=False)
    page = words(calm, "/progressives/", 500)
    assert "Something broke on our side" in page
    assert "on purpose" not in page


@pytest.mark.parametrize(
    "folder", ["backoffice/static/backoffice/vendor", "backoffice/pages/pdf/fonts", "tests/browser/vendor"]
)
def test_vendored_files_are_what_their_list_says(folder: str) -> None:
    here = Path(__file__).parents[3] / folder
    listed = dict(re.findall(r"^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", (here / "README.md").read_text(), re.MULTILINE))
    present = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in here.glob("*.[jt][st]*")}
    assert present == listed


def test_static_files_are_found(client: Client, evening_house: House) -> None:
    for address in re.findall(r'(?:src|href)="/static/([^"]+)"', source(client, "/")):
        assert finders.find(address), address
