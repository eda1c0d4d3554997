"""The single-zero layout: 37 numbers, their colours, and every place on the cloth for a bet.

The cloth has twelve rows of three numbers (1 2 3, 4 5 6, ... 34 35 36) with the zero across their head. `places()`
lists the spaces of a type, `covered()` gives the numbers that a place covers, or refuses an unknown place.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

NUMBERS = range(37)
RED = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})

NUMBER_BETS = ("straight", "split", "street", "corner", "line")
GROUP_BETS = ("column", "dozen")
EVEN_CHANCES = ("red", "black", "odd", "even", "low", "high")
TYPES = NUMBER_BETS + GROUP_BETS + EVEN_CHANCES

Place = frozenset[int]


def colour(number: int) -> str:
    """ "green" for zero, else "red" or "black"."""
    if number == 0:
        return "green"
    return "red" if number in RED else "black"


def places(bet_type: str) -> tuple[tuple[int, ...], ...]:
    """Every place of a type of bet, as ascending numbers, in the order of the cloth."""
    return tuple(sorted(tuple(sorted(place)) for place in _PLACES[bet_type]))


def covered(bet_type: str, numbers: Iterable[int] = (), which: int | None = None) -> Place | None:
    """The numbers that a bet covers, or None where the cloth has no such place.

    Bets on numbers name them in any order, columns and dozens are numbered `which` 1 to 3, even chances need
    neither. A place named twice over (numbers for a column, a number given double) is no place.
    """
    return _covered(bet_type, tuple(numbers), which)


@lru_cache(maxsize=4096)
def _covered(bet_type: str, named: tuple[int, ...], which: int | None) -> Place | None:
    place = frozenset(named)
    if bet_type in NUMBER_BETS:
        return place if which is None and len(named) == len(place) and place in _PLACES[bet_type] else None
    if named:
        return None
    if bet_type in GROUP_BETS:
        return _GROUPS.get((bet_type, which)) if which is not None else None
    return _CHANCES.get(bet_type) if which is None else None


def touches_zero(bet_type: str, place: Place) -> bool:
    """Return whether it is one of the six combined places with zero, which the text does not list (ROU-5)."""
    return 0 in place and bet_type != "straight"


def _row(first: int, rows: int = 1) -> Place:
    return frozenset(range(first, first + 3 * rows))


def _splits() -> frozenset[Place]:
    across = {frozenset({n, n + 1}) for n in range(1, 37) if n % 3}
    along = {frozenset({n, n + 3}) for n in range(1, 34)}
    return frozenset(across | along | {frozenset({0, n}) for n in (1, 2, 3)})


def _corners() -> frozenset[Place]:
    inner = {frozenset({n, n + 1, n + 3, n + 4}) for n in range(1, 33) if n % 3}
    return frozenset(inner | {frozenset({0, 1, 2, 3})})


_GROUPS: Mapping[tuple[str, int], Place] = MappingProxyType(
    {("column", group): frozenset(range(group, 37, 3)) for group in (1, 2, 3)}
    | {("dozen", group): frozenset(range(12 * group - 11, 12 * group + 1)) for group in (1, 2, 3)}
)
_CHANCES: Mapping[str, Place] = MappingProxyType(
    {
        "red": RED,
        "black": frozenset(range(1, 37)) - RED,
        "odd": frozenset(range(1, 37, 2)),
        "even": frozenset(range(2, 37, 2)),
        "low": frozenset(range(1, 19)),
        "high": frozenset(range(19, 37)),
    }
)
_PLACES: Mapping[str, frozenset[Place]] = MappingProxyType(
    {
        "straight": frozenset(frozenset({n}) for n in NUMBERS),
        "split": _splits(),
        "street": frozenset({_row(n) for n in range(1, 37, 3)} | {frozenset({0, 1, 2}), frozenset({0, 2, 3})}),
        "corner": _corners(),
        "line": frozenset(_row(n, rows=2) for n in range(1, 34, 3)),
    }
    | {group: frozenset(_GROUPS[group, column] for column in (1, 2, 3)) for group in GROUP_BETS}
    | {chance: frozenset({place}) for chance, place in _CHANCES.items()}
)
