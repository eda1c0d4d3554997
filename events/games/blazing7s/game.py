"""Blazing 7's, declared: no game of its own at a table, but a bet of blackjack's."""

from pathlib import Path

from events.game import Game, Hands
from events.games.blazing7s import cases, clauses, par, supposing
from events.games.blazing7s.rules import LEVELS, classify, rules

GAME = Game(
    name="blazing7s",
    folder=Path(__file__).parent,
    rules=rules,
    cases=cases.kinds,
    explain=clauses.EXPLAIN,
    edges=par.edges,
    lines=par.lines,
    for_packs=supposing.for_packs,
    supposing=supposing.supposing,
    hands=Hands(LEVELS, classify),
)
