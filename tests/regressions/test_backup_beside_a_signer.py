"""The signer works during a backup. The backup takes only complete heads that fit its databases."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.plugin import DjangoDbBlocker

from backoffice.access.access_log_end_for_heads import end_at
from backoffice.access.personal_data_access_log import SEARCH, access_log_extent, add
from backoffice.house import backup_records, snapshot_copies_of_databases
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Looked, decode
from events.integrity.signed_head_stores import open_heads
from events.signing import house_signing_key
from events.store import open_store
from tests.support.houses.small_house import PROPERTY
from tests.support.processes.scratch_databases import as_access_log, new_access_log
from tests.unit.integrity.test_heads import say


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker) -> Path:
    """A house's folder."""
    monkeypatch.setattr(backup_records, "begin_record", lambda folder, **values: None)  # its database is the tests'
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("PITLEDGER_DATA", str(data))
    for name, file in (("STORE", "events"), ("READ", "read"), ("ACCESS", "access")):
        monkeypatch.setenv(f"PITLEDGER_{name}", f"sqlite:///{data}/{file}.sqlite3")
    with closing(open_store(f"sqlite:///{data}/events.sqlite3")) as store:
        store.create()
        say(store, 1)
    with django_db_blocker.unblock():
        new_access_log(data)
    with closing(sqlite3.connect(data / "read.sqlite3")) as directory:
        directory.execute("CREATE TABLE directory (id TEXT)")
    house_signing_key.keys_folder(data).mkdir(exist_ok=True)
    return data


def test_what_is_half_written_is_not_copied(data: Path, tmp_path: Path) -> None:
    copy, folder = tmp_path / "night", house_signing_key.keys_folder(data)
    (folder / "last-head.athens.json").write_text("{}")
    (folder / "last-head.athens.31150").write_text("{")
    call_command("backup", str(copy))
    assert [path.name for path in (copy / folder.name).iterdir()] == ["last-head.athens.json"]


def test_who_looked_is_copied_as_far_as_the_heads_in_the_copy_say(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    """A person searches between two database copies, and a head includes the search.

    `verify` of the restored copy passes.
    """
    copy, store_url = snapshot_copies_of_databases.copy_file, f"sqlite:///{data}/events.sqlite3"

    def somebody_looks(path: Path, to: Path) -> None:
        add(SEARCH, "/events?q=", person="anna")
        with closing(open_store(store_url)) as store:
            say(store, 1)
            make_head(store, open_heads(store_url), PROPERTY, house_signing_key.signer(data), looked=access_log_extent)
        copy(path, to)

    monkeypatch.setattr(snapshot_copies_of_databases, "copy_file", somebody_looks)
    with django_db_blocker.unblock(), as_access_log(f"sqlite:///{data}/access.sqlite3"):
        call_command("backup", str(tmp_path / "night"))
    last = open_heads(f"sqlite:///{tmp_path}/night/events.sqlite3").last()
    assert last is not None
    signed_lines, copied = decode(last).looked, end_at(f"sqlite:///{tmp_path}/night/access.sqlite3")
    assert isinstance(signed_lines, Looked)
    assert copied is not None
    assert copied.lines >= signed_lines.lines > 0


def test_a_copy_that_found_no_room_leaves_nothing_behind(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, to: Path) -> None:
        to.write_bytes(b"half")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(snapshot_copies_of_databases, "copy_file", full)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(CommandError, match="nothing was copied: database or disk is full"):
        call_command("backup", str(tmp_path / "night"))
    assert sorted(tmp_path.iterdir()) == before
