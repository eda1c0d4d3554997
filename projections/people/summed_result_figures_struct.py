"""Figures of results: of one round, and sums of rounds."""

from collections.abc import Iterable
from typing import Any

import msgspec

from projections.people.models import Result

BASES = ("", "exact", "throw by throw", "estimate")  # of a theory, each looser than the one before


class ResultFigures(msgspec.Struct, kw_only=True, gc=False):
    """The summed columns of `Result`, in minor units; for the house, as events have them."""

    rounds: int = 0
    ended: int = 0
    voids: int = 0
    bets: int = 0
    staked_minor: int = 0
    handle_minor: int = 0
    win_minor: int = 0
    mispay_minor: int = 0
    mispays: int = 0
    misdeals: int = 0
    corrections: int = 0
    irregularities: int = 0
    timed: int = 0
    seconds: int = 0
    seconds_squared: int = 0
    decisions: int = 0
    decided_minor: int = 0
    theory_micro: int = 0
    variance: float = 0.0
    third: float = 0.0
    basis: str = ""


def figures_together(rows: Iterable[ResultFigures]) -> dict[str, Any]:
    """Return the sums of some rows by column, and the loosest basis among them."""
    every = list(rows)
    values: dict[str, Any] = {name: sum(getattr(row, name) for row in every) for name in Result.SUMMED}
    return values | {"basis": loosest(row.basis for row in every)}


def loosest(bases: Iterable[str]) -> str:
    """Return the loosest basis; "" without any."""
    return max(bases, key=BASES.index, default="")
