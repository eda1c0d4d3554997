"""With another house case key, or without it, every page about cases reports this. All other pages work."""

from pathlib import Path

import pytest
from django.test import Client

from backoffice.people import badge_and_key_authentication
from events.signing.secrets_created_at_first_use import CASE_KEY
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db(databases="__all__")
REMEDY = "Set PITLEDGER_CASE_KEY_FILE to the right file."


@pytest.fixture
def case(evening_house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Return a case whose house case key is missing."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    opening = evening_house.action("case.open", title="Short pays", category="theft", severity="high")
    [event] = evening_house.ok("cases", "new", "sven", opening)
    (tmp_path / CASE_KEY).unlink()
    return str(event.data.case)


def test_the_pages_of_cases_say_which_key_is_missing(case: str) -> None:
    sven = signed_in(Client(), "sven")
    for address in ("/cases", f"/cases/{case}", f"/cases/{'0' * 16}"):
        answer = sven.get(address)
        assert answer.status_code == 500
        assert f"The house case key is missing. {REMEDY}" in answer.content.decode(), address
    badge = {"authorization": f"Bearer {badge_and_key_authentication.issue_badge('sven')}"}
    for address in ("/api/v1/cases", f"/api/v1/cases/{case}", f"/api/v1/cases/{'0' * 16}"):
        answer = Client().get(address, headers=badge)
        assert (answer.status_code, answer.json()["code"]) == (500, "case-house-key-missing"), address
    for address in ("/events", "/inbox", "/alerts"):
        assert sven.get(address).status_code == 200, address


def test_the_state_of_the_house_names_the_key(case: str, tmp_path: Path) -> None:
    adam = signed_in(Client(), "adam")
    problem = {"part": "cases", "state": "stopped", "why": "The house case key is missing.", "do": REMEDY}
    assert problem in adam.get("/healthz").json()["problems"]
    assert f"cases The house case key is missing. {REMEDY}" in words(adam, "/system")
    (tmp_path / CASE_KEY).write_text("a key of another house, 32 letters")
    [problem] = [each for each in adam.get("/healthz").json()["problems"] if each["part"] == "cases"]
    assert problem["why"] == "The house case key is not the one that encrypted the keys of cases."


def test_a_house_without_cases_needs_no_key(
    evening_house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    answer = signed_in(Client(), "adam").get("/healthz").json()
    assert "cases" not in [problem["part"] for problem in answer.get("problems", ())]
    assert signed_in(Client(), "sven").get("/cases").status_code == 200
    assert not (tmp_path / CASE_KEY).exists()
