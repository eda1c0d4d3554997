"""Shared parts of the tests of actual vs theoretical: a table, its bets, and a spin of its wheel."""

from typing import Any

from events.games.roulette import bet_results_per_outcome as spins
from events.games.roulette.event_types import BallLanded
from events.luck.tails import Odds
from events.rules.bet_outcome_chance_structs import ChanceDecision, joint
from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.tables.table_session_state_structs import Bet, Session

WHERE: dict[str, Any] = {"pit": "main", "table": "T1", "gaming_day": "2026-11-20", "shift": "day", "ruleset": ""}


def session(ruleset: str) -> Session:
    return Session(
        stream="",
        table="T1",
        pit="main",
        game="",
        plays=taken_ruleset(ruleset),
        currency="EUR",
        gaming_day="2026-11-20",
    )


def laid(*bets: Bet) -> dict[str, Bet]:
    return {bet.id: bet for bet in bets}


def spin(*bets: Bet, ruleset: str = "roulette-american", number: int = 0) -> ChanceDecision:
    return spins.decision(session(ruleset), BallLanded(**WHERE, number=number, colour="green"), laid(*bets))


def odds_of(decision: ChanceDecision) -> Odds:
    return tuple(sorted(joint(decision, decision.risks).items()))
