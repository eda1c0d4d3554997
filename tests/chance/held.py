"""Rounds of a game against what luck says of them: its theory, and the spread around it."""

import math
from random import Random
from typing import NamedTuple

from tests.chance.games import GAMES


class Held(NamedTuple):
    """What so many rounds won, what they had to win, and both differences in standard errors: of the sum, and of the
    spread around it."""

    game: str
    rounds: int
    won: float
    theory: float
    sum_off: float
    spread_off: float


def held(game: str, rounds: int, seed: int) -> Held:
    """Play them. Right figures are off by more than four once in ten thousand times."""
    random, play = Random(seed), GAMES[game]
    won = theory = variance = apart = squares = fourths = 0.0
    for _ in range(rounds):
        one = play(random)
        off = (one.won - one.theory) ** 2 - one.variance
        won, theory, variance = won + one.won, theory + one.theory, variance + one.variance
        apart, squares, fourths = apart + one.won - one.theory, squares + off, fourths + off * off
    return Held(game, rounds, won, theory, apart / math.sqrt(variance), squares / math.sqrt(fourths))
