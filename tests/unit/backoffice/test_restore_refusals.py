"""Refusals of a backup and of a restore, made before anything is written, and the files that remain after a kill."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from backoffice.house import backup_manifest, complete_backup_folder_creation, snapshot_copies_of_databases
from backoffice.house.complete_backup_folder_creation import BackupPlan, make_backup
from backoffice.house.restore_from_backup import RestoreSource, restore
from events.errors import Conflict, Invalid, PitledgerError, Retry, Unknown
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import read
from events.signing import house_signing_key
from events.store import open_store
from tests.support.houses.small_house import PROPERTY
from tests.unit.integrity.test_heads import say


def settings(data: Path, **values: str) -> Settings:
    return read(
        {f"PITLEDGER_{name}": value for name, value in {"DATA": str(data), "PROPERTY": PROPERTY, **values}.items()}
    )


@pytest.fixture
def house(tmp_path: Path) -> Settings:
    """A small house on files, with events and a signed head."""
    data = tmp_path / "house"
    data.mkdir()
    with closing(sqlite3.connect(data / "read.sqlite3")) as directory:
        directory.execute("CREATE TABLE backoffice_person (id TEXT)")
        directory.execute("INSERT INTO backoffice_person VALUES ('anna')")
        directory.commit()
    with closing(sqlite3.connect(data / "access.sqlite3")) as log:
        log.execute("CREATE TABLE access_look (number INTEGER)")
    (data / "secret-key").write_text("a secret")
    url = f"sqlite:///{data}/events.sqlite3"
    with closing(open_store(url)) as store:
        store.create()
        say(store, 3)
        make_head(store, open_heads(url), PROPERTY, house_signing_key.signer(data))
    return settings(data)


@pytest.fixture
def night(house: Settings, tmp_path: Path) -> Path:
    """A backup of the house, with its keys in another folder."""
    make_backup(house, BackupPlan(folder=tmp_path / "night", keys=tmp_path / "night-keys"))
    return tmp_path / "night"


def empty(tmp_path: Path, **values: str) -> Settings:
    (tmp_path / "other").mkdir(exist_ok=True)
    return settings(tmp_path / "other", **values)


def refused(tmp_path: Path, night: Path, **values: str) -> str:
    """Return the error of a restore into an empty house. The house must stay empty."""
    house_settings = empty(tmp_path, **values)
    with pytest.raises(PitledgerError) as error:
        restore(house_settings, RestoreSource(folder=night, keys=Path(f"{night}-keys")), lambda line: None)
    remaining = {path.name for path in house_settings.data_folder.iterdir()} - {"run"}
    assert not remaining & {"events.sqlite3", "read.sqlite3", "access.sqlite3", "keys"}
    return str(error.value)


# --- backups ----------------------------------------------------------------------------------------------------------


def test_keys_and_databases_lie_apart(night: Path) -> None:
    assert {path.name for path in night.iterdir()} >= {"events.sqlite3", "read.sqlite3", "access.sqlite3"}
    assert not {"keys", "secret-key"} & {path.name for path in night.iterdir()}
    assert {"keys", "secret-key"} <= {path.name for path in Path(f"{night}-keys").iterdir()}
    private = (Path(f"{night}-keys") / "keys" / house_signing_key.PRIVATE).read_bytes()
    assert not [path for path in night.rglob("*") if path.is_file() and private in path.read_bytes()]


@pytest.mark.parametrize("name", ["events", "read", "access"])
def test_a_missing_database_makes_no_partial_backup(house: Settings, tmp_path: Path, name: str) -> None:
    (house.data_folder / f"{name}.sqlite3").rename(tmp_path / "away")
    with pytest.raises(Unknown, match="names another house"):
        make_backup(house, BackupPlan(folder=tmp_path / "night"))
    assert not list(tmp_path.glob("night*"))
    assert not (house.data_folder / f"{name}.sqlite3").exists()


def test_a_store_without_events_makes_no_backup(house: Settings, tmp_path: Path) -> None:
    (house.data_folder / "events.sqlite3").unlink()
    with closing(open_store(house.store)) as store:
        store.create()
    with pytest.raises(Unknown, match="holds no events"):
        make_backup(house, BackupPlan(folder=tmp_path / "night"))
    assert not list(tmp_path.glob("night*"))


def test_a_database_that_does_not_answer_is_named(
    house: Settings, tmp_path: Path, free_port: Callable[[], int]
) -> None:
    away = settings(house.data_folder, STORE=f"postgresql://nobody@127.0.0.1:{free_port()}/events")
    with pytest.raises(Retry, match=r"event store \(PITLEDGER_STORE\) cannot be read from here"):
        make_backup(away, BackupPlan(folder=tmp_path / "night"))
    assert not list(tmp_path.glob("night*"))


def test_a_machine_that_does_not_sign_makes_no_backup_with_keys(house: Settings, tmp_path: Path) -> None:
    house_signing_key.keys_folder(house.data_folder).rename(tmp_path / "elsewhere")
    with pytest.raises(Conflict, match="signed elsewhere"):
        make_backup(house, BackupPlan(folder=tmp_path / "night"))
    assert make_backup(house, BackupPlan(folder=tmp_path / "night", without_keys=True)).keys == "none"


def test_a_disk_that_is_too_small_is_seen_first(
    house: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complete_backup_folder_creation, "SPARE_BYTES", 1 << 60)
    with pytest.raises(Conflict, match="Make room"):
        make_backup(house, BackupPlan(folder=tmp_path / "night"))
    assert not list(tmp_path.glob("night*"))


def test_keys_inside_of_the_backup_are_not_apart(house: Settings, tmp_path: Path) -> None:
    with pytest.raises(Conflict, match="lies in the folder of the backup"):
        make_backup(house, BackupPlan(folder=tmp_path / "night", keys=tmp_path / "night" / "keys"))


def _dies_after(count: int, copy_file: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    left = [count]

    def copy(path: Path, to: Path) -> None:
        if not left[0]:
            os._exit(9)
        left[0] -= 1
        copy_file(path, to)

    return copy


def test_a_killed_backup_leaves_nothing_that_looks_whole(
    house: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at each copy in turn: a folder of another name without a manifest, which the next backup deletes."""
    copy_file = snapshot_copies_of_databases.copy_file
    for number in range(3):
        if (pid := os.fork()) == 0:
            monkeypatch.setattr(snapshot_copies_of_databases, "copy_file", _dies_after(number, copy_file))
            make_backup(house, BackupPlan(folder=tmp_path / "night"))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
        assert not (tmp_path / "night").exists()
        assert not (tmp_path / "night.part" / backup_manifest.NAME).exists()
        with pytest.raises(Invalid, match="no complete backup"):
            backup_manifest.read_manifest(tmp_path / "night.part")
    make_backup(house, BackupPlan(folder=tmp_path / "night"))
    assert not (tmp_path / "night.part").exists()


