"""The signer writes its last head beside the old one and renames it: a backup takes only what is whole."""

from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import call_command

from events.signing import keys
from events.store import open_store


def test_what_is_half_written_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, copy = tmp_path / "data", tmp_path / "night"
    data.mkdir()
    monkeypatch.setenv("PITLEDGER_DATA", str(data))
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{data}/events.sqlite3")
    monkeypatch.setenv("PITLEDGER_READ", f"sqlite:///{data}/read.sqlite3")
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{data}/access.sqlite3")
    with closing(open_store(f"sqlite:///{data}/events.sqlite3")) as store:
        store.create()
    folder = keys.keys_folder(data)
    folder.mkdir(exist_ok=True)
    (folder / "last-head.athens.json").write_text("{}")
    (folder / "last-head.athens.31150").write_text("{")
    call_command("backup", str(copy))
    assert [path.name for path in (copy / folder.name).iterdir()] == ["last-head.athens.json"]
