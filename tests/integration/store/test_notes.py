"""Notes in the access log's database: every process reads them, old files are imported, count keys are not plain."""

import threading
from pathlib import Path

import pytest

from events.errors import Retry
from events.settings.settings_from_environment import settings
from events.store import blind_count_keys
from events.store.named_notes_shared_by_processes import Notes

BOX = "athens/FR1/b-1/2026-11-20"
FIGURES = b'{"cash":120000}'


@pytest.fixture
def notes(shared_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Notes:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", shared_url)
    return Notes(settings().access)


def test_a_note_is_written_read_and_removed_without_a_table_made_before(notes: Notes) -> None:
    assert notes.read("witness") is None
    notes.write("witness", b"\x00first")
    notes.write("witness", b"second")
    assert notes.add("witness", b"third") == b"second"
    assert Notes(settings().access).read("witness") == b"second"
    notes.remove(["witness", "unknown"])
    assert notes.read("witness") is None
    notes.create()


def test_many_notes_are_read_by_their_names(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes.read_many(["key-1"]) == {}, "no table yet"
    for number in range(7):
        notes.write(f"key-{number}", b"%d" % number)
    monkeypatch.setattr("events.store.named_notes_shared_by_processes.NAMES_MAX", 2)
    assert notes.read_many([]) == {}
    assert notes.read_many(["key-1", "key_2", "key-%", "key-3", "key-5", "key-1"]) == {
        "key-1": b"1", "key-3": b"3", "key-5": b"5",
    }  # fmt: skip


def test_of_writers_at_once_the_first_wins(notes: Notes) -> None:
    won: list[bytes] = []
    threads = [threading.Thread(target=lambda n=n: won.append(notes.add("key", b"%d" % n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [notes.read("key")] * 8


def test_a_database_that_is_away_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Retry, match="The notes in the database of the access log"):
        Notes("postgresql://nobody@127.0.0.1:1/access").read("witness")


def test_the_key_of_a_count_is_never_stored_in_plain_and_opens_nothing_after_a_restore(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_SECRET_KEY", "a" * 64)
    sealed = blind_count_keys.sealed(BOX, FIGURES)
    assert blind_count_keys.is_kept(BOX)
    assert blind_count_keys.open_count(BOX, sealed) == FIGURES
    key = blind_count_keys._read(BOX)
    stored = notes.read(blind_count_keys._note_of(BOX))
    assert key is not None
    assert stored is not None
    assert key not in stored
    monkeypatch.setenv("PITLEDGER_SECRET_KEY", "b" * 64)  # a restored house has another key of the logins
    assert blind_count_keys.open_count(BOX, sealed) is None
    assert not blind_count_keys.is_kept(BOX)
    again = blind_count_keys.sealed(BOX, FIGURES)
    assert blind_count_keys.open_count(BOX, again) == FIGURES
    blind_count_keys.forget([BOX])
    assert blind_count_keys.open_count(BOX, again) is None


def test_the_file_of_an_earlier_version_is_carried_over_once(notes: Notes) -> None:
    path = blind_count_keys._file_of(BOX)
    path.parent.mkdir()
    path.write_bytes(b"k" * 64)
    sealed = blind_count_keys.sealed(BOX, FIGURES)
    assert not path.exists()
    assert blind_count_keys.open_count(BOX, sealed) == FIGURES
    assert blind_count_keys._read(BOX) == b"k" * 64
    path.write_bytes(b"k" * 64)
    blind_count_keys.forget([BOX])
    assert not path.exists(), "a settled count leaves no key anywhere"
