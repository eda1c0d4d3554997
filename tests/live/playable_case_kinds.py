"""The kinds of cases that are played at a table, and the reason for each other kind. Complete for every ruleset."""

from tests.live import baccarat, blackjack, blazing7s_cases, craps, roulette, shooter_cases
from tests.live.live_table import Player

PLAYERS: dict[str, dict[str, Player]] = {
    "craps": {**craps.PLAYERS, **shooter_cases.PLAYERS},
    "roulette": roulette.PLAYERS,
    "baccarat": baccarat.PLAYERS,
    "blackjack": blackjack.PLAYERS,
    "blazing7s": blazing7s_cases.PLAYERS,
}

# Not at a table: (game, kind) and the reason.
ELSEWHERE = {
    ("blazing7s", "withhold"): "a progressive's parameter: filed in `blazing7s_cases.withhold`",
    ("blazing7s", "progressive"): "the arithmetic of feeding and sharing alone, at rates that no progressive may have",
    ("blazing7s", "envy"): "several winners on meters of a progressive: among the timelines",
    ("blazing7s", "timeline"): "tables, people and a progressive: played by tests/integration/system/test_timelines.py",
}
