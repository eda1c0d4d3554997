"""Chances of bets on one layout: one spin, one coup, one throw, one deal decides all of them.

A game computes them with the functions that settle its bets (`Game.chances`); their reader (`events/luck`) depends on
no game.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from events.envelope import EventData
from events.rules.exact_amount_parsing import Amount

MICRO = 1_000_000  # gains are counted in millionths of a minor unit: the value of a bet on the layout has fractions
Basis = Literal["exact", "throw by throw", "estimate"]
Spread = tuple[tuple[int, int], ...]  # gain of the house, and its number of ways


class Risk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One bet of a decision. `gains` has the house's gain for every case, with the value of the part on the layout; in
    several ways where a case leaves it open. All cases of a bet have equally many ways.

    `lies` is the value to the house, in each case, of the part that stays on the layout; empty where no part ever does.
    Bets on one `hand` have the same way of a case; those of other hands, or without a hand, each their own.
    """

    bet: str
    wager: str
    player: str
    stake: int
    gains: tuple[Spread, ...]
    lies: tuple[int, ...] = ()
    hand: int | None = None


class ChanceDecision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A decision of several bets at once: cases with their weights, the actual case (None: unknown), bets.

    `basis`: exact; for bets that last, throw by throw; or an estimate, where players choose.
    """

    weights: tuple[int, ...]
    risks: tuple[Risk, ...]
    case: int | None = None
    basis: Basis = "exact"


class Chances(msgspec.Struct, frozen=True, kw_only=True):
    """A game's chances: the events after which chance has no further effect, and the bets at risk.

    `decision` takes the session before the event, the event, and the bets on the layout. `of_bet` returns the original
    bet of one made in the play (the hands of a pair). `further_decisions` returns other decisions in the same round,
    independent for this count.
    """

    deciding: tuple[type[EventData], ...]
    decision: Callable[[Any, Any, Mapping[str, Any]], ChanceDecision]
    of_bet: Callable[[str], str] = str
    further_decisions: Callable[[Any, Any, Mapping[str, Any]], Iterable[ChanceDecision]] = (
        lambda _session, _event, _bets: ()
    )


def sure(gain: int) -> Spread:
    """There is one way only."""
    return ((gain, 1),)


def house_gain(profit: Amount, returned: Amount = 0) -> int:
    """Return the house's gain from a bet settled so, in millionths: the player's part is rounded down (ADR 14)."""
    got = profit + returned if profit > 0 else returned
    lost_fraction = 0 if type(got) is int else got % 1
    return -int(profit - lost_fraction) * MICRO


def micro(amount: Amount) -> int:
    """An amount of minor units in millionths, to the nearest."""
    return round(amount * MICRO)


def joint(decision: ChanceDecision, risks: Sequence[Risk]) -> dict[int, int]:
    """Return the house's total gains from these bets of a decision: the number of ways of each sum, in whole
    numbers."""
    gains: dict[int, int] = {}
    hands = by_hand(risks)
    for place, weight in enumerate(decision.weights):
        ways_by_gain = {0: weight}
        for bets in hands:
            ways_by_gain = independent_sums(ways_by_gain, _of_hand(bets, place))
        for gain, ways in ways_by_gain.items():
            gains[gain] = gains.get(gain, 0) + ways
    return gains


def by_hand(risks: Iterable[Risk]) -> list[list[Risk]]:
    """Return the risks that each case decides in one way, together."""
    hands: dict[object, list[Risk]] = {}
    for place, risk in enumerate(risks):
        hands.setdefault((place,) if risk.hand is None else risk.hand, []).append(risk)
    return list(hands.values())


def _of_hand(risks: Sequence[Risk], place: int) -> Spread:
    """Return the win of all bets on a hand in each way of a case."""
    if len(risks) == 1:
        return risks[0].gains[place]
    several = zip(*(risk.gains[place] for risk in risks), strict=True)
    return tuple((sum(gain for gain, _ in ways), ways[0][1]) for ways in several)


def independent_sums(first: Mapping[int, int], other: Spread) -> dict[int, int]:
    """The sums of two that do not depend on each other."""
    if len(other) == 1:
        ((other_gain, times),) = other
        return {gain + other_gain: ways * times for gain, ways in first.items()}
    gains: dict[int, int] = {}
    for gain, ways in first.items():
        for other_gain, times in other:
            gains[gain + other_gain] = gains.get(gain + other_gain, 0) + ways * times
    return gains
