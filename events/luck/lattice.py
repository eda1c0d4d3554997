"""Every sum of many decisions on a lattice, counted at once: each sum's ways stand side by side in one long number.

Multiplied by a decision's ways and moved by what it brings, all sums move together (Kronecker's substitution): a night
of some hundred bets has some ten thousand sums, and takes a tenth of a second. Before a place would run over, all are
cut to their upper digits; what that may have taken away is the error.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

import msgspec

Odds = tuple[tuple[int, int], ...]  # what a decision brings, from nothing upwards, and in how many of its ways
_Alike = tuple[Odds, int]  # decisions with the same odds, and how many
KEPT = 64  # bits of all ways together that a cut leaves
ROOM = 24  # bits beyond them, so that few cuts are needed


class Counted(msgspec.Struct, frozen=True):
    """The chances of at most, and of at least, a place; what they may be off by."""

    at_most: float
    at_least: float
    error: float


class _Half(msgspec.Struct):
    """The sums of some of the decisions, in order; how many units were cut away, at most."""

    ways: list[int]
    lost: int


def counted(lattice: Mapping[Odds, int], place: Fraction, places_max: int) -> Counted | None:
    """None where more places than that would have to be moved."""
    halves = _halves(lattice)
    if sum(map(_moves, halves)) > places_max:
        return None
    one, other = map(_sums, halves)
    under = [0, *accumulate(other.ways)]
    whole = sum(one.ways) * under[-1]
    most = _at_most(one.ways, under, math.floor(place))
    less = _at_most(one.ways, under, math.ceil(place) - 1)
    error = sum(half.lost / sum(half.ways) for half in (one, other))
    return Counted(float(Fraction(most, whole)), float(Fraction(whole - less, whole)), error)


def _halves(lattice: Mapping[Odds, int]) -> tuple[list[_Alike], list[_Alike]]:
    """Those that reach furthest first, each to the half that reaches less far so far; to be counted the other way
    round, for what is counted early is moved by all that follows."""
    one, other, reach, others = list[_Alike](), list[_Alike](), 0, 0
    for alike in sorted(lattice.items(), key=_reach, reverse=True):
        if reach > others:
            one, other, reach, others = other, one, others, reach
        one.append(alike)
        reach += _reach(alike)
    return sorted(one, key=_step), sorted(other, key=_step)


def _step(alike: _Alike) -> int:
    """How far one of them reaches."""
    return alike[0][-1][0]


def _reach(alike: _Alike) -> int:
    return _step(alike) * alike[1]


def _moves(half: Sequence[_Alike]) -> int:
    """How many places are moved, all in all."""
    width, moves = 1, 0
    for odds, times in half:
        step = odds[-1][0]
        moves += len(odds) * (times * width + step * times * (times + 1) // 2)
        width += times * step
    return moves


def _sums(half: Sequence[_Alike]) -> _Half:
    """The number of ways of each sum, as far as they are told apart from all together."""
    bits = _bits(half)
    number, most, width, lost = 1, 1, 1, 0
    for odds, times in half:
        whole = sum(ways for _, ways in odds)
        moves = [(amount * bits, ways) for amount, ways in odds]
        for _ in range(times):
            if (most * whole).bit_length() > bits:
                cut = most.bit_length() - KEPT
                number, most, lost = _cut(number, width, bits, cut), most >> cut, (lost >> cut) + width
            number = sum((number * ways) << move for move, ways in moves)
            most, lost, width = most * whole, lost * whole, width + odds[-1][0]
    return _Half(_listed(number, width, bits // 8), lost)


def _bits(half: Sequence[_Alike]) -> int:
    """How wide a place is: whole bytes."""
    room = max((sum(ways for _, ways in odds).bit_length() for odds, _ in half), default=0)
    return 8 * -(-(KEPT + max(ROOM, room)) // 8)


def _cut(number: int, width: int, bits: int, cut: int) -> int:
    """Each place without its lowest digits."""
    each = ((1 << bits * width) - 1) // ((1 << bits) - 1)
    return (number >> cut) & (each * ((1 << bits - cut) - 1))


def _listed(number: int, width: int, size: int) -> list[int]:
    raw = number.to_bytes(width * size, "little")
    return [int.from_bytes(raw[at : at + size], "little") for at in range(0, width * size, size)]


def _at_most(ways: Sequence[int], under: Sequence[int], most: int) -> int:
    """In how many ways a sum of one half and a sum of the other are no more than that, together."""
    last = len(under) - 1
    return sum(one * under[min(max(most - amount + 1, 0), last)] for amount, one in enumerate(ways))
