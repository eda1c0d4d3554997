"""Pairs: a person with the people of the same rounds, each with a probability.

A dealer with an inspector: of all errors of the dealer, those in the common rounds. They are binomial, by the share of
the dealer's rounds. A dealer with a player: the result of the common rounds against theory, and the number of common
gaming days. That is hypergeometric: the player's days are drawn from the days on which the game was dealt.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from backoffice.surveillance.person_results.measures_against_theory_and_colleagues import result
from backoffice.surveillance.person_results.period_totals import Sums
from events.luck.intervals_and_tail_probabilities import ENOUGH, drawn_chance, holm, share_chance

PairKind = Literal["inspector", "dealer", "player"]
SHOWN = 20  # partners, those with the most rounds
DAYS_MIN = 5  # gaming days of the game, before meetings are judged


class Meetings(msgspec.Struct, frozen=True, kw_only=True):
    """Gaming days: of the game, of the dealer, of the player, and those on which they met."""

    days: int
    dealer_days: int
    player_days: int
    together: int

    @property
    def chance(self) -> float | None:
        """Return the chance of so many meetings or more; None for too few days."""
        if self.days < DAYS_MIN:
            return None
        return drawn_chance(self.days, self.dealer_days, self.player_days, self.together)


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Rounds with one partner. Amounts are for the house on a dealer's page, for the player on a player's.

    The result is between `low_minor` and `high_minor` in 95 of 100 periods by chance. `chance` is that of a result, or
    of a share of errors, as far out. `meeting_chance` is that of so many common gaming days or more. Corrected ones
    count every pair of the list. `errors` are all errors together.
    """

    partner: str
    kind: PairKind
    game: str
    currency: str
    rounds: int
    result_minor: int
    theory_minor: int
    low_minor: int | None
    high_minor: int | None
    errors: int
    errors_per_1000: float | None
    chance: float | None
    corrected: float | None
    days_together: int | None = None
    meeting_chance: float | None = None
    meeting_corrected: float | None = None


def inspectors(groups: Mapping[tuple[Any, ...], Sums], own: Mapping[str, Sums]) -> tuple[Pair, ...]:
    """Return the pairs with inspectors, by (game, currency, inspector); `own` are the dealer's sums by game."""
    chances: dict[tuple[Any, ...], float | None] = {}
    for key, sums in groups.items():
        whole = own[key[0]]
        is_enough = sums.rounds >= ENOUGH and whole.rounds - sums.rounds >= ENOUGH
        chances[key] = share_chance(sums.errors, whole.errors, sums.rounds / whole.rounds) if is_enough else None
    return _pairs("inspector", groups, chances, {}, 1)


def partners(
    kind: PairKind, groups: Mapping[tuple[Any, ...], Sums], meetings: Mapping[tuple[Any, ...], Meetings], sign: int
) -> tuple[Pair, ...]:
    """Return the pairs of dealers and players, by (game, currency, partner)."""
    return _pairs(kind, groups, {key: result(sums).chance for key, sums in groups.items()}, meetings, sign)


def _pairs(
    kind: PairKind,
    groups: Mapping[tuple[Any, ...], Sums],
    chances: Mapping[tuple[Any, ...], float | None],
    meetings: Mapping[tuple[Any, ...], Meetings],
    sign: int,
) -> tuple[Pair, ...]:
    """Return the pairs with the most rounds first; every pair is corrected for all of them, shown or not."""
    corrected = holm({key: chance for key, chance in chances.items() if chance is not None})
    met = {key: chance for key, each in meetings.items() if (chance := each.chance) is not None}
    met_corrected = holm(met)
    keys = sorted(groups, key=lambda key: (-groups[key].rounds, key))[:SHOWN]
    return tuple(
        _pair(kind, key, groups[key], sign, (chances[key], corrected.get(key)), meetings.get(key), met_corrected)
        for key in keys
    )


def _pair(
    kind: PairKind,
    key: tuple[Any, ...],
    sums: Sums,
    sign: int,
    chances: tuple[float | None, float | None],
    meeting: Meetings | None,
    corrected_chances: Mapping[tuple[Any, ...], float],
) -> Pair:
    judged = result(sums, sign)
    return Pair(
        partner=key[2],
        kind=kind,
        game=key[0],
        currency=key[1],
        rounds=sums.rounds,
        result_minor=sign * sums.decided_minor,
        theory_minor=sign * sums.theory_minor,
        low_minor=None if judged.low is None else round(judged.low),
        high_minor=None if judged.high is None else round(judged.high),
        errors=sums.errors,
        errors_per_1000=sums.errors * 1_000 / sums.rounds if sums.rounds else None,
        chance=chances[0],
        corrected=chances[1],
        days_together=None if meeting is None else meeting.together,
        meeting_chance=None if meeting is None else meeting.chance,
        meeting_corrected=corrected_chances.get(key),
    )
