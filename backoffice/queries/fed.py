"""What the tables of a progressive fed, by gaming day: a line each, and the older ones in one."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from projections.progressives.models import ProgressiveLevel, ProgressiveTable


class Contribution(msgspec.Struct, frozen=True):
    """What a table's gaming day fed, in all and by level (in the order of the levels)."""

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
    """One line a table and gaming day: every level was fed by the same rounds and stakes."""
    order = [level.id for level in levels]
    by_session: dict[str, dict[str, ProgressiveTable]] = defaultdict(dict)
    for row in rows:
        by_session[row.session][row.level_id] = row
    found = []
    for fed in by_session.values():
        first = next(iter(fed.values()))
        micro = tuple(fed[level].fed_micro if level in fed else 0 for level in order)
        reserve = sum(row.reserve_fed_micro for row in fed.values())
        found.append(Contribution(first.table, first.gaming_day, first.rounds, first.stakes_minor, micro, reserve))
    return tuple(found)


def summed(several: Sequence[Contribution]) -> Contribution | None:
    """Several together, by the last of their days and no table; None of none."""
    if not several:
        return None
    return Contribution(
        table="",
        gaming_day=several[0].gaming_day,
        rounds=sum(one.rounds for one in several),
        stakes_minor=sum(one.stakes_minor for one in several),
        fed_micro=tuple(sum(level) for level in zip(*(one.fed_micro for one in several), strict=True)),
        reserve_fed_micro=sum(one.reserve_fed_micro for one in several),
    )
