"""Progressives by gaming day: the exact movement of every level on each day, in millionths of a minor unit.

A progressive runs through all days. An event belongs to the day of its table, a payment to the cage's day. Every other
decision belongs to the last day that was open at that time. The fold that decides payments also gives these figures
(`events/progressives/fold.py`): a day gets the changes made by its own events.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from events.accounting.event_with_position import AccountingEvent
from events.progressives.event_to_fact_mapping import fact_of, opening_of
from events.progressives.event_types import ProgressiveOpened
from events.progressives.fact_structs import AnyFact, Arm, DealFinished, RoundOver
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import LevelState


class LevelMove(msgspec.Struct, frozen=True, gc=False):
    """Movement of a level, in units of the fold; `unpaid` is locked and not paid, in the same units."""

    fed: int = 0
    seeds: int = 0
    adjusted: int = 0
    locked: int = 0
    reserve: int = 0
    unpaid: int = 0

    @property
    def meter(self) -> int:
        """Return its movement of the meter."""
        return self.fed + self.seeds + self.adjusted - self.locked


_FIELDS = LevelMove.__struct_fields__


def total_move(first: LevelMove, other: LevelMove, sign: int = 1) -> LevelMove:
    """Both together, or one without the other."""
    return LevelMove(*(getattr(first, name) + sign * getattr(other, name) for name in _FIELDS))


class LevelDay(msgspec.Struct, frozen=True, gc=False):
    """A level on a gaming day: its opening meter, and its movement before and on that day."""

    level: str
    begin: int
    moved: LevelMove
    until: LevelMove


class MeterChange(NamedTuple):
    """Movement of a level by an event, in units of the fold."""

    metered: "MeteredProgressive"
    level: str
    moved: LevelMove


class MeteredProgressive:
    """One progressive: its fold, and the movement of each of its levels on each gaming day."""

    def __init__(
        self,
        name: str,
        currency: str,
        gaming_day: str,
        fold: Fold,
        moves_by_level: dict[str, dict[str, LevelMove]],
        sums: dict[str, LevelMove],
    ) -> None:
        """`gaming_day` is the one on which it was opened; `moves_by_level` is by day and level, `sums` are of
        all days."""
        self.name, self.currency, self.gaming_day = name, currency, gaming_day
        self.fold, self.moved, self.sums = fold, moves_by_level, sums

    @classmethod
    def opened(cls, event: ProgressiveOpened, at: int, gaming_day: str) -> "MeteredProgressive":
        """A progressive right after its opening."""
        fold = Fold.opened(at, opening_of(event))
        sums = {level.name: _sums(fold, level, 0) for level in fold.state.levels.values()}
        return cls(event.progressive, event.currency, gaming_day, fold, {}, sums)

    def take(self, fact: AccountingEvent, gaming_day: str) -> list[MeterChange]:
        """Take the next event of the store, and return the changes it made here."""
        progressive_fact = fact_of(fact.position, fact.stream, fact.data.TYPE, fact.data, self.name)
        if progressive_fact is None:
            return []
        changes = []
        is_quiet = _is_quiet(self.fold, progressive_fact)
        self.fold.take([progressive_fact])
        for level in self.fold.state.levels.values():
            before = self.sums[level.name]
            after = _sums(self.fold, level, before.unpaid if is_quiet else unpaid(self.fold, level.name))
            if after != before:
                self.sums[level.name] = after
                changes.append(MeterChange(self, level.name, total_move(after, before, -1)))
                self._note(gaming_day, *changes[-1][1:])
        return changes

    def _note(self, gaming_day: str, level: str, moved: LevelMove) -> None:
        day = self.moved.setdefault(gaming_day, {})
        day[level] = total_move(day.get(level, LevelMove()), moved)

    def on(self, gaming_day: str) -> list[LevelDay]:
        """Return its levels on a gaming day, as they were opened."""
        return [self._level(level, gaming_day) for level in self.fold.state.levels.values()]

    def _level(self, level: LevelState, gaming_day: str) -> LevelDay:
        before = self._total(level.name, lambda day: day < gaming_day)
        moved = self._total(level.name, lambda day: day == gaming_day)
        start = LevelMove(reserve=level.reserve_start)
        return LevelDay(level.name, level.start + before.meter, moved, total_move(total_move(start, before), moved))

    def _total(self, level: str, of: Callable[[str], bool]) -> LevelMove:
        total = LevelMove()
        for day, levels in self.moved.items():
            if of(day):
                total = total_move(total, levels.get(level, LevelMove()))
        return total

    def copy(self) -> "MeteredProgressive":
        """An independent one in the same state."""
        moved = {day: levels.copy() for day, levels in self.moved.items()}
        return MeteredProgressive(self.name, self.currency, self.gaming_day, self.fold.copy(), moved, self.sums.copy())


def unpaid(fold: Fold, level: str) -> int:
    """Return the locked and unpaid amount, in units, with the house's part."""
    hits = fold.state.hits
    owed = sum(lock.share for lock in fold.locks(level) for hit in lock.hits if not hits[hit].paid)
    return owed * fold.state.opening.scale


def _sums(fold: Fold, level: LevelState, owed: int) -> LevelMove:
    locked = level.locked * fold.state.opening.scale
    reserve = level.reserve - level.reserve_start
    return LevelMove(level.fed, level.seeds, level.adjusted, locked, reserve, owed)


def _is_quiet(fold: Fold, fact: AnyFact) -> bool:
    """Most facts touch no lock: a round is armed, dealt while no hit waits, over."""
    if isinstance(fact, Arm | RoundOver):
        return True
    return isinstance(fact, DealFinished) and not any(level.pending for level in fold.state.levels.values())


def take(
    meters: dict[str, MeteredProgressive], fact: AccountingEvent, gaming_day: str, current: str
) -> list[MeterChange]:
    """Take an event for its progressive, and return the changes; a newly opened progressive is added."""
    data: Any = fact.data
    if isinstance(data, ProgressiveOpened):
        meters[data.progressive] = MeteredProgressive.opened(data, fact.position, current)
    elif (name := getattr(data, "progressive", None)) in meters:
        return meters[name].take(fact, gaming_day)
    return []
