"""One person starts a verification from the page for all readers.

Its progress only grows, and it ends with a result.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from backoffice.integrity import last_verification, verification_status_and_start_page
from backoffice.running import child_process_start_and_end
from events.settings.settings_from_environment import settings
from events.store.named_notes_shared_by_processes import Notes
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


class VerifyProcess:
    """Replaces the process of `manage.py verify`. It runs until the test ends it."""

    commands: list[list[str]]

    def __init__(self) -> None:
        self.commands, self.may_end = [], threading.Event()

    def launch(self, command: list[str], **_: Any) -> "VerifyProcess":
        self.commands.append(command)
        return self

    def wait(self) -> int:
        self.may_end.wait(60)
        return 0


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VerifyProcess]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    made = VerifyProcess()
    monkeypatch.setattr(child_process_start_and_end, "launch", made.launch)
    yield made
    made.may_end.set()


def start(client: Client) -> str:
    """Press the button, and return the next page."""
    answer = client.post("/integrity/verify", follow=True)
    assert answer.redirect_chain
    return " ".join(answer.content.decode().split())


def put(begun: last_verification.RunningVerification, **values: Any) -> None:
    note = last_verification.VerificationNote(begun=msgspec.structs.replace(begun, **values))
    Notes(settings().access).write(last_verification.NOTE, msgspec.json.encode(note))


def test_two_people_start_one(client: Client, evening_house: House, process: VerifyProcess) -> None:
    assert "Verify history" in words(client, "/integrity")
    assert "Verification started" in start(client)
    assert "at work already" in start(signed_in(Client(), "anna"))
    assert [command[-3:] for command in process.commands] == [["verify", "--resume", "--report"]]
    assert "Verifying… 0 %" in words(client, "/integrity")


def test_who_may_not_read_history_starts_none(evening_house: House, process: VerifyProcess) -> None:
    assert signed_in(Client(), "dora").post("/integrity/verify").status_code == 403
    assert process.commands == []


def test_progress_is_shown_until_the_result_is_there(
    client: Client, evening_house: House, process: VerifyProcess
) -> None:
    begun = last_verification.begin()
    put(begun, percent=41.7)
    assert "Verifying… 41 %" in words(client, "/integrity/progress")
    last_verification.record_result(begun, None, "the disk is gone")
    assert client.get("/integrity/progress").headers["HX-Redirect"] == "/integrity"
    page = words(client, "/integrity")
    assert "the disk is gone" in page
    assert "Verify history" in page


def test_one_that_was_killed_goes_on(
    client: Client, evening_house: House, process: VerifyProcess, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "verified.athens"
    checkpoint.write_bytes(b"as far as it came")
    put(last_verification.begin(), who=None)
    assert "Continue verification" in words(client, "/integrity")
    start(client)
    assert checkpoint.exists()
    assert len(process.commands) == 1


def test_after_one_that_ended_everything_is_read_again(
    client: Client, evening_house: House, process: VerifyProcess, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "verified.athens"
    checkpoint.write_bytes(b"to the end")
    last_verification.record_result(last_verification.begin(), None, "read")
    start(client)
    assert not checkpoint.exists()


def test_what_is_done_only_grows() -> None:
    reached = last_verification.RunProgress()
    for share, percent in (
        (0.4, 40.0),
        (0.2, 40.0),
        (2.0, last_verification.ALMOST),
        (0.9, last_verification.ALMOST),
    ):
        reached(share)
        assert reached.percent == pytest.approx(percent)


def test_a_start_that_came_to_nothing_is_forgotten(
    client: Client, evening_house: House, process: VerifyProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(client)
    monkeypatch.setattr(verification_status_and_start_page, "START_S", 0.0)
    assert "Verification started" in start(client)
    assert len(process.commands) == 2
