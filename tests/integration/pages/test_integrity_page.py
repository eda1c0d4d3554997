"""The result of the last verification on its page and in the API: passed, failed, interrupted or never run."""

import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from backoffice.integrity import last_verification
from events.relay import witness_delivery
from events.runtime import clock
from events.settings.settings_from_environment import settings
from events.store.named_notes_shared_by_processes import Notes
from tests.regressions.test_forged_history import Intruder, intruder
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words
from workers import tasks
from workers.celery_app import app, of_celery

__all__ = ["intruder"]  # fixtures, on both databases


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    return tmp_path


def verify() -> None:
    with suppress(CommandError):
        call_command("verify", "--no-topic", "--no-read-models")


@pytest.mark.django_db
def test_where_none_ever_ran_the_page_says_how(client: Client, evening_house: House, data: Path) -> None:
    page = words(client, "/integrity")
    assert "Not verified yet" in page
    assert "Select Verify history." in page
    assert client.get("/api/v1/integrity").json()["last"] is None


@pytest.mark.django_db
def test_the_page_says_when_how_far_and_what_is_wrong_first(
    client: Client, evening_house: House, intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    verify()
    page = words(client, "/integrity")
    assert "Verified – no problems" in page
    status = client.get("/api/v1/integrity").json()["last"]
    assert (status["holds"], status["first"], status["findings"]) == (True, None, 0)
    assert status["position"] == status["covered"] > 0
    assert status["read"] == status["events"]
    intruder.drop_guards()
    intruder.edit()
    verify()
    assert "problems found" in words(client, "/integrity")
    status = client.get("/api/v1/integrity").json()["last"]
    assert not status["holds"]
    assert status["first"]["kind"] in ("guard", "rewritten")
    assert status["findings"] > 1


@pytest.mark.django_db
def test_it_says_when_the_witness_was_reached(
    client: Client, evening_house: House, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "none configured" in words(client, "/integrity")
    monkeypatch.setenv("PITLEDGER_WITNESS", "https://witness.example/")
    reached = witness_delivery.Standing(where="https://witness.example/", last=812, reached="2026-11-20T22:15:03.000Z")
    witness_delivery.note(msgspec.structs.replace(reached, tried="2026-11-20T22:20:00.000Z", why="no answer"))
    page = words(client, "/integrity")
    assert "Last reached 2026-11-20 22:15:03 UTC" in page
    assert "2026-11-20 22:20:00 UTC : no answer" in page
    assert client.get("/api/v1/integrity").json()["witness"]["last"] == 812


@pytest.mark.django_db
def test_a_run_at_work_and_one_that_was_broken_off_are_told(client: Client, evening_house: House, data: Path) -> None:
    begun = last_verification.begin()
    assert begun.at_work
    assert "verification running" in words(client, "/integrity")
    gone = msgspec.structs.replace(begun, who=None)
    note = Notes(settings().access)
    note.write(last_verification.NOTE, msgspec.json.encode(last_verification.VerificationNote(begun=gone)))
    assert "verification interrupted" in words(client, "/integrity")
    elsewhere = msgspec.structs.replace(gone, host="another-container", alive_at=time.time())
    note.write(last_verification.NOTE, msgspec.json.encode(last_verification.VerificationNote(begun=elsewhere)))
    assert "verification running" in words(client, "/integrity")
    silent = msgspec.structs.replace(elsewhere, alive_at=time.time() - last_verification.SILENT_S - 1)
    note.write(last_verification.NOTE, msgspec.json.encode(last_verification.VerificationNote(begun=silent)))
    assert "verification interrupted" in words(client, "/integrity")


@pytest.mark.django_db
def test_the_file_of_an_earlier_version_is_read_until_the_next_run(
    client: Client, evening_house: House, data: Path
) -> None:
    now = clock.moment()
    last = last_verification.Verification(began=now, ended=now, holds=True, events=7)
    (data / "verification.json").write_bytes(msgspec.json.encode(last_verification.VerificationNote(last=last)))
    assert client.get("/api/v1/integrity").json()["last"]["events"] == 7
    last_verification.record_result(last_verification.begin(), None, "the disk is gone")
    assert client.get("/api/v1/integrity").json()["last"]["why"] == "the disk is gone"


@pytest.mark.django_db
def test_what_cannot_be_read_is_told(
    client: Client, evening_house: House, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{data / 'nowhere.sqlite3'}")
    with pytest.raises(CommandError, match="There is no event store"):
        call_command("verify")
    assert "verification failed" in words(client, "/integrity")


def test_the_worker_verifies_on_a_schedule_in_a_process_of_its_own(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bool] = []

    class Busy:
        def verify(self) -> bool:
            calls.append(True)
            return len(calls) == 1

    monkeypatch.setenv("PITLEDGER_VERIFY_S", "3600")
    assert of_celery()["beat_schedule"]["verify"]["schedule"] == 3600
    monkeypatch.setattr(app, "parts", Busy(), raising=False)
    tasks.verify()
    tasks.verify()
    assert len(calls) == 2
