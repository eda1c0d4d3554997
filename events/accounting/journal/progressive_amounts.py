"""The named amounts of progressives: exactly the facts that the fold accepted.

A lock, a seed, a contribution is the change that an event made in the fold that pays (`events/progressives/fold.py`). A
void recomputes everything after the hit, and the difference is the entry.
"""

from typing import Any

from events.accounting.daily_meter_movements import MeterChange, MeteredProgressive
from events.accounting.journal.ledger_entry import MICRO, NamedAmount
from events.progressives.event_types import JackpotPaid, MeterAdjusted, ProgressiveOpened
from events.tables.event_types.progressive import ProgressiveArmed

Amounts = list[NamedAmount]
Bases = dict[str, int]  # by progressive and level: the house's seed in the meter, not owed until it is won


def opened(bases: Bases, data: ProgressiveOpened) -> Amounts:
    """Return the amounts of an opening. The seed in a meter is not owed until it is won."""
    amounts = []
    for level in data.levels:
        base = min(level.seed_minor * MICRO, level.meter_micro)
        bases[f"{data.progressive}/{level.level}"] = base
        place = (data.progressive, level.level)
        amounts += [
            NamedAmount("progressive.opened", level.meter_micro - base, *place),
            NamedAmount("progressive.base", base, *place),
            NamedAmount("progressive.reserve", level.reserve_micro, *place),
        ]
    return amounts


def changed(bases: Bases, data: Any, change: MeterChange, takes_back: str = "") -> Amounts:
    """Return the amounts of an event's change of a level."""
    metered, level, moved = change
    name = metered.name
    if type(data) is ProgressiveArmed:
        fed = NamedAmount("progressive.fed", moved.fed, name, level)
        return [fed, NamedAmount("progressive.reserved", moved.reserve, name, level)]
    if isinstance(data, MeterAdjusted):
        return [NamedAmount("meter.adjusted", moved.adjusted, name, level, data.reason)]
    return _locked(bases, data, change, takes_back)


def _locked(bases: Bases, data: Any, change: MeterChange, takes_back: str) -> Amounts:
    """Return the amounts of a lock. The house owes the part of the share that the meter does not give; the seed in the
    meter is won with it."""
    metered, level, level_move = change
    owed = level_move.unpaid + (
        data.amount_minor * MICRO if isinstance(data, JackpotPaid) and data.level == level else 0
    )
    seeded = level_move.seeds + level_move.reserve  # the part of the new seed that the reserve did not cover
    before, now = bases.get(f"{metered.name}/{level}", 0), _base(metered, level, bases)
    bases[f"{metered.name}/{level}"] = now
    amounts = {
        "progressive.locked": level_move.locked,
        "progressive.house": owed - level_move.locked,
        "progressive.won": before + seeded - now,
        "seed.reserve": -level_move.reserve,
        "seed.house": seeded,
    }
    return [NamedAmount(name, micro, metered.name, level, takes_back=takes_back) for name, micro in amounts.items()]


def _base(metered: MeteredProgressive, level: str, bases: Bases) -> int:
    """Return the base of the last valid lock; before the first lock, that of the opening."""
    if locks := metered.fold.locks(level):
        return locks[-1].seed - locks[-1].from_reserve
    start = next(opening_level for opening_level in metered.fold.state.opening.levels if opening_level.level == level)
    if metered.fold.level(level).base.seeds:  # an older lock is valid, and no longer available
        return bases.get(f"{metered.name}/{level}", 0)
    return min(start.settings.seed, start.meter)
