"""One command restores a house from a backup, also after kills in the middle, and from an older version."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.backups.conftest import BackupPlace, copy_of
from tests.integration.system.running_house import CHECKOUT

# A restore that is killed before it loads its Nth database, or before it builds the read models.
KILLED = """
import os, sys, django
django.setup()
from backoffice.house import database_restore, restore_from_backup
from django.core.management import call_command
left, load = [int(sys.argv[1])], database_restore.load_database
def dies(*given):
    if not left[0]:
        os._exit(9)
    left[0] -= 1
    load(*given)
database_restore.load_database = dies
restore_from_backup._rebuild = lambda given, tell: os._exit(9)
call_command("restore", *sys.argv[2:])
"""
EVER_KILLED = (1, 3)


def killed(place: BackupPlace, number: int, *words: str) -> None:
    command = [sys.executable, "-c", KILLED, str(number), *words]
    completed = subprocess.run(command, cwd=CHECKOUT, env=place.here.env, capture_output=True, text=True, check=False)
    assert completed.returncode == 9, completed.stderr


@pytest.fixture
def night(house: BackupPlace, tmp_path: Path) -> Path:
    return copy_of(house, tmp_path / "night")


def test_a_house_comes_back_whatever_was_killed(house: BackupPlace, night: Path) -> None:
    """A half-restored house never starts as an empty or a whole house. Repeating the command restores all of it."""
    words = ("restore", str(night), "--keys", f"{night}-keys")
    other = house.new("other")
    for number in EVER_KILLED:
        killed(other, number, *words[1:])
    output = other.ok(*words)
    assert "Everything holds." in output
    assert "heads --accept-restored" in output
    assert other.position() == house.position()
    assert other.digest() == house.digest()
    assert not (other.data / "restore.json").exists()
    assert (other.data / "secret-key").read_text() == (house.data / "secret-key").read_text()
    assert other.ok("people", "list") == house.ok("people", "list")
    assert "this house is not empty" in other.failed(*words)
    assert other.ok("migrate", "--check") == ""


def test_a_backup_of_an_older_version_is_brought_up_to_date(house: BackupPlace, tmp_path: Path) -> None:
    house.ok("migrate", "backoffice", "0008", "--verbosity", "0")
    house.ok("migrate", "access", "0003", "--database", "access", "--verbosity", "0")
    night = copy_of(house, tmp_path / "night")
    house.ok("migrate", "--verbosity", "0")
    other = house.new("other")
    assert "Everything holds." in other.ok("restore", str(night), "--keys", f"{night}-keys")
    assert other.ok("migrate", "--check") == ""
    assert other.digest() == house.digest()


def test_scheduled_backups_are_kept_recorded_and_tried(house: BackupPlace, tmp_path: Path) -> None:
    folder, keys = tmp_path / "backups", tmp_path / "keys"
    settings = {"BACKUP": str(folder), "BACKUP_KEYS": str(keys), "BACKUP_KEEP": "1", "BACKUP_TRY": "yes"}
    assert "mount its disk" in house.failed("backup", "--scheduled", **settings)
    folder.mkdir()
    keys.mkdir()
    (folder / "notes.txt").write_text("mine")
    assert "was restored as a trial" in house.ok("backup", "--scheduled", **settings)
    [first] = [path for path in folder.iterdir() if path.is_dir()]
    output = house.ok("backup", "--scheduled", **(settings | {"BACKUP_TRY": "no"}))
    assert f"deleted the old backup {first}" in output
    [second] = [path for path in folder.iterdir() if path.is_dir()]
    assert second != first
    assert [path.name for path in keys.iterdir()] == [second.name]
    assert (folder / "notes.txt").read_text() == "mine"
    assert not [path for path in house.data.iterdir() if path.name.startswith("trial-")]
