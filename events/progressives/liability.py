"""Liability to the players, against the funds reserved for it (WA 455).

A level's liability is its locked, unpaid shares and its meter with the overflow above the cap. Its funds are the
opening meter and reserve, every contribution to both, corrections, and the house's deposits, less the shares paid. The
shortfall is the house's own part: seeds beyond the reserve, and shares that it pays in addition. Envy bonuses and fixed
pays are the house's expense, not the meter's.
"""

import msgspec

from events.progressives.fold import Fold


class LevelLiability(msgspec.Struct, frozen=True, kw_only=True):
    """One level, in units of the fold: `owed` = locked and unpaid + meter; `short` is the shortfall of the funds, at
    least 0."""

    level: str
    unpaid: int
    meter: int
    owed: int
    reserve: int
    deposited: int
    funded: int
    short: int


def liability(fold: Fold) -> list[LevelLiability]:
    """Every level's."""
    return [_level_liability(fold, name) for name in fold.state.levels]


def _level_liability(fold: Fold, name: str) -> LevelLiability:
    level, scale = fold.level(name), fold.state.opening.scale
    unpaid = scale * sum(lock.share for lock in fold.locks(name) for hit in lock.hits if not fold.state.hits[hit].paid)
    owed_micro = unpaid + level.meter
    funded = level.start + level.reserve_start + level.fed + level.reserve_fed + level.adjusted
    funded += (level.deposited - level.paid) * scale
    return LevelLiability(
        level=name,
        unpaid=unpaid,
        meter=level.meter,
        owed=owed_micro,
        reserve=level.reserve,
        deposited=level.deposited * scale,
        funded=funded,
        short=max(owed_micro - funded, 0),
    )


def is_short(liabilities: list[LevelLiability]) -> bool:
    """Return whether the funds of all levels together are short: one account stands behind a progressive."""
    return sum(level.owed for level in liabilities) > sum(level.funded for level in liabilities)
