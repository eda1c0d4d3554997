"""Contributions of tables to a progressive by gaming day: a line each, the older ones in one line."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from projections.progressives.models import ProgressiveLevel, ProgressiveTable


class Contribution(msgspec.Struct, frozen=True):
    """Contribution of a table's gaming day, in all and by level (in the order of the levels)."""

    table: str
    gaming_day: str
    rounds: int
    stakes_minor: int
    fed_micro: tuple[int, ...]
    reserve_fed_micro: int

    @property
    def total_micro(self) -> int:
        """Meters and reserves together."""
        return sum(self.fed_micro) + self.reserve_fed_micro


def contributions(levels: list[ProgressiveLevel], rows: list[ProgressiveTable]) -> tuple[Contribution, ...]:
    """Return one line per table and gaming day. Every level has the same rounds and stakes."""
    order = [level.id for level in levels]
    by_session: dict[str, dict[str, ProgressiveTable]] = defaultdict(dict)
    for row in rows:
        by_session[row.session][row.level_id] = row
    lines = []
    for fed in by_session.values():
        first = next(iter(fed.values()))
        micro = tuple(fed[level].fed_micro if level in fed else 0 for level in order)
        reserve = sum(row.reserve_fed_micro for row in fed.values())
        lines.append(Contribution(first.table, first.gaming_day, first.rounds, first.stakes_minor, micro, reserve))
    return tuple(lines)


def summed(several: Sequence[Contribution]) -> Contribution | None:
    """Return the sum of several lines, with the last of their days and no table; None for none."""
    if not several:
        return None
    return Contribution(
        table="",
        gaming_day=several[0].gaming_day,
        rounds=sum(line.rounds for line in several),
        stakes_minor=sum(line.stakes_minor for line in several),
        fed_micro=tuple(sum(level) for level in zip(*(line.fed_micro for line in several), strict=True)),
        reserve_fed_micro=sum(line.reserve_fed_micro for line in several),
    )
