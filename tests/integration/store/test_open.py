"""The store that each URL opens."""

from pathlib import Path

import pytest

from events.errors import Invalid
from events.store import open_store
from events.store.in_memory_store import MemoryStore
from events.store.sqlite import SQLiteStore


def test_the_default_is_a_file_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PITLEDGER_STORE", raising=False)
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    store = open_store()
    store.create()
    assert isinstance(store, SQLiteStore)
    assert (tmp_path / "data" / "events.sqlite3").exists()
    store.close()


def test_the_environment_names_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_STORE", "memory://")
    assert isinstance(open_store(), MemoryStore)


def test_a_path_may_be_relative_and_strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///a folder?/50%25 #1.sqlite3")
    store.create()
    assert (tmp_path / "a folder?" / "50% #1.sqlite3").exists()
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x",
        "postgresql://%zz",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "postgresql://h/d?sslmode=require",
    ],
)
def test_any_other_url_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="PITLEDGER_STORE"):
        open_store(url)
