"""The record of backups, and when the next one is late."""

from datetime import datetime, timedelta

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from backoffice.house.backup_records import backup_status, begin_record, end_record
from backoffice.models import BackupRecord
from events.errors import Invalid
from events.settings.settings_from_environment import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def scheduled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_BACKUP", "/backups")
    monkeypatch.setenv("PITLEDGER_BACKUP_EVERY_S", "3600")


def after(seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)


def test_a_house_without_a_schedule_is_never_late() -> None:
    end_record(begin_record("/x", is_scheduled=False), is_good=True, position=7, size_bytes=10)
    status = backup_status(after(1_000_000))
    assert (status.is_scheduled, status.is_late, status.position) == (False, False, 7)
    assert status.age_s is not None
    assert status.age_s > 999_000


@pytest.mark.usefixtures("scheduled")
def test_a_backup_is_late_a_quarter_of_the_interval_after_it_was_due() -> None:
    end_record(begin_record("/x", is_scheduled=True), is_good=True)
    assert not backup_status(after(4_400)).is_late
    late = backup_status(after(4_501))
    assert late.is_late
    assert late.since is not None


@pytest.mark.usefixtures("scheduled")
def test_a_failed_attempt_does_not_make_the_last_good_one_younger() -> None:
    end_record(begin_record("/good", is_scheduled=True), is_good=True)
    end_record(begin_record("/bad", is_scheduled=True), reason="no room")
    status = backup_status(after(5_000))
    assert (status.folder, status.reason, status.is_late) == ("/good", "no room", True)


@pytest.mark.usefixtures("scheduled")
def test_a_house_whose_first_backup_fails_is_late() -> None:
    MigrationRecorder.Migration.objects.filter(app="backoffice").update(applied=timezone.now())
    assert not backup_status().is_late
    end_record(begin_record("/bad", is_scheduled=True), reason="no room")
    assert not backup_status(after(10)).is_late
    assert backup_status(after(1_000)).is_late


@pytest.mark.usefixtures("scheduled")
def test_a_schedule_that_never_ran_is_late() -> None:
    """A schedule never runs if its timer was not set up or its worker is down."""
    migrated = MigrationRecorder.Migration.objects.filter(app="backoffice", name="0010_backup_records")
    migrated.update(applied=after(-100))
    assert not backup_status().is_late
    migrated.update(applied=after(-1_000))
    assert backup_status().is_late


def test_a_killed_backup_ends_with_the_next_one() -> None:
    begin_record("/killed", is_scheduled=True)
    assert backup_status().running is not None
    begin_record("/next", is_scheduled=True)
    killed = BackupRecord.objects.get(folder="/killed")
    assert killed.ended_at is not None
    assert "stopped" in killed.reason


def test_the_time_of_day_is_checked() -> None:
    assert read({"PITLEDGER_BACKUP_AT": "05:30"}).backup_at == "05:30"
    with pytest.raises(Invalid, match="want HH:MM"):
        read({"PITLEDGER_BACKUP_AT": "25:00"})
