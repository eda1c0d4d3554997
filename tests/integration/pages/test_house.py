"""Properties of every page: headers, size, methods, health, errors, vendored files."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.db import OperationalError
from django.test import Client

from backoffice.running import status_files
from backoffice.site.wsgi_application_behind_door import django_application
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import source, words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

PAGES = [
    "/",
    f"/tables/FR1/{DAY}",
    f"/tables/BJ1/{DAY}",
    "/progressives/",
    "/progressives/blazing",
    "/progressives/blazing/matters",
    "/notices",
    "/integrity",
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


def test_health_is_good_where_the_database_answers(client: Client, evening_house: House) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_health_names_what_the_supervisor_cannot_keep_running(
    client: Client, evening_house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    why = "projector ended with exit code 1, 5 times in a row before it was ready"
    status_files.announce("up", down={"projector": why})
    response = client.get("/healthz")
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    assert response.json()["down"] == {"projector": why}
    [problem] = response.json()["problems"]
    assert (problem["part"], problem["state"], problem["why"]) == ("projector", "down", why)
    assert "log" in problem["do"]
    stranger = client.get("/healthz", REMOTE_ADDR="192.0.2.7")
    assert stranger.json() == {"status": "degraded"}


def test_health_is_bad_where_migrations_are_missing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = "backoffice.house.healthz_answer.MigrationExecutor.migration_plan"
    monkeypatch.setattr(plan, lambda self, targets: [("one", False)])
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["why"] == "1 migrations are missing: ./manage.py migrate"


def test_a_page_that_breaks_says_what_to_do(evening_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("backoffice.progressives.pages.progressives", broken)
    calm = signed_in(Client(raise_request_exception=False), "olga")
    page = words(calm, "/progressives/", 500)
    assert "Server error" in page
    assert "on purpose" not in page


@pytest.mark.parametrize(
    "folder", ["backoffice/static/backoffice/vendor", "backoffice/printing/fonts", "tests/browser/vendor"]
)
def test_vendored_files_are_what_their_list_says(folder: str) -> None:
    here = Path(__file__).parents[3] / folder
    listed = dict(re.findall(r"^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", (here / "README.md").read_text(), re.MULTILINE))
    present = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in here.glob("*.[jt][st]*")}
    assert present == listed


def test_static_files_are_found(client: Client, evening_house: House) -> None:
    addresses = re.findall(r'(?:src|href)="/static/([^"]+)"', source(client, "/"))
    assert addresses
    for address in addresses:  # with the hash of what stands in it, before the suffix
        assert finders.find(re.sub(r"\.[0-9a-f]{12}(?=\.\w+$)", "", address)), address


@pytest.mark.parametrize(("cookie", "written"), [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"')])
def test_light_and_dark_are_written_by_the_server(client: Client, house: House, cookie: str, written: str) -> None:
    client.cookies["pitledger_theme"] = cookie
    for url in ("/", "/nothing", "/account/sessions"):
        assert re.search(rf'<html lang="en"\s*{written}\s*>', client.get(url).content.decode()), url
    client.cookies["pitledger_theme"] = '"><script>'
    assert re.search(r'<html lang="en"\s*>', source(client, "/"))


def test_the_header_says_who_is_signed_in_and_leads_to_their_account(client: Client, house: House) -> None:
    page = source(client, "/")
    assert re.search(r'<b title="olga">[^<]+</b>', page)
    assert "<span>auditor</span>" in page
    assert 'href="/account/factors/"' in page
    assert 'href="/sign-out"' in page


def test_a_database_that_does_not_answer_is_no_reason_to_restart_the_pages(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("backoffice.house.healthz_answer.MigrationExecutor.__init__", unreachable)
    assert (client.get("/healthz").status_code, client.get("/healthz").json()["status"]) == (200, "degraded")
    assert (client.get("/readyz").status_code, client.get("/readyz").json()["status"]) == (503, "down")


def test_probes_of_the_pages_answer_under_any_name_and_liveness_without_django() -> None:
    requests: list[dict[str, object]] = []

    def pages(environ: dict[str, object], start_response: object) -> list[bytes]:
        requests.append(environ)
        return [b"from Django"]

    application = django_application(pages)
    statuses: list[str] = []

    def start(status: str, *_: Any) -> Any:
        statuses.append(status)

    probe = {"REQUEST_METHOD": "GET", "HTTP_HOST": "10.1.2.3:8002", "REMOTE_ADDR": "10.1.2.1"}
    live = application({**probe, "PATH_INFO": "/livez"}, start)
    assert ([*live], statuses, requests) == ([b'{"status":"ok"}'], ["200 OK"], [])
    assert [*application({**probe, "PATH_INFO": "/readyz"}, start)] == [b"from Django"]
    assert requests[0]["HTTP_HOST"] == "localhost"
