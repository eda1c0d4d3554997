"""Case files for programs: a raw body becomes an attachment, an export has a key, and its archive is downloaded."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from backoffice.access.models import Look
from backoffice.cases import case_export_views as case_exports
from backoffice.cases.export import case_exporter
from backoffice.kit import file_download_or_background_job
from backoffice.people import badge_and_key_authentication
from events.cases.case_key_and_file_vault import vault
from events.integrity.signed_head_stores import Heads, MemoryHeads
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import signed_in
from tools import verify_case

pytestmark = pytest.mark.django_db(databases="__all__")
OPENED = {"title": "Short pays", "category": "theft", "severity": "high"}


@pytest.fixture(autouse=True)
def _own_databases(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)


class BadgeProgram:
    """A program of one person: it has a badge and no session."""

    def __init__(self, person: str) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.badge = {"authorization": f"Bearer {badge_and_key_authentication.issue_badge(person)}"}

    def attach(self, case: str, content: bytes) -> Any:
        address = f"/api/v1/cases/{case}/attachments"
        return self.client.post(address, content, "application/octet-stream", headers=self.badge)

    def export(self, case: str, **body: Any) -> Any:
        return self.client.post(f"/api/v1/cases/{case}/exports", body, "application/json", headers=self.badge)

    def archive(self, case: str, export: str) -> Any:
        return self.client.get(f"/api/v1/cases/{case}/exports/{export}", headers=self.badge)


@pytest.fixture
def house(evening_house: House) -> House:
    evening_house.store.process_cache.get((Heads,), MemoryHeads)  # the heads of a store that is in memory
    return evening_house


def opened(house: House, **fields: Any) -> str:
    [event] = house.ok("cases", "new", "sven", house.action("case.open", **OPENED, **fields))
    return str(event.data.case)


def exported_events(house: House, case: str) -> int:
    return sum(stored_event.type == "case.exported.v1" for stored_event in house.store.stream(f"athens/cases/{case}"))


# --- attachments ------------------------------------------------------------------------------------------------------


def test_a_body_is_stored_once_and_attached_by_its_digest(house: House) -> None:
    case, sven = opened(house), BadgeProgram("sven")
    first, again = sven.attach(case, b"I saw it.\n"), sven.attach(case, b"I saw it.\n")
    assert (first.status_code, first.json()) == (200, again.json())
    assert (first.json()["type"], first.json()["size"]) == ("text/plain", 10)
    [(digest, _size)] = vault().sizes(case).items()
    assert digest == first.json()["attachment"]
    house.ok("cases", case, "sven", house.action("case.attach", attachment=digest, name="statement.txt"))
    assert sven.attach(case, b"I saw it.\n").json() == first.json(), "also when it is attached"
    detail = sven.client.get(f"/api/v1/cases/{case}", headers=sven.badge).json()
    assert [piece["name"] for piece in detail["case"]["attachments"]] == ["statement.txt"]


def test_a_case_that_one_may_not_see_is_answered_as_an_unknown_one(house: House) -> None:
    house.grant("sara", "surveillance")
    case = opened(house, subjects=["sara"])
    for person in ("sara", "paul", "dora"):
        there, nowhere = (BadgeProgram(person).attach(name, b"x") for name in (case, "0" * 16))
        assert (there.status_code, there.json()["code"]) == (404, "case-unknown")
        assert there.content.replace(case.encode(), b"0" * 16) == nowhere.content
        there, nowhere = (BadgeProgram(person).export(name, key="1") for name in (case, "0" * 16))
        assert there.status_code == 404
        assert there.content.replace(case.encode(), b"0" * 16) == nowhere.content
    assert vault().sizes(case) == {}
    assert exported_events(house, case) == 0


def test_without_a_badge_nothing_is_stored(house: House) -> None:
    case = opened(house)
    for headers in ({}, {"authorization": "Bearer wrong"}):
        answer = Client().post(f"/api/v1/cases/{case}/attachments", b"x", "text/plain", headers=headers)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert vault().sizes(case) == {}


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 400, "case-file-empty"),
        (b"MZ\x90\x00program\x00", 415, "case-file-type"),
        (b"<html><script>1</script>", 415, "case-file-type"),
        (b"\xff\xd8\xff no picture", 415, "case-file-type"),
        (b"x" * ((1 << 20) + 1), 413, "case-file-too-large"),
    ],
)
def test_a_file_that_is_not_taken_has_a_status_and_a_code(
    house: House, monkeypatch: pytest.MonkeyPatch, content: bytes, status: int, code: str
) -> None:
    monkeypatch.setenv("PITLEDGER_CASE_FILE_MB", "1")
    case = opened(house)
    answer = BadgeProgram("sven").attach(case, content)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert vault().sizes(case) == {}


def test_the_files_of_a_case_have_a_limit_together(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_CASE_FILES_MB", "1")
    case, sven = opened(house), BadgeProgram("sven")
    large = b"x" * 900_000
    assert sven.attach(case, large).status_code == 200
    answer = sven.attach(case, b"y" * 200_000)
    assert (answer.status_code, answer.json()["code"]) == (413, "case-files-too-large")
    assert sven.attach(case, large).status_code == 200, "what is stored is not counted twice"


def test_a_scanner_refuses_and_a_closed_case_takes_no_file(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    case, sven = opened(house), BadgeProgram("sven")
    monkeypatch.setenv("PITLEDGER_CASE_SCANNER", "grep -q harmless")
    answer = sven.attach(case, b"a virus")
    assert (answer.status_code, answer.json()["code"]) == (422, "case-file-refused")
    assert sven.attach(case, b"harmless").status_code == 200
    house.ok("cases", case, "sven", house.action("case.close", disposition="unfounded", reason="Nothing was seen"))
    answer = sven.attach(case, b"harmless too")
    assert (answer.status_code, answer.json()["code"]) == (422, "case-closed")


# --- exports ----------------------------------------------------------------------------------------------------------


def test_an_export_with_the_same_key_is_the_same_export(house: House, tmp_path: Path) -> None:
    case, sven = opened(house, note="Watched twice"), BadgeProgram("sven")
    first, again = sven.export(case, key="mine"), sven.export(case, key="mine")
    assert (first.status_code, first.json()["is_ready"], first.json()) == (200, True, again.json())
    assert exported_events(house, case) == 1
    answer = sven.archive(case, first.json()["export"])
    path = tmp_path / "case.zip"
    path.write_bytes(b"".join(answer.streaming_content))
    assert int(answer.headers["Content-Length"]) == path.stat().st_size
    assert verify_case.verify(path)["export"] == first.json()["export"]
    other = sven.export(case, key="another")
    assert other.json()["export"] != first.json()["export"]
    lines = [*Look.objects.filter(what__startswith=f"case export {case}").order_by("number")]
    assert [(line.kind, line.what.rpartition(" ")[2] in (first.json()["export"], case)) for line in lines] == [
        ("export", True),
        ("exported", True),
        ("export", True),
    ]


def test_an_archive_is_for_the_person_who_began_it(house: House) -> None:
    house.grant("sara", "surveillance")
    case = opened(house, roles=["surveillance"])
    number = BadgeProgram("sven").export(case, key="1").json()["export"]
    for person, export in (("sara", number), ("sven", "0" * 32)):
        answer = BadgeProgram(person).archive(case, export)
        assert (answer.status_code, answer.json()["code"]) == (404, "case-export-unknown")
    assert BadgeProgram("paul").archive(case, number).json()["code"] == "case-unknown"


def test_a_request_that_cannot_be_understood_exports_nothing(house: House) -> None:
    case, sven = opened(house), BadgeProgram("sven")
    for body in ({}, {"key": ""}, {"key": "x" * 129}, {"key": "x", "more": 1}):
        answer = sven.export(case, **body)
        assert (answer.status_code, answer.json()["field"]) == (400, "body"), body
    assert exported_events(house, case) == 0


def test_an_export_that_no_head_covers_is_finished_by_the_same_key(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case, sven = opened(house), BadgeProgram("sven")
    with monkeypatch.context() as patch:
        patch.setattr(case_exporter, "HEAD_WAIT_S", 0.0)
        patch.setattr(case_exporter, "make_head", lambda *_, **__: (None, True))
        answer = sven.export(case, key="1")
        assert (answer.status_code, answer.json()["code"]) == (503, "head-does-not-cover")
    assert exported_events(house, case) == 1
    house.ok("cases", case, "sven", house.action("case.note", note="Later"))
    answer = sven.export(case, key="1")
    assert answer.json()["is_ready"]
    assert exported_events(house, case) == 1
    path = tmp_path / "case.zip"
    path.write_bytes(b"".join(sven.archive(case, answer.json()["export"]).streaming_content))
    assert verify_case.verify(path)["own_events"] == 1, "it is the case as it was"


def test_a_large_export_is_a_job_with_its_progress(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work itself is another test's: here is the way to it."""
    case, sven = opened(house), BadgeProgram("sven")
    monkeypatch.setattr(file_download_or_background_job, "LONG_EVENTS", 0)
    monkeypatch.setattr("backoffice.api.attachment_upload_and_case_export.PAGE_S", 0.0)
    done: list[str] = []

    def work(case: str, exporter: Any, export: str, progress: Any, _basis: Any) -> case_exporter.ExportResult:
        progress.reached(0.4)
        while not done:
            time.sleep(0.01)
        return case_exporter.ExportResult(export, 1, 2, ())

    monkeypatch.setattr(case_exports, "_work", work)
    begun = sven.export(case, key="1").json()
    assert (begun["is_ready"], begun["export"]) == (False, sven.export(case, key="1").json()["export"])
    waiting = sven.archive(case, begun["export"])
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (503, "5")
    done.append("now")
    until = time.monotonic() + 30
    while not (answer := sven.export(case, key="1").json())["is_ready"]:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert (answer["events"], answer["files"], answer["percent"]) == (1, 2, 100)


