"""Actual win, theoretical win, and the probability of the difference, by table, game, pit, dealer, player or kind of
bet.

The bets are taken as laid: raising stakes after a loss changes the chances of a night, and not those of any decision. A
lasting bet is counted with its value while it is on the layout. So `theory` is that of the decided bets, and of the
changes of those on the layout. `course` gives both wins decision by decision, for a chart.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import msgspec

from events.luck.played_decisions_with_bet_results import PlayedDecision, scopes
from events.luck.tails import LuckTails, Odds, tail
from events.rules.bet_outcome_chance_structs import MICRO, Basis, ChanceDecision, Risk, joint

Weighed = tuple[Odds, Fraction, Fraction]  # outcomes of bets decided together, their mean, their variance
Weigh = Callable[[PlayedDecision, Sequence[Risk]], Weighed]


class Luck(msgspec.Struct, frozen=True, kw_only=True):
    """One line. Amounts in minor units; `theory_micro` in millionths, rounded; `deviation_minor` is the standard one.

    `handle_minor` counts a stake in each decision that decided or moved it. `basis`: the loosest of its decisions.
    """

    name: str
    decisions: int
    bets: int
    handle_minor: int
    win_minor: int
    theory_micro: int
    variance_minor2: float
    deviation_minor: float
    tail: LuckTails
    basis: Basis


class _Sum:
    """Sums of one line while they are collected."""

    def __init__(self) -> None:
        self.odds: Counter[Odds] = Counter()
        self.bets = self.handle = self.won = self.came = 0
        self.theory = self.variance = Fraction(0)
        self.basis: Basis = "exact"

    def take(self, played_decision: PlayedDecision, risks: list[Risk], weigh: Weigh) -> None:
        """Add one more decision, with those of its bets that belong here."""
        odds, mean, variance = weigh(played_decision, risks)
        lies = sum(lying_value(played_decision.decision, risk) for risk in risks)
        won = sum(played_decision.won.get(risk.bet, 0) for risk in risks)
        self.odds[odds] += 1
        self.bets += len(risks)
        self.handle += sum(risk.stake for risk in risks)
        self.won += won
        self.came += won + lies
        self.theory += mean - lies
        self.variance += variance
        self.basis = max(self.basis, played_decision.decision.basis, key=_LOOSER.index)

    def line(self, name: str) -> Luck:
        """Return the finished line."""
        variance = float(self.variance / MICRO**2)
        return Luck(
            name=name,
            decisions=self.odds.total(),
            bets=self.bets,
            handle_minor=self.handle,
            win_minor=self.won // MICRO,
            theory_micro=round(self.theory),
            variance_minor2=variance,
            deviation_minor=math.sqrt(variance),
            tail=tail(self.odds, self.came),
            basis=self.basis,
        )


_LOOSER: tuple[Basis, ...] = ("exact", "throw by throw", "estimate")


class Weights:
    """The joint outcomes of decisions, computed once for every line and course that takes a decision whole.

    A decision is known by its identity, so it is held here: the identity of one that is gone goes to another.
    """

    def __init__(self) -> None:
        self._weighed_by_decision: dict[int, tuple[PlayedDecision, Weighed]] = {}

    def outcomes(self, played_decision: PlayedDecision, risks: Sequence[Risk]) -> Weighed:
        """Return the outcomes of these bets of a decision."""
        if len(risks) < len(played_decision.decision.risks):
            return weighed_results(played_decision, risks)
        key = id(played_decision)
        if key not in self._weighed_by_decision:
            self._weighed_by_decision[key] = played_decision, weighed_results(played_decision, risks)
        return self._weighed_by_decision[key][1]


def weighed_results(played_decision: PlayedDecision, risks: Sequence[Risk]) -> Weighed:
    """Return the results of these bets of a decision, each with its number of ways; the mean, and the variance."""
    ways = joint(played_decision.decision, risks)
    return tuple(sorted(ways.items())), *moments(ways)


def luck(played: Iterable[PlayedDecision], by: str, weigh: Weigh = weighed_results) -> list[Luck]:
    """A line for each table (game, pit, dealer, player, bet), by name."""
    by_name: dict[str, _Sum] = {}
    for played_decision in played:
        for name, risks in scopes(played_decision, by).items():
            by_name.setdefault(name, _Sum()).take(played_decision, risks, weigh)
    return [by_name[name].line(name) for name in sorted(by_name)]


def moments(ways: dict[int, int]) -> tuple[Fraction, Fraction]:
    """Mean and variance, exactly."""
    whole = sum(ways.values())
    mean = Fraction(sum(amount * times for amount, times in ways.items()), whole)
    square = Fraction(sum(amount * amount * times for amount, times in ways.items()), whole)
    return mean, square - mean * mean


def lying_value(decision: ChanceDecision, risk: Risk) -> int:
    """Return the value of the part of a bet that stays on the layout after this outcome."""
    return risk.lies[decision.case] if risk.lies and decision.case is not None else 0


class CourseStep(msgspec.Struct, frozen=True, gc=False):
    """The state after a decision, with all earlier ones; in minor units."""

    won_minor: float
    theory_minor: float
    deviation_minor: float


def result_course(played: Iterable[PlayedDecision], weigh: Weigh = weighed_results) -> Iterator[CourseStep]:
    """A step a decision, in their order."""
    won, theory, variance = 0, Fraction(0), 0.0
    for played_decision in played:
        risks = played_decision.decision.risks
        _odds, mean, square = weigh(played_decision, risks)
        won += sum(played_decision.won.get(risk.bet, 0) for risk in risks)
        theory += mean - sum(lying_value(played_decision.decision, risk) for risk in risks)
        variance += float(square) / MICRO**2
        yield CourseStep(won / MICRO, float(theory) / MICRO, math.sqrt(variance))
