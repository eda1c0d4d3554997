"""Every total of many decisions on a lattice, counted at once: the ways of all totals are digits of one long number.

Multiplying by a decision's ways and shifting by its result moves all totals together (Kronecker's substitution). A
night of some hundred bets has some ten thousand totals, and takes a tenth of a second. Before a digit would overflow,
all are cut to their upper digits; the part cut off is the error.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

import msgspec

Odds = tuple[tuple[int, int], ...]  # results of a decision, from zero upwards, each with its number of ways
_Alike = tuple[Odds, int]  # decisions with the same odds, and how many
PRECISION_BITS = 64  # bits of all ways together that a cut leaves
FINEST, COARSEST = 20, 8  # how fine a lattice may be that is made coarser: so many powers of two of places
ROOM = 24  # bits beyond them, so that few cuts are needed


class CountedTail(msgspec.Struct, frozen=True):
    """The chances of at most, and of at least, a place; and their error bound."""

    at_most: float
    at_least: float
    error: float


class _Half(msgspec.Struct):
    """The sums of some of the decisions, in order; how many units were cut away, at most."""

    ways: list[int]
    lost: int


def counted_tail(lattice: Mapping[Odds, int], place: Fraction, places_max: int) -> CountedTail | None:
    """None where more places than that would have to be moved."""
    halves = _halves(lattice)
    if sum(map(_moves, halves)) > places_max:
        return None
    chances = _Chances(halves)
    return CountedTail(chances.at_most(place), chances.at_least(place), chances.error)


def tail_bounds(lattice: Mapping[Odds, int], place: Fraction, places_max: int) -> CountedTail | None:
    """Return bounds on a lattice so coarse that it can be counted: no sum moves by more than all its parts may.

    The result is the middle between them, with half their distance as the error. None where even that takes too long.
    """
    reach = sum(map(_reach, lattice.items()))
    for fine in range(FINEST, COARSEST, -1):
        by = max(1, reach >> fine)
        halves = _halves(coarse := _coarser(lattice, by))
        if sum(map(_moves, halves)) <= places_max and coarse:
            break
    else:
        return None
    slack = sum(
        times * max(abs(_nearest_place(amount, by) * by - amount) for amount, _ in odds)
        for odds, times in lattice.items()
    )
    chances, low, high = _Chances(halves), (place - slack) / by, (place + slack) / by
    most = chances.at_most(low), chances.at_most(high)
    least = chances.at_least(high), chances.at_least(low)
    error = max(most[1] - most[0], least[1] - least[0]) / 2 + chances.error
    return CountedTail(sum(most) / 2, sum(least) / 2, error)


def _nearest_place(amount: int, by: int) -> int:
    return (2 * amount + by) // (2 * by)


def _coarser(lattice: Mapping[Odds, int], by: int) -> dict[Odds, int]:
    """Every amount at the nearest place of a lattice of this span."""
    coarser: dict[Odds, int] = {}
    for odds, times in lattice.items():
        ways: dict[int, int] = {}
        for amount, count in odds:
            ways[_nearest_place(amount, by)] = ways.get(_nearest_place(amount, by), 0) + count
        moved = tuple(sorted(ways.items()))
        coarser[moved] = coarser.get(moved, 0) + times
    return coarser


class _Chances:
    """Sums counted in two halves, with the chance of any place."""

    def __init__(self, halves: Sequence[Sequence[_Alike]]) -> None:
        first, other = map(_sums, halves)
        self._ways, self._under = first.ways, [0, *accumulate(other.ways)]
        self._whole = sum(first.ways) * self._under[-1]
        self.error = sum(half.lost / sum(half.ways) for half in (first, other))

    def at_most(self, place: Fraction) -> float:
        return float(Fraction(_at_most(self._ways, self._under, math.floor(place)), self._whole))

    def at_least(self, place: Fraction) -> float:
        less = _at_most(self._ways, self._under, math.ceil(place) - 1)
        return float(Fraction(self._whole - less, self._whole))


def _halves(lattice: Mapping[Odds, int]) -> tuple[list[_Alike], list[_Alike]]:
    """Return two halves: in order of reach from the furthest, each decision goes to the half with less reach so far.

    Each half is counted by step, since all later totals move the early ones.
    """
    first, other, reach, others = list[_Alike](), list[_Alike](), 0, 0
    for alike_decisions in sorted(lattice.items(), key=_reach, reverse=True):
        if reach > others:
            first, other, reach, others = other, first, others, reach
        first.append(alike_decisions)
        reach += _reach(alike_decisions)
    return sorted(first, key=_step), sorted(other, key=_step)


def _step(alike_decisions: _Alike) -> int:
    """Return the reach of one of them."""
    return alike_decisions[0][-1][0]


def _reach(alike_decisions: _Alike) -> int:
    return _step(alike_decisions) * alike_decisions[1]


def _moves(half: Sequence[_Alike]) -> int:
    """Return the number of moved places, in total."""
    width, moves = 1, 0
    for odds, times in half:
        step = odds[-1][0]
        moves += len(odds) * (times * width + step * times * (times + 1) // 2)
        width += times * step
    return moves


def _sums(half: Sequence[_Alike]) -> _Half:
    """Return the number of ways of each total, as far as totals are distinguished."""
    bits = _bits(half)
    number, most, width, lost_ways = 1, 1, 1, 0
    for odds, times in half:
        total_ways = sum(ways for _, ways in odds)
        moves = [(amount * bits, ways) for amount, ways in odds]
        for _ in range(times):
            if (most * total_ways).bit_length() > bits:
                cut = most.bit_length() - PRECISION_BITS
                number, most, lost_ways = _cut(number, width, bits, cut), most >> cut, (lost_ways >> cut) + width
            number = sum((number * ways) << move for move, ways in moves)
            most, lost_ways, width = most * total_ways, lost_ways * total_ways, width + odds[-1][0]
    return _Half(_digits(number, width, bits // 8), lost_ways)


def _bits(half: Sequence[_Alike]) -> int:
    """Return the width of a place in bits: whole bytes."""
    room = max((sum(ways for _, ways in odds).bit_length() for odds, _ in half), default=0)
    return 8 * -(-(PRECISION_BITS + max(ROOM, room)) // 8)


def _cut(number: int, width: int, bits: int, cut: int) -> int:
    """Each place without its lowest digits."""
    each = ((1 << bits * width) - 1) // ((1 << bits) - 1)
    return (number >> cut) & (each * ((1 << bits - cut) - 1))


def _digits(number: int, width: int, size: int) -> list[int]:
    raw = number.to_bytes(width * size, "little")
    return [int.from_bytes(raw[at : at + size], "little") for at in range(0, width * size, size)]


def _at_most(ways: Sequence[int], under: Sequence[int], most: int) -> int:
    """Return the number of ways in which a total of one half plus a total of the other is at most `most`."""
    last = len(under) - 1
    return sum(times * under[min(max(most - amount + 1, 0), last)] for amount, times in enumerate(ways))
