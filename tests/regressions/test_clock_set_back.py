"""A clock that is set back hides no heads and no lines of the access log from readers that continue."""

from pathlib import Path

import pytest

from tests.restores.conftest import place
from tests.restores.house_with_losable_parts import LosableHouse
from tests.support.processes.scratch_databases import new_access_log

__all__ = ["place"]  # the fixture, on files and on servers


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The house's, in a file."""
    path = tmp_path / "clock"
    path.write_text("2026-11-21T02:00:00.000Z")
    monkeypatch.setenv("PITLEDGER_CLOCK", str(path))
    return path


def test_who_looked_is_given_up_though_the_heads_are_of_later(place: LosableHouse, clock: Path, tmp_path: Path) -> None:
    place.looks()
    place.plays()
    place.goes_on()
    (place.data / "access.sqlite3").unlink()
    new_access_log(place.data)
    clock.write_text("2026-11-21T01:00:00.000Z")
    place.manage("access-log", "--accept-restored", "0")
    assert place.manage("verify", "--no-read-models").rstrip().endswith("Everything holds.")


def test_an_older_store_is_accepted_though_the_topics_heads_are_of_later(place: LosableHouse, clock: Path) -> None:
    backup = place.keep()
    place.plays()
    place.goes_on()
    place.restore(backup)
    clock.write_text("2026-11-21T01:00:00.000Z")
    place.manage("relay", "--empty-topic")
    place.manage("heads", "--accept-restored", "1")
    assert place.manage("verify", "--no-read-models").rstrip().endswith("Everything holds.")
