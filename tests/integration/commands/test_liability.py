"""`liability` on a store, and `soak`."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from events.progressives import actions as a
from events.store import open_store
from tests.casino import PROPERTY, Casino


@pytest.fixture
def casino(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Casino:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    monkeypatch.delenv("PITLEDGER_STORE", raising=False)
    return Casino(open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}"))


def test_a_funded_progressive(casino: Casino, capsys: pytest.CaptureFixture[str]) -> None:
    casino.play("BJ1")
    casino.arm("BJ2", (1, "ann", 700))
    casino.close()
    call_command("liability")
    said = capsys.readouterr().out
    assert "funded" in said
    assert "SHORT" not in said
    assert "does not fit" in said


def test_one_that_is_short_ends_with_1(casino: Casino, capsys: pytest.CaptureFixture[str]) -> None:
    casino.play("BJ1", hits=((1, "major"),))
    number = casino.arm("BJ1", (1, "ann", 500))
    casino.hit("BJ1", number, 1)
    casino.ask(a.ReadMeter(level="mega", read_minor=0), "anna")
    casino.reconcile()
    casino.close()
    with pytest.raises(CommandError) as ended:
        call_command("liability")
    assert ended.value.returncode == 1
    said = capsys.readouterr().out
    assert "SHORT by 4,999.8" in said
    assert "waiting: mega for athens/tables/BJ1" in said
    assert "variance open: mega-1" in said
    with pytest.raises(CommandError):
        call_command("liability", "--json", "--progressive", "blazing")
    found = json.loads(capsys.readouterr().out)
    assert (found[0]["is_short"], found[0]["odds"][1]["observed"]) == (True, 1)


def test_there_is_nothing_to_tell_of_what_is_not_there(casino: Casino) -> None:
    casino.close()
    with pytest.raises(CommandError):
        call_command("liability", "--progressive", "other")


def test_soak_plays_the_days_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("soak", "--seed", "4")
    call_command("soak", "--seed", "5", "--sqlite")
    assert capsys.readouterr().out.count("1 days") == 2
