"""Every settlement sample, played at live tables."""

import json
from pathlib import Path
from typing import Any

import pytest

from events.games import cases
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import game_of
from tests.live.generate import MAKERS
from tests.live.playable_case_kinds import ELSEWHERE, PLAYERS
from tests.live.playing_and_comparing_cases import close_tables, house, play

FOLDER = Path(__file__).parents[1] / "data" / "cases"


def samples() -> list[dict[str, Any]]:
    lines = (line for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines())
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("unit", [100, 2])  # amounts that are whole, and some that are rounded
def test_a_table_answers_every_sample_as_settle_does(unit: int) -> None:
    at_tables = [case for case in samples() if (game_of(case["ruleset"]), case["given"]["kind"]) not in ELSEWHERE]
    with house() as floor:
        played = play(floor, at_tables, unit)
        close_tables(floor)
    assert not played.failures, "\n".join(map(str, played.failures))
    assert sum(played.unreachable.values()) <= 1
    assert sum(played.agree.values()) >= len(at_tables) - 1 > 150


def test_every_kind_of_every_ruleset_is_played_or_it_is_written_why_not() -> None:
    for ruleset in loading_and_pinning_rulesets.names():
        game = game_of(ruleset)
        elsewhere = {kind for of, kind in ELSEWHERE if of == game}
        played = set(PLAYERS[game])
        assert not played & elsewhere
        assert set(cases.kinds(ruleset)) <= played | elsewhere, ruleset
    assert all(ELSEWHERE.values())


def test_cases_of_every_kind_that_is_played_are_made() -> None:
    for ruleset in (
        "craps-gr",
        "craps-by",
        "roulette-american",
        "roulette-french",
        "baccarat",
        "blackjack-trilux",
        "blazing7s",
    ):
        kinds = set(cases.kinds(ruleset)) & set(PLAYERS[game_of(ruleset)])
        assert kinds <= {kind for name, kind in MAKERS if name == ruleset}
