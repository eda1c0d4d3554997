"""Exact odds of the big six: each bet settled on each place of the wheel."""

from fractions import Fraction

from events.games.par import Edge
from events.rules.taken_ruleset_version_struct import Numbers
from tests.toys.bigsix.rules import profit, rules


def edges(ruleset: Numbers) -> list[Edge]:
    """The edge of every bet. Raises Unknown."""
    game = rules(ruleset)
    places = sum(game.wheel.values())
    return [
        Edge(
            game.name,
            bet,
            Fraction(-sum(count * profit(game, symbol, bet, 1) for symbol, count in game.wheel.items()), places),
            Fraction(game.wheel[bet], places),
        )
        for bet in game.pays
    ]
