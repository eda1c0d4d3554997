"""A thousand rounds of each game, drawn with a seed: `python -m tests.chance` plays a million."""

import pytest

from tests.chance.random_rounds_by_game import GAMES
from tests.chance.win_against_theory import held

ROUNDS_BY_GAME = {"blazing7s": 20_000}  # three sevens, most of its spread, come once in 3,165 deals


@pytest.mark.parametrize("game", GAMES)
def test_play_comes_to_what_luck_says_and_spreads_as_it_says(game: str) -> None:
    play = held(game, ROUNDS_BY_GAME.get(game, 1_000), 11)
    assert abs(play.sum_off) < 4
    assert abs(play.spread_off) < 4
