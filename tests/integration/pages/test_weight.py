"""Data sent to browsers: compressed on request, and cached if the file's name has its hash."""

import gzip
import re
from pathlib import Path

import pytest
from django.test import Client

from backoffice.kit.static_files import name_with_digest

ROOT = Path(__file__).parents[3]
FILES = ROOT / "backoffice" / "static"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

ZIPPED = {"Accept-Encoding": "br, gzip"}


def test_a_page_is_compressed_and_no_longer_the_same_length_twice(client: Client) -> None:
    plain = client.get("/events")
    lengths = {len(client.get("/events", headers=ZIPPED).content) for _ in range(12)}
    assert max(lengths) < len(plain.content) / 2
    assert len(lengths) > 1, "a length by chance tells nobody what stands beside what he sent"
    response = client.get("/events", headers=ZIPPED)
    assert response.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response.headers["Vary"]
    assert response.headers["Content-Length"] == str(len(response.content))


def test_figures_are_compressed(client: Client) -> None:
    response = client.get("/api/v1/openapi.json", headers=ZIPPED)
    assert gzip.decompress(response.content) == client.get("/api/v1/openapi.json").content
    assert len(response.content) < 100_000


def test_files_of_a_page_are_kept_for_ever_under_the_hash_of_their_content(client: Client) -> None:
    page = client.get("/events").content.decode()
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(files) >= 3
    for url in files:
        assert re.search(r"\.[0-9a-f]{12}\.\w+$", url), url
        response = client.get(url)
        assert (response.status_code, len(b"".join(response)) > 0) == (200, True)
        assert response.headers["Cache-Control"] == "max-age=315360000, public, immutable"
        assert "Access-Control-Allow-Origin" not in response.headers


def test_the_files_are_read_once_whoever_asks(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    page = client.get("/events").content.decode()
    monkeypatch.setattr("backoffice.kit.static_files.finders.get_finders", lambda: pytest.fail("read again"))
    response = Client().get(re.findall(r'href="(/static/[^"]+)"', page)[0])
    assert (response.status_code, len(b"".join(response)) > 0) == (200, True)


def test_a_file_without_its_hash_is_kept_for_a_minute(client: Client) -> None:
    """A module that another one imports by its name."""
    response = client.get("/static/backoffice/live.js")
    assert (FILES / "backoffice/live.js").read_bytes() == b"".join(response)
    assert response.headers["Cache-Control"] == "max-age=60, public"


def test_a_file_is_compressed_and_a_part_of_it_is_not(client: Client) -> None:
    url, content = (
        f"/static/{name_with_digest('backoffice/pitledger.css')}",
        (FILES / "backoffice/pitledger.css").read_bytes(),
    )
    whole = client.get(url, headers=ZIPPED)
    assert gzip.decompress(b"".join(whole)) == content
    part = client.get(url, headers={**ZIPPED, "Range": "bytes=0-9"})
    assert (part.status_code, b"".join(part)) == (206, content[:10])
    assert "Content-Encoding" not in part.headers


def test_a_file_that_is_not_there_is_a_mistake_of_the_template() -> None:
    with pytest.raises(ValueError, match=r"there is no file backoffice/nothing\.css"):
        name_with_digest("backoffice/nothing.css")


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2", "/api/v1/tables/FR1/nothing/at/all"])
def test_a_program_gets_a_problem_where_there_is_nothing(client: Client, path: str) -> None:
    for response in (client.get(path), client.post(path, "{}", content_type="application/json")):
        assert response.status_code == 404
        assert response.headers["Content-Type"] == "application/problem+json"
        assert response.json()["detail"].startswith(f"There is nothing at {path}. ")
