"""Blazing 7's, declared: no game of its own at a table, but a bet of blackjack's."""

from pathlib import Path

from events.games.blazing7s import json_case_settlement, par, result_explanations
from events.games.blazing7s.rules import LEVELS, classify, rules
from events.rules.game_declaration_and_registry import Game, ProgressiveHands

GAME = Game(
    name="blazing7s",
    folder=Path(__file__).parent,
    rules=rules,
    cases=json_case_settlement.kinds,
    explain=result_explanations.EXPLAIN,
    edges=par.edges,
    lines=par.lines,
    for_packs=par.for_packs,
    supposing=par.what_if_sheet,
    hands=ProgressiveHands(LEVELS, classify),
)
