"""Rounds of a game against their theory: the theoretical win and the variance."""

import math
from random import Random
from typing import NamedTuple

from tests.chance.random_rounds_by_game import GAMES


class WinAgainstTheory(NamedTuple):
    """The actual and the theoretical win of a number of rounds, with two differences in standard errors.

    `sum_off` is the difference of the win, `spread_off` the difference of its variance.
    """

    game: str
    rounds: int
    won: float
    theory: float
    sum_off: float
    spread_off: float


def held(game: str, rounds: int, seed: int) -> WinAgainstTheory:
    """Play them. Right figures are off by more than four once in ten thousand times."""
    random, play = Random(seed), GAMES[game]
    won = theory = variance = apart = squares = fourths = 0.0
    for _ in range(rounds):
        round_ = play(random)
        off = (round_.won - round_.theory) ** 2 - round_.variance
        won, theory, variance = won + round_.won, theory + round_.theory, variance + round_.variance
        apart, squares, fourths = apart + round_.won - round_.theory, squares + off, fourths + off * off
    return WinAgainstTheory(game, rounds, won, theory, apart / math.sqrt(variance), squares / math.sqrt(fourths))
