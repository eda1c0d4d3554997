"""Course of a table's win against its theory, decision by decision, with the expected spread."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

import msgspec

from events.luck.played_decisions_with_bet_results import PlayedDecision
from events.luck.win_against_theory import Weigh, lying, weighed
from events.rules.chance_declaration_types import MICRO


class CourseStep(msgspec.Struct, frozen=True, gc=False):
    """The state after a decision, with all earlier ones; in minor units."""

    won_minor: float
    theory_minor: float
    deviation_minor: float


def course(played: Iterable[PlayedDecision], weigh: Weigh = weighed) -> Iterator[CourseStep]:
    """A step a decision, in their order."""
    won, theory, variance = 0, Fraction(0), 0.0
    for played_decision in played:
        risks = played_decision.decision.risks
        _odds, mean, square = weigh(played_decision, risks)
        won += sum(played_decision.won.get(risk.bet, 0) for risk in risks)
        theory += mean - sum(lying(played_decision.decision, risk) for risk in risks)
        variance += float(square) / MICRO**2
        yield CourseStep(won / MICRO, float(theory) / MICRO, math.sqrt(variance))
