"""`whatif` on a store and on case files."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from events.store import open_store
from tests.support.houses.progressive_house import DAY, PROPERTY, Casino
from tests.support.records.progressive_timeline_recorder import CASES


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a hit in a store in a file."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    monkeypatch.delenv("PITLEDGER_STORE", raising=False)
    casino = Casino(open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}"))
    hits = casino.play("BJ1", hits=((1, "mega"), (2, "mega")))
    casino.reconcile()
    casino.close()
    return hits[0]


def test_a_past_day_under_another_policy_and_rate(played: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("whatif", "--day", DAY, "--policy", "full-each", "--level", "mega", "--feed", "0.12", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["levels"]["mega"]["fed"] == {"is": 150, "would": 180, "difference": 30}
    assert report["hits"][played]["share"] == {"is": 2_500_075, "would": 5_000_180, "difference": 2_500_105}
    call_command("whatif", "--set", "minor.seed=10000", "--set", "minor.cap=none")
    output = capsys.readouterr().out
    assert "mega: nothing differs" in output
    assert "in all: nothing differs" in output
    assert f"{played} mega" not in output
    call_command("whatif", "--set", "minor.seed=10000", "--all")
    assert f"{played} mega" in capsys.readouterr().out


def test_what_is_changed_and_what_differs_is_said_as_money(played: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("whatif", "--set", "mega.feed=12%", "--set", "mega.seed=1000000", "--set", "mega.cap=4000000")
    lines_ = {tuple(line.rsplit(maxsplit=3)) for line in capsys.readouterr().out.splitlines()[1:]}
    lines = [" ".join(" ".join(parts).split()) for parts in lines_]
    assert {"mega.feed 10 % 12 %", "mega.seed 25,000.00 10,000.00", "mega.cap none 40,000.00"} < set(lines)
    assert "contributions 1.50 1.80 +0.30" in lines
    assert "paid from the meter 50,001.50 40,000.00 -10,001.50" in lines
    assert f"{played} mega 25,000.75 20,000.00 -5,000.75" in lines
    assert not any(line.endswith("=") for line in lines), "what stays as it is is left out"


def test_the_change_is_part_of_the_json(played: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("whatif", "--level", "major", "--feed", "1/32", "--policy", "sequential", "--json")
    change = json.loads(capsys.readouterr().out)["change"]
    assert change["major.feed"] == {"is": "4 %", "would": "3.125 %"}
    assert change["policy"] == {"is": "split", "would": "sequential"}


def test_timelines_of_a_case_file(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("whatif", "--cases", str(CASES), "--policy", "sequential", "--json")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 10
    answers = [json.loads(line) for line in lines]
    assert all(answer["total"]["fed"]["difference"] == 0 for answer in answers if "error" not in answer)
    assert any("error" in answer for answer in answers), "a case that is wrong by itself says so and stops nothing"
    case_id = json.loads(lines[0])["of"]
    call_command("whatif", "--cases", str(CASES), "--case", case_id, "--policy", "split")
    assert capsys.readouterr().out.startswith(f"{case_id}: as it is")


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--feed", "0.1"],
        ["--set", "mega.size=1"],
        ["--set", "mega.feed=much"],
        ["--set", "mega.seed=1/2"],
        ["--set", "mega.seed=25000.00"],
        ["--set", "mega=3"],
        ["--set", "mega.feed="],
        ["--set", "mega.feed=0.2"],
        ["--set", "giga.seed=1"],
        ["--day", "2020-01-01", "--policy", "split"],
        ["--progressive", "other", "--policy", "split"],
        ["--cases", "no-such-file", "--policy", "split"],
        ["--cases", str(CASES), "--case", "no-such-case", "--policy", "split"],
    ],
)
@pytest.mark.usefixtures("played")
def test_what_cannot_be_understood_is_said(options: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("whatif", *options)