# --- restores ---------------------------------------------------------------------------------------------------------


def test_the_first_file_that_is_not_as_it_was_is_named(tmp_path: Path, night: Path) -> None:
    for path in sorted(
        path for path in night.iterdir() if path.name not in (backup_manifest.NAME, backup_manifest.DIGEST)
    ):
        whole = path.read_bytes()
        for changed, word in ((whole[:-1], "bytes instead of"), (bytes([whole[0] ^ 1]) + whole[1:], "SHA-256 differs")):
            path.write_bytes(changed)
            text = refused(tmp_path, night)
            assert str(path) in text
            assert word in text
        path.unlink()
        assert f"{path} is missing" in refused(tmp_path, night)
        path.write_bytes(whole)


def test_a_changed_manifest_is_refused(tmp_path: Path, night: Path) -> None:
    path = night / backup_manifest.NAME
    path.write_text(path.read_text().replace('"position": 3', '"position": 2'))
    assert backup_manifest.NAME in refused(tmp_path, night)


def test_a_file_too_many_is_named(tmp_path: Path, night: Path) -> None:
    (night / "more.sqlite3").write_text("")
    assert "more.sqlite3 is not part of this backup" in refused(tmp_path, night)


def test_the_keys_of_another_backup_are_refused(house: Settings, tmp_path: Path, night: Path) -> None:
    make_backup(house, BackupPlan(folder=tmp_path / "later", keys=tmp_path / "later-keys"))
    Path(f"{night}-keys").rename(tmp_path / "aside")
    (tmp_path / "later-keys").rename(f"{night}-keys")
    assert "the keys of another backup" in refused(tmp_path, night)


def test_another_property_is_refused(tmp_path: Path, night: Path) -> None:
    assert "PITLEDGER_PROPERTY" in refused(tmp_path, night, PROPERTY="corfu")


def test_files_are_not_restored_into_postgresql(tmp_path: Path, night: Path) -> None:
    text = refused(tmp_path, night, STORE="postgresql://nobody@127.0.0.1:1/events")
    assert "the backup holds the event store of SQLite, this house has PostgreSQL" in text


def test_keys_that_lie_apart_must_be_named(tmp_path: Path, night: Path) -> None:
    with pytest.raises(Invalid, match="--without-keys"):
        restore(empty(tmp_path), RestoreSource(folder=night), lambda line: None)


def test_a_house_that_is_not_empty_is_left_as_it_is(house: Settings, night: Path) -> None:
    files = [path for path in house.data_folder.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files if not path.name.endswith(("-wal", "-shm"))}
    with pytest.raises(Conflict, match="this house is not empty: pitledger_events in PITLEDGER_STORE"):
        restore(house, RestoreSource(folder=night, keys=Path(f"{night}-keys")), lambda line: None)
    assert {path: path.read_bytes() for path in before} == before
