"""The house's clock: the machine's, or a played one that all processes read from a file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from events.errors import Invalid
from events.runtime import clock
from events.store import open_store


def test_a_played_clock_that_stands(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("2026-11-20T18:00:00Z\n")
    assert clock.PlayedClock(tmp_path / "clock")() == "2026-11-20T18:00:00.000Z"


def test_a_played_clock_runs_on_and_never_back(tmp_path: Path) -> None:
    played = clock.start(tmp_path / "clock", "2026-11-20T18:00:00.000Z")
    first = played()
    assert "2026-11-20T18:00:00.000Z" <= first < "2026-11-20T18:01:00.000Z"
    played.advance("2026-11-20T20:15:00.000Z")
    assert "2026-11-20T20:15:00.000Z" <= played() < "2026-11-20T20:16:00.000Z"
    played.advance("2026-11-20T19:00:00.000Z")
    assert played() >= "2026-11-20T20:15:00.000Z"


def test_processes_share_it_by_the_file(tmp_path: Path) -> None:
    mine = clock.start(tmp_path / "clock", "2026-11-20T18:00:00.000Z")
    theirs = clock.PlayedClock(tmp_path / "clock")
    mine.advance("2026-11-21T01:00:00.000Z")
    assert theirs() >= "2026-11-21T01:00:00.000Z"


@pytest.mark.parametrize("text", ["", "now", "2026-11-20", "2026-02-30T18:00:00Z", "2026-11-20T18:00:00Z since noon"])
def test_what_is_no_clock(tmp_path: Path, text: str) -> None:
    (tmp_path / "clock").write_text(text)
    with pytest.raises(Invalid, match=r"^PITLEDGER_CLOCK: "):
        clock.PlayedClock(tmp_path / "clock")


def test_a_clock_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clock.SETTING, str(tmp_path / "none"))
    with pytest.raises(Invalid, match="No such file"):
        open_store("memory://")


def test_without_a_setting_it_is_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(clock.SETTING, raising=False)
    assert clock.house_clock() is clock.machine
    assert clock.machine() <= clock.event_time(clock.moment())


def store_urls(tmp_path: Path) -> list[str]:
    return ["memory://", f"sqlite:///{tmp_path / 'events.sqlite3'}"]


def test_every_store_has_the_clock_that_it_was_given(tmp_path: Path, new_database: Callable[[], str]) -> None:
    for url in [*store_urls(tmp_path), new_database()]:
        store = open_store(url, lambda: "2026-11-20T18:00:00.000Z")
        assert store.clock() == "2026-11-20T18:00:00.000Z"
        store.close()


def test_the_tests_live_in_their_own_night() -> None:
    assert clock.SETTING in os.environ
    assert open_store("memory://").clock().startswith("2026-11-2")


@pytest.mark.parametrize("since", ["nan", "inf", "-inf", "-1", "1e400", "soon"])
def test_a_clock_that_runs_from_no_moment_is_none(tmp_path: Path, since: str) -> None:
    (tmp_path / "clock").write_text(f"2026-11-20T23:00:00.000Z since {since}")
    with pytest.raises(Invalid):
        clock.PlayedClock(tmp_path / "clock")