def test_a_large_export_of_the_page_shows_its_progress_then_the_archive(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The job is held: a thread of its own has no part in the test's transaction."""
    case, sven = opened(house), signed_in(Client(), "sven")
    monkeypatch.setattr(file_download_or_background_job, "LONG_EVENTS", 0)
    monkeypatch.setattr(file_download_or_background_job, "PAGE_S", 0.0)
    began, may = threading.Event(), threading.Event()

    def work(case: str, exporter: Any, export: str, progress: Any, _basis: Any) -> case_exporter.ExportResult:
        began.set()
        assert may.wait(30)
        return case_exporter.ExportResult(export, 0, 0, ())

    monkeypatch.setattr(case_exports, "_work", work)
    answer = sven.post(f"/cases/{case}/export")
    address = answer.headers["Location"]
    assert address.startswith(f"/cases/{case}/exports/")
    page: Any = sven.get(address, headers={"accept": "text/html"})
    assert "Calculating" in page.content.decode()
    assert began.wait(30)
    assert signed_in(Client(), "olga").get(address).status_code == 404, "it is another person's"
    may.set()
    until = time.monotonic() + 30
    while "Download file" not in sven.get(address, headers={"hx-request": "true"}).content.decode():
        assert time.monotonic() < until
        time.sleep(0.01)
    archive: Any = sven.get(address, headers={"accept": "text/html"})
    path = tmp_path / "case.zip"
    path.write_bytes(b"".join(archive.streaming_content))
    assert verify_case.verify(path)["export"] == address.rpartition("/")[2]
    assert exported_events(house, case) == 1


def test_an_address_of_no_export_begins_none(house: House) -> None:
    case, sven = opened(house), signed_in(Client(), "sven")
    assert sven.get(f"/cases/{case}/exports/{'0' * 32}").status_code == 404
    assert exported_events(house, case) == 0
