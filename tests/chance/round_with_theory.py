"""A round of any game: its table, its bets, and the theory of all bets together."""

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from events.luck.win_against_theory import moments
from events.rules.bet_outcome_chance_structs import MICRO, ChanceDecision, joint
from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.tables.table_session_state_structs import Bet, Session

PACK = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "SHDC"]

MeanAndVariance = tuple[float, float]  # what the house has to win, and the variance of that


class RoundWithTheory(NamedTuple):
    """The win, the theoretical win and its variance of one round, in units of the smallest stake."""

    won: float
    theory: float
    variance: float


Play = Callable[[Random], RoundWithTheory]


def session(ruleset: str) -> Session:
    """A table that plays by it."""
    return Session(
        stream="",
        table="T1",
        pit="main",
        game="",
        plays=taken_ruleset(ruleset),
        currency="EUR",
        gaming_day="2026-11-20",
    )


def mean_and_variance(decision: ChanceDecision) -> MeanAndVariance:
    """Return mean and variance of all bets of a decision together."""
    mean, variance = moments(joint(decision, decision.risks))
    return float(mean) / MICRO, float(variance) / MICRO**2


def laid(bets: Mapping[str, tuple[str, int]]) -> dict[str, Bet]:
    """Return bets by name, from their wagers and stakes."""
    return {name: Bet(name, wager, stake, "p") for name, (wager, stake) in bets.items()}
