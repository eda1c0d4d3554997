"""Chips by denomination: their total worth, sums and differences."""

from collections.abc import Mapping

from events.error_codes import coded
from events.errors import Invalid
from events.fields import DENOMINATION_MAX, MONEY_MAX

Pieces = Mapping[int, int]  # denomination in minor units -> number of pieces


def worth(pieces: Pieces) -> int:
    """Return their worth together, in minor units."""
    return sum(denomination * count for denomination, count in pieces.items())


def chips_minor(pieces: Pieces, field: str) -> int:
    """Return their worth together. Raises Invalid for a denomination or number that cannot be."""
    for denomination, count in pieces.items():
        if not 1 <= denomination <= DENOMINATION_MAX or not 0 <= count <= 1_000_000:
            raise Invalid(field, coded("chips-impossible", count=str(count), denomination=str(denomination)))
    if (total := worth(pieces)) > MONEY_MAX:
        raise Invalid(field, coded("chips-worth-too-much", total=total, most=MONEY_MAX))
    return total


def total_pieces(pieces: Pieces, others: Pieces) -> dict[int, int]:
    """Return the total of both, by denomination in order, without denominations whose total is 0."""
    sums = {
        denomination: pieces.get(denomination, 0) + others.get(denomination, 0)
        for denomination in sorted({*pieces, *others})
    }
    return {denomination: count for denomination, count in sums.items() if count}


def taken_away(pieces: Pieces, removed: Pieces) -> dict[int, int]:
    """Return the pieces without these: a count below zero where more are removed than there were."""
    return total_pieces(pieces, {denomination: -count for denomination, count in removed.items()})
