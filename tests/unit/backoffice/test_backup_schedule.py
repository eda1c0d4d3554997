"""Scheduled backups: when the next one is due, and which old ones go."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from backoffice.house import backup_manifest, scheduled_backup_times_and_deletion
from backoffice.house.backup_manifest import Manifest
from events.errors import Invalid
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import read

NOW = datetime(2026, 11, 26, 4, 0, tzinfo=UTC)


def settings(folder: Path, **values: str) -> Settings:
    variables = {"BACKUP": str(folder), "PROPERTY": "athens", "DATA": str(folder), **values}
    return read({f"PITLEDGER_{name}": value for name, value in variables.items()})


def backup(folder: Path, began: datetime, *, house: str = "h1", property_: str = "athens") -> Path:
    """A backup as the schedule makes it, with one small file."""
    path = folder / f"{property_}-{began.strftime(scheduled_backup_times_and_deletion.STAMP)}"
    path.mkdir()
    (path / "events.sqlite3").write_text("events")
    made = Manifest(
        format=1,
        id=backup_manifest.new_id(),
        software="0.1.0",
        property=property_,
        house=house,
        made="",
        position=1,
        events=1,
        head=0,
        access_lines=0,
        databases=(),
        keys="none",
        files=backup_manifest.describe_files(path),
    )
    backup_manifest.write_manifest(path, made)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_nothing_is_due_without_a_folder_or_with_a_timer(tmp_path: Path) -> None:
    assert not scheduled_backup_times_and_deletion.is_due(settings(tmp_path, BACKUP=""), None, NOW)
    assert not scheduled_backup_times_and_deletion.is_due(settings(tmp_path, BACKUP_BY="timer"), None, NOW)
    assert scheduled_backup_times_and_deletion.is_due(settings(tmp_path), None, NOW)


def test_the_next_is_due_an_interval_after_the_last_began(tmp_path: Path) -> None:
    settings_ = settings(tmp_path, BACKUP_EVERY_S="3600")
    backup(tmp_path, NOW - timedelta(seconds=3599))
    assert not scheduled_backup_times_and_deletion.is_due(settings_, None, NOW)
    assert scheduled_backup_times_and_deletion.is_due(settings_, None, NOW + timedelta(seconds=2))


def test_a_failed_attempt_is_repeated_after_a_pause(tmp_path: Path) -> None:
    settings_ = settings(tmp_path)
    assert not scheduled_backup_times_and_deletion.is_due(
        settings_, NOW - timedelta(seconds=scheduled_backup_times_and_deletion.AGAIN_S - 1), NOW
    )
    assert scheduled_backup_times_and_deletion.is_due(
        settings_, NOW - timedelta(seconds=scheduled_backup_times_and_deletion.AGAIN_S + 1), NOW
    )


def test_a_folder_without_a_manifest_is_no_backup(tmp_path: Path) -> None:
    path = backup(tmp_path, NOW - timedelta(hours=1))
    assert not scheduled_backup_times_and_deletion.is_due(settings(tmp_path), None, NOW)
    (path / backup_manifest.NAME).unlink()
    assert scheduled_backup_times_and_deletion.is_due(settings(tmp_path), None, NOW)


@pytest.mark.parametrize(
    ("last", "due"),
    [
        ("2026-11-25T03:29:00+00:00", "2026-11-25T03:30:00+00:00"),
        ("2026-11-25T03:30:00+00:00", "2026-11-26T03:30:00+00:00"),
        ("2026-10-24T12:00:00+00:00", "2026-10-25T03:30:00+00:00"),  # the night in which the clocks are put back
    ],
)
def test_a_time_of_day_is_on_the_propertys_clock(tmp_path: Path, last: str, due: str) -> None:
    settings_ = settings(tmp_path, BACKUP_AT="05:30", TIME_ZONE="Europe/Athens")
    due_at = scheduled_backup_times_and_deletion.next_due(settings_, datetime.fromisoformat(last), NOW)
    assert due_at.astimezone(UTC) == datetime.fromisoformat(due)


def test_the_oldest_go_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    mine = [backup(tmp_path, NOW - timedelta(days=day)) for day in range(5)]
    other = backup(tmp_path, NOW - timedelta(days=9), property_="corfu")
    namesake = backup(tmp_path, NOW - timedelta(days=8), house="h2")
    (tmp_path / "athens-notes").mkdir()
    (tmp_path / "athens-20200101T000000Z").mkdir()  # by hand: no manifest
    scheduled_backup_times_and_deletion.delete_old(
        settings(tmp_path, BACKUP_KEEP="2"), "h1", tmp_path, None, lambda line: None
    )
    left = {*mine[:2], other, namesake, tmp_path / "athens-notes", tmp_path / "athens-20200101T000000Z"}
    assert {*tmp_path.iterdir()} == left


def test_the_last_good_one_stays_behind_damaged_newer_ones(tmp_path: Path) -> None:
    mine = [backup(tmp_path, NOW - timedelta(days=day)) for day in range(4)]
    for path in mine[:2]:
        (path / "events.sqlite3").write_text("cut")
    scheduled_backup_times_and_deletion.delete_old(
        settings(tmp_path, BACKUP_KEEP="1"), "h1", tmp_path, None, lambda line: None
    )
    assert names(tmp_path) == sorted(path.name for path in mine[:3])


def test_keys_go_with_their_backup_alone(tmp_path: Path) -> None:
    folder, keys = tmp_path / "backups", tmp_path / "keys"
    folder.mkdir()
    mine = [backup(folder, NOW - timedelta(days=day)) for day in range(2)]
    for path in mine:
        made = backup_manifest.read_manifest(path)
        (keys / path.name).mkdir(parents=True)
        content = backup_manifest.KeysManifest(
            format=1, backup=made.id, property="athens", house="h1", made="", files=()
        )
        backup_manifest.write_manifest(keys / path.name, content)
    (keys / "athens-20200101T000000Z").mkdir()
    scheduled_backup_times_and_deletion.delete_old(
        settings(folder, BACKUP_KEEP="1"), "h1", folder, keys, lambda line: None
    )
    assert names(folder) == [mine[0].name]
    assert names(keys) == sorted([mine[0].name, "athens-20200101T000000Z"])


def test_what_a_killed_backup_left_is_deleted(tmp_path: Path) -> None:
    path = backup(tmp_path, NOW)
    for name in (f"{path.name}.part", "corfu-20260101T000000Z.part", "mine.part"):
        (tmp_path / name).mkdir()
    scheduled_backup_times_and_deletion.delete_parts(settings(tmp_path), tmp_path)
    assert names(tmp_path) == sorted([path.name, "corfu-20260101T000000Z.part", "mine.part"])


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="mount its disk"):
        scheduled_backup_times_and_deletion.require_folder("PITLEDGER_BACKUP", str(tmp_path / "away"))
    assert not (tmp_path / "away").exists()
