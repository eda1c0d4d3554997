"""An administrator sees on every page that the backup is late, with cause and remedy. Other people do not."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from backoffice.house import backup_records
from backoffice.house.backup_records import begin_record, end_record
from backoffice.models import BackupRecord
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import signed_in

LATE = "The backup is late"


@pytest.fixture(autouse=True)
def scheduled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PITLEDGER_BACKUP", "/backups")
    backup_records.forget_status()
    yield
    backup_records.forget_status()


@pytest.fixture
def administrator(house: House) -> Client:
    return signed_in(Client(), "adam")


def record_backup(hours_ago: float, **values: object) -> None:
    end_record(begin_record("/backups/x", is_scheduled=True), **values)
    then = timezone.now() - timedelta(hours=hours_ago)
    BackupRecord.objects.filter(pk=BackupRecord.objects.latest("pk").pk).update(began_at=then, ended_at=then)


def test_a_backup_in_time_is_no_alert(administrator: Client) -> None:
    record_backup(23, is_good=True)
    assert LATE not in words(administrator, "/people")


def test_a_late_backup_is_said_to_administrators_alone(administrator: Client, client: Client) -> None:
    record_backup(40, is_good=True)
    record_backup(1, reason="the disk of /backups has 12 bytes free")
    page = words(administrator, "/people")
    assert LATE in page
    assert "the disk of /backups has 12 bytes free" in page
    assert "./manage.py backup --scheduled" in page
    assert LATE not in words(client, "/integrity")


def test_a_house_without_a_schedule_has_no_alert(administrator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    record_backup(1_000, is_good=True)
    monkeypatch.delenv("PITLEDGER_BACKUP")
    assert LATE not in words(administrator, "/people")
