"""Measures of a person's rounds, each with its interval and its probability; and the correction for all comparisons.

Nothing is ranked. Results are compared with theory. Pace and errors are compared with the colleagues at the same game
in the same period, void rounds as in the alert. The page states the number of all comparisons.
"""

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

from backoffice.surveillance.person_results.period_totals import Sums, sums_of_others, total_sums
from events.luck.intervals_and_tail_probabilities import (
    ENOUGH,
    Interval,
    drawn_chance,
    holm,
    mean_interval,
    means_chance,
    rate_interval,
    share_chance,
)

ENOUGH_FOR_VOIDS = 50  # rounds: as the alert for void rates
PER = 1_000  # rounds of a rate
ErrorKind = Literal["mispays", "misdeals", "corrections", "irregularities"]
ERRORS: tuple[ErrorKind, ...] = get_args(ErrorKind)
Measure = Literal["result", "pace", "mispays", "misdeals", "corrections", "irregularities", "voids"]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A measure with its interval of 95 %, and the figure that it is compared with.

    `chance`: of a difference as large or larger by chance; `corrected`: the same for all comparisons on the page. Both
    are null where the sample is too small.
    """

    measure: Measure
    count: int
    value: float | None
    low: float | None = None
    high: float | None = None
    against: float | None = None
    chance: float | None = None
    corrected: float | None = None

    @property
    def only(self) -> str:
        """Return the filter of the rounds that it counts."""
        return {"result": "decisions", "pace": "timed"}.get(self.measure, self.measure)

    @property
    def beyond(self) -> float | None:
        """Return the value less the figure that it is compared with."""
        return None if self.value is None or self.against is None else self.value - self.against

    @property
    def span(self) -> tuple[float, float]:
        """Return the interval as differences from the figure that it is compared with."""
        against = self.against or 0.0
        return (self.low or 0.0) - against, (self.high or 0.0) - against

    @property
    def is_judged(self) -> bool:
        """Return whether the sample is large enough for an interval."""
        return self.low is not None and self.high is not None

    @property
    def is_rare(self) -> bool:
        """Return whether the difference is rarer than one in twenty, with all comparisons."""
        return self.corrected is not None and self.corrected < 0.05


# The summed columns that a measure of everybody reads; of players only those of their pace and mispays are compared.
COMPARED = (
    *("rounds", "voids", *ERRORS, "timed", "seconds", "seconds_squared"),
    *("decisions", "decided_minor", "theory_micro", "variance", "third"),
)
COMPARED_OF_PLAYERS = ("rounds", "mispays", "timed", "seconds", "seconds_squared", "decisions")


class MeasureComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of every person, and how many comparisons were made of them."""

    comparisons: int
    people: dict[str, tuple[Judged, ...]]


def compare_measures(sums: Mapping[str, Sums]) -> MeasureComparison:
    """Return the measures of everybody at one game, with the correction for all of them (Holm)."""
    everybody = total_sums(sums.values())
    judged = {person: measures(own, sums_of_others(everybody, own), everybody) for person, own in sums.items()}
    chances = {
        (person, comparison.measure): comparison.chance
        for person, listed in judged.items()
        for comparison in listed
        if comparison.chance is not None
    }
    corrected = holm(chances)
    people = {
        person: tuple(
            msgspec.structs.replace(comparison, corrected=corrected.get((person, comparison.measure)))
            for comparison in judged[person]
        )
        for person in sorted(judged)
    }
    return MeasureComparison(comparisons=len(chances), people=people)


def measures(own: Sums, colleagues: Sums, everybody: Sums) -> tuple[Judged, ...]:
    """Return all measures of a person's rounds."""
    errors = tuple(error_rate(kind, own, colleagues) for kind in ERRORS)
    return (result(own), pace(own, colleagues), *errors, voids(own, colleagues, everybody))


def result(own: Sums, sign: int = 1) -> Judged:
    """Return the result of the decisions against theory: for the house, or with `sign` -1 for the player.

    `low` and `high` hold the result in 95 of 100 such periods, where only chance decides.
    """
    spread = own.spread
    value, theory = sign * own.decided_minor, sign * spread.mean
    if not spread.is_enough:
        return Judged(measure="result", count=own.decisions, value=value, against=theory)
    ends = _signed(spread.interval(), sign)
    chance = spread.chance(own.decided_minor)
    return Judged(
        measure="result",
        count=own.decisions,
        value=value,
        low=ends.low,
        high=ends.high,
        against=theory,
        chance=chance,
    )


def pace(own: Sums, colleagues: Sums) -> Judged:
    """Return the rounds an hour, against the colleagues' at the same game."""
    value, against = own.rounds_an_hour, colleagues.rounds_an_hour
    if value is None or own.timed < ENOUGH:
        return Judged(measure="pace", count=own.timed, value=value, against=against)
    ends = mean_interval(own.timed, own.seconds, own.seconds_squared)
    chance = None
    if colleagues.timed >= ENOUGH:
        chance = means_chance(_timed_measures(own), _timed_measures(colleagues))
    return Judged(
        measure="pace",
        count=own.timed,
        value=value,
        low=3600 / ends.high if ends.high > 0 else None,
        high=3600 / ends.low if ends.low > 0 else None,
        against=against,
        chance=chance,
    )


def error_rate(kind: ErrorKind, own: Sums, colleagues: Sums) -> Judged:
    """Return the errors of a kind in 1,000 rounds, against the colleagues' at the same game."""
    count, colleagues_count = getattr(own, kind), getattr(colleagues, kind)
    chance = None
    if min(own.rounds, colleagues.rounds) >= ENOUGH:
        chance = share_chance(count, count + colleagues_count, own.rounds / (own.rounds + colleagues.rounds))
    return _rate(kind, (count, own.rounds), (colleagues_count, colleagues.rounds), chance)


def voids(own: Sums, colleagues: Sums, everybody: Sums) -> Judged:
    """Return the void rounds in 1,000; the chance of so many or more among all rounds, as the alert counts it."""
    chance = None
    if own.rounds >= ENOUGH_FOR_VOIDS and colleagues.rounds:
        chance = drawn_chance(everybody.rounds, everybody.voids, own.rounds, own.voids)
    return _rate("voids", (own.voids, own.rounds), (colleagues.voids, colleagues.rounds), chance)


def _rate(measure: Measure, own: tuple[int, int], colleagues: tuple[int, int], chance: float | None) -> Judged:
    """Return a rate in 1,000 rounds: `own` and `colleagues` are the events and the rounds that they are among."""
    count, rounds = own
    if not rounds:
        return Judged(measure=measure, count=count, value=None)
    ends = _rate_ends(count, rounds)
    against = colleagues[0] * PER / colleagues[1] if colleagues[1] else None
    value = count * PER / rounds
    return Judged(
        measure=measure, count=count, value=value, low=ends.low, high=ends.high, against=against, chance=chance
    )


def _rate_ends(count: int, rounds: int) -> Interval:
    """Return the interval of a rate in 1,000 rounds: at most 1,000, unless some rounds were counted more than once."""
    ends = rate_interval(count, rounds / PER)
    return ends if count > rounds else Interval(ends.low, min(ends.high, PER))


def _timed_measures(sums: Sums) -> tuple[float, float, float]:
    return sums.timed, sums.seconds, sums.seconds_squared


def _signed(ends: Interval, sign: int) -> Interval:
    return ends if sign > 0 else Interval(-ends.high, -ends.low)
