"""`./manage.py par`: a sheet for people, for programs and for pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from events.rules import loading_and_pinning_rulesets
from tools.documents.par_sheet_pages import shipped


def sheet(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("par", *arguments)
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    sheet_: dict[str, Any] = json.loads(sheet(capsys, *arguments, "--json"))
    return sheet_


@pytest.mark.parametrize("ruleset", shipped())
def test_every_ruleset_has_its_sheet(ruleset: str, capsys: pytest.CaptureFixture[str]) -> None:
    sheet_ = as_json(capsys, ruleset)
    assert sheet_["ruleset"] == ruleset
    assert sheet_["edges"]
    assert all(isinstance(edge["edge"], int | str) for edge in sheet_["edges"])


def test_fraction_and_per_cent(capsys: pytest.CaptureFixture[str]) -> None:
    line = next(line for line in sheet(capsys, "craps-gr").splitlines() if line.startswith("pass "))
    assert line.split() == ["pass", "stake", "1.4141", "%", "7/495", "49.2929", "%"]


def test_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = sheet(capsys, "craps-gr", "--markdown")
    assert "| pass |  | stake | 1.4141 % | 7/495 | 49.2929 % |" in page
    assert "## Comparison with published figures" in page
    assert "DIFFERS" not in page


def test_other_settings_of_a_progressive(capsys: pytest.CaptureFixture[str]) -> None:
    changed = ["--feed", "mega=12%", "--reserve", "mega=0", "--seed", "minor=100000", "--stakes", "300", "600"]
    changed += [
        "--withhold",
        "1/5",
        "--bets-a-round",
        "3.5",
        "--high-share",
        "0.25",
        "--envy-to-winner",
        "--basis",
        "for",
    ]
    sheet_ = as_json(capsys, "blazing7s", "--packs", "6", *changed)
    lines = {line["label"]: line for line in sheet_["lines"]}
    assert lines["6 packs: mega meter"]["share"] == "3/25"
    assert "6 packs: mega reserve" not in lines
    assert "20.00 %" in lines["6 packs: house"]["note"]
    assert "7/2 bets a round" in lines["6 packs: envy"]["note"]
    assert [edge["condition"] for edge in sheet_["edges"]] == ["6 packs, fixed pays for 1"]


def test_a_what_if_is_not_held_against_published_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert "published" not in sheet(capsys, "blazing7s", "--markdown", "--packs", "5")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bingo"],
        ["craps-gr", "--packs", "6"],
        ["blazing7s", "--packs", "9"],
        ["blazing7s", "--feed", "grand=1%"],
        ["blazing7s", "--feed", "mega=x"],
        ["blazing7s", "--feed", "mega=200%"],
        ["blazing7s", "--seed", "mega=-5"],
        ["blazing7s", "--bets-a-round", "1/0"],
        ["roulette-french", "--withhold", "10%"],
    ],
)
def test_what_does_not_exist(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError):
        sheet(capsys, *arguments)


def test_a_casino_s_own_ruleset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = json.loads(loading_and_pinning_rulesets.shipped()["roulette-american"].read_text())
    own["name"], own["payouts"]["straight"] = "roulette-ours", 36
    (tmp_path / "roulette-ours.json").write_text(json.dumps(own))
    monkeypatch.setenv("PITLEDGER_RULESETS", str(tmp_path))
    edges = {edge["bet"]: edge["edge"] for edge in as_json(capsys, "roulette-ours")["edges"]}
    assert edges["straight"] == 0
    assert "roulette-ours" not in shipped()
