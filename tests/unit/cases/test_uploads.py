"""An upload that no one attaches is removed after a day, and never one that is being attached."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from events.cases import upload_hold_and_removal
from events.cases.case_key_and_file_vault import Vault, vault
from events.cases.upload_hold_and_removal import UPLOAD_RETENTION, remove_unattached
from events.cases.upload_metadata import UploadNote
from events.errors import Retry
from events.runtime import clock
from events.signing.secrets_created_at_first_use import CASE_KEY
from events.store import open_store
from tests.support.houses.small_house import PROPERTY, House
from workers import tasks
from workers.celery_app import app

TYPE, CONTENT = "text/plain", b"I saw it."
OLD = UPLOAD_RETENTION + timedelta(minutes=1)


class Hours:
    """The house's clock, that goes as far as a test says."""

    def __init__(self) -> None:
        self.now = datetime.fromisoformat("2026-11-20T20:00:00+00:00")

    def moment(self) -> datetime:
        return self.now


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Hours:
    hours = Hours()
    monkeypatch.setattr(clock, "moment", hours.moment)
    return hours


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    store, access = (f"sqlite:///{tmp_path / name}.sqlite3" for name in ("events", "access"))
    if request.param == "postgresql":
        store, access = (request.getfixturevalue("new_database")() for _ in range(2))
    monkeypatch.setenv("PITLEDGER_ACCESS", access)
    house = House(open_store(store))
    yield house
    house.close()


@pytest.fixture
def case(house: House) -> str:
    opening = house.action("case.open", title="Short pays", category="theft", severity="high")
    return str(house.ok("cases", "new", "sven", opening)[0].data.case)


def attach(house: House, case: str, digest: str) -> None:
    house.ok("cases", case, "sven", house.action("case.attach", attachment=digest, name="statement.txt"))


def is_whole(case: str, digest: str) -> bool:
    return vault().file(case, digest) == CONTENT and vault().described(case, digest) == (TYPE, len(CONTENT))


def test_an_upload_is_removed_a_day_later_unless_it_is_attached(house: House, case: str, hours: Hours) -> None:
    left, used = vault().add_file(case, b"No one's.", TYPE), vault().add_file(case, CONTENT, TYPE)
    attach(house, case, used)
    assert remove_unattached(house.store, PROPERTY) == 0
    hours.now += OLD
    later = vault().add_file(case, b"Later.", TYPE)
    assert remove_unattached(house.store, PROPERTY) == 1
    assert set(vault().sizes(case)) == {used, later}
    assert vault().described(case, left) is None
    missing = house.no("cases", case, "sven", house.action("case.attach", attachment=left, name="a.txt"))
    assert missing.code == "case-file-missing"
    hours.now += OLD
    assert remove_unattached(house.store, PROPERTY) == 1
    assert remove_unattached(house.store, PROPERTY) == 0
    assert is_whole(case, used)


def test_attached_files_are_looked_at_once(
    house: House, case: str, hours: Hours, monkeypatch: pytest.MonkeyPatch
) -> None:
    attach(house, case, vault().add_file(case, CONTENT, TYPE))
    hours.now += OLD
    remove_unattached(house.store, PROPERTY)
    monkeypatch.delattr(upload_hold_and_removal, "_attached")
    assert remove_unattached(house.store, PROPERTY) == 0


def test_an_upload_of_an_earlier_version_has_its_day_from_now_on(house: House, case: str, hours: Hours) -> None:
    digest = vault().add_file(case, CONTENT, TYPE)
    note = vault().upload(case, digest) or b""
    assert vault().change_upload(case, digest, note, b"9 text/plain")
    assert is_whole(case, digest)
    assert remove_unattached(house.store, PROPERTY) == 0
    assert is_whole(case, digest)
    hours.now += OLD
    assert remove_unattached(house.store, PROPERTY) == 1


def test_files_of_a_case_that_cannot_be_read_stay(house: House, case: str, hours: Hours, tmp_path: Path) -> None:
    digest, key = vault().add_file(case, CONTENT, TYPE), (tmp_path / CASE_KEY).read_text()
    hours.now += OLD
    (tmp_path / CASE_KEY).write_text("a key of another house, 32 letters")
    assert remove_unattached(house.store, PROPERTY) == 0
    (tmp_path / CASE_KEY).write_text(key)
    assert is_whole(case, digest)


STEPS = ("uploads", "key", "remove_upload")  # of the removal: before the notes, the events and the file


@pytest.mark.parametrize("step", STEPS)
def test_a_file_that_is_attached_at_any_moment_of_the_removal_stays(
    house: House, case: str, hours: Hours, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    digest = vault().add_file(case, CONTENT, TYPE)
    hours.now += OLD
    _at(step, lambda: attach(house, case, digest), monkeypatch)
    assert remove_unattached(house.store, PROPERTY) == 0
    assert is_whole(case, digest)
    hours.now += OLD
    assert remove_unattached(house.store, PROPERTY) == 0
    assert is_whole(case, digest)


@pytest.mark.parametrize("step", STEPS)
def test_a_file_that_is_uploaded_again_at_any_moment_of_the_removal_stays(
    house: House, case: str, hours: Hours, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    digest = vault().add_file(case, CONTENT, TYPE)
    hours.now += OLD
    _at(step, lambda: vault().add_file(case, CONTENT, TYPE), monkeypatch)
    assert remove_unattached(house.store, PROPERTY) == 0
    assert is_whole(case, digest)
    attach(house, case, digest)


@pytest.mark.parametrize("step", ["upload", "change_upload"])
def test_an_action_on_a_file_that_is_removed_meanwhile_is_refused(
    house: House, case: str, hours: Hours, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    digest = vault().add_file(case, CONTENT, TYPE)
    hours.now += OLD
    _at(step, lambda: remove_unattached(house.store, PROPERTY), monkeypatch)
    problem = house.no("cases", case, "sven", house.action("case.attach", attachment=digest, name="a.txt"))
    assert problem.code == "case-file-missing"
    vault().add_file(case, CONTENT, TYPE)
    attach(house, case, digest)
    assert is_whole(case, digest)


def _at(step: str, do: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do something once, right before this step of another."""
    own = getattr(Vault, step)

    def between(*values: Any) -> Any:
        monkeypatch.setattr(Vault, step, own)
        do()
        return own(*values)

    monkeypatch.setattr(Vault, step, between)


def test_the_worker_removes_them_and_waits_for_a_silent_database(monkeypatch: pytest.MonkeyPatch) -> None:
    class ExpiryPart:
        def remove_expired(self) -> int:
            raise Retry("away")

    monkeypatch.setattr(app, "parts", ExpiryPart(), raising=False)
    tasks.clean()
    assert app.conf.beat_schedule["clean"]["task"] == tasks.clean.name


def test_a_note_is_read_as_it_was_written() -> None:
    note = UploadNote.new("image/png", 12)
    assert UploadNote.read(note.written()) == note
    assert UploadNote.read(b"12 image/png") == UploadNote("image/png", 12)
    assert UploadNote.read(note.attached().written()).is_attached
