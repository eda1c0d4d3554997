"""Readings of the signs (SD 24.02): the reading, the expected display, the increment test, and variances as cases.

A reading that is off by more than the limit opens a case, one at a time a level. It is closed by a payment to the
player who got too little, by an amount added to the meter, or by a new reading. The sign itself is a matter for the
technician.
"""

from datetime import datetime, timedelta

import msgspec

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Forbidden, Invalid, Refused, Unknown
from events.fields import is_time
from events.progressives import action_structs, event_types, fact_structs
from events.progressives.approver_department_checks import require_two_departments
from events.progressives.decider_base_functions import apply, approvals, known_level
from events.progressives.event_to_fact_mapping import MICRO
from events.progressives.fold import Fold
from events.progressives.level_changes_and_notices import READING_VARIANCE
from events.roles import DEPARTMENT

SOURCE = "SD 24.02 (20:18:17)"
VARIANCE_LIMIT_MINOR = 5_000  # 50 of the currency's whole units
READ_EVERY = timedelta(days=7)
TEST_EVERY = timedelta(days=92)  # a quarter


def read(next_fold: Fold, data: action_structs.ReadMeter, by: fact_structs.People) -> list[EventData]:
    """Compare a read sign with the events at this position; a variance over the limit opens a case."""
    _check_accounting(by)
    level = known_level(next_fold, data.level)
    display_minor = next_fold.shown_minor(level.name)
    meter_read = event_types.MeterRead(
        progressive=next_fold.state.opening.progressive,
        level=level.name,
        read_minor=data.read_minor,
        shown_minor=display_minor,
        variance_minor=data.read_minor - display_minor,
        meter_micro=level.meter,
        as_of=next_fold.at,
        approvals=approvals(by),
    )
    is_open = any(case.level == level.name and case.is_open for case in next_fold.state.variances.values())
    if abs(meter_read.variance_minor) <= VARIANCE_LIMIT_MINOR or is_open:
        return [meter_read]
    return [meter_read, _opened(next_fold, meter_read)]


def _opened(next_fold: Fold, meter_read: event_types.MeterRead) -> event_types.VarianceOpened:
    event = event_types.VarianceOpened(
        progressive=meter_read.progressive,
        level=meter_read.level,
        case=f"{meter_read.level}-{len(next_fold.state.variances) + 1}",
        read_minor=meter_read.read_minor,
        shown_minor=meter_read.shown_minor,
        variance_minor=meter_read.variance_minor,
        limit_minor=VARIANCE_LIMIT_MINOR,
        as_of=meter_read.as_of,
    )
    apply(next_fold, event)
    return event


def close(next_fold: Fold, data: action_structs.CloseVariance, by: fact_structs.People) -> list[EventData]:
    """Pay the amount of the variance, or add it to the meter, or read again after a wrong reading: two departments."""
    case = next_fold.state.variances.get(data.case)
    if case is None:
        raise Unknown(coded("variance-unknown", case=data.case))
    if not case.is_open:
        raise Refused(
            "house progressive.variance", coded("variance-closed", case=data.case), source=SOURCE, field="data.case"
        )
    return _WAYS[data.way](next_fold, data, case.level, by)


def _paid(next_fold: Fold, data: action_structs.CloseVariance, level: str, by: fact_structs.People) -> list[EventData]:
    if data.player is None or data.gaming_day is None:
        raise Invalid("player", coded("variance-player-needed"))
    if not any(person.role == "cage" for person in by):
        raise Forbidden(coded("cage-pays-variance"))
    require_two_departments(by, "house progressive.variance")
    year = data.gaming_day[:4]
    variance_closed = event_types.VarianceClosed(
        progressive=next_fold.state.opening.progressive,
        level=level,
        case=data.case,
        way="paid",
        amount_minor=abs(next_fold.state.variances[data.case].variance),
        reason=data.reason,
        player=data.player,
        slip=next_fold.state.slips.get(year, 0) + 1,
        slip_year=year,
        paid_gaming_day=data.gaming_day,
        approvals=approvals(by),
    )
    apply(next_fold, variance_closed)
    return [variance_closed]


def _added(next_fold: Fold, data: action_structs.CloseVariance, level: str, by: fact_structs.People) -> list[EventData]:
    amount = abs(next_fold.state.variances[data.case].variance)
    meter_adjusted = event_types.MeterAdjusted(
        progressive=next_fold.state.opening.progressive,
        level=level,
        amount_minor=amount,
        reason=READING_VARIANCE,
        meter_micro=next_fold.level(level).meter + amount * MICRO,
        approvals=approvals(by),
    )
    apply(next_fold, meter_adjusted)
    variance_closed = event_types.VarianceClosed(
        progressive=meter_adjusted.progressive,
        level=level,
        case=data.case,
        way="added",
        amount_minor=amount,
        reason=data.reason,
        approvals=approvals(by),
    )
    apply(next_fold, variance_closed)
    return [meter_adjusted, variance_closed]


def _misread(
    next_fold: Fold, data: action_structs.CloseVariance, level: str, by: fact_structs.People
) -> list[EventData]:
    """Correct a wrong reading: no money moves. The new reading opens its own case where it is off."""
    if data.read_minor is None:
        raise Invalid("data.read_minor", coded("reading-needed"))
    _check_accounting(by)
    require_two_departments(by, "house progressive.variance")
    variance_closed = event_types.VarianceClosed(
        progressive=next_fold.state.opening.progressive,
        level=level,
        case=data.case,
        way="misread",
        amount_minor=0,
        reason=data.reason,
        read_minor=data.read_minor,
        approvals=approvals(by),
    )
    apply(next_fold, variance_closed)
    return [variance_closed, *read(next_fold, action_structs.ReadMeter(level=level, read_minor=data.read_minor), by)]


_WAYS = {"paid": _paid, "added": _added, "misread": _misread}


def increment(next_fold: Fold, data: action_structs.TestIncrement, by: fact_structs.People) -> list[EventData]:
    """Compare the rise of the sign with the stake's share, to the cent that the display may lag behind."""
    _check_accounting(by)
    level = known_level(next_fold, data.level)
    low, high = next_fold.state.opening.stakes
    if data.stake_minor not in (low, high):
        raise Refused(
            "blazing7s L.1",
            coded("stakes-of-progressive", low=low, high=high),
            source="004 L103",
            field="data.stake_minor",
        )
    expected_micro = data.stake_minor * level.settings.feed
    off = (data.after_minor - data.before_minor) * MICRO - expected_micro
    tested = event_types.IncrementTested(
        progressive=next_fold.state.opening.progressive,
        level=level.name,
        stake_minor=data.stake_minor,
        feed_millionths=level.settings.feed,
        before_minor=data.before_minor,
        after_minor=data.after_minor,
        expected_micro=expected_micro,
        is_passed=abs(off) < MICRO,
        as_of=next_fold.at,
        approvals=approvals(by),
    )
    return [tested]


def _check_accounting(by: fact_structs.People) -> None:
    if not any(DEPARTMENT.get(person.role) == "accounting" for person in by):
        raise Forbidden(coded("accounting-reads-meters"))


class OverdueReading(msgspec.Struct, frozen=True):
    """Accounting's overdue work at a level: a weekly reading or a quarterly increment test."""

    level: str
    what: str
    last: str | None  # the time of the last one in the event; None: never


def overdue(
    levels: list[str], events: list[tuple[str, event_types.ProgressiveEvent]], now: str
) -> list[OverdueReading]:
    """Readings and tests that are overdue. `events`: (time, event) of the progressive's stream, its opening included.

    Times are those of the envelopes (UTC, ISO 8601). Work never done is due from the opening on.
    """
    today, overdue_readings = datetime.fromisoformat(now), []
    opened_at = next(
        (time for time, event in events if isinstance(event, event_types.ProgressiveOpened) and is_time(time)), now
    )
    kinds: tuple[tuple[str, type[event_types.MeterRead] | type[event_types.IncrementTested], timedelta], ...] = (
        ("reading", event_types.MeterRead, READ_EVERY),
        ("increment test", event_types.IncrementTested, TEST_EVERY),
    )
    for level in levels:
        for name, kind, every in kinds:
            times = [
                time for time, event in events if isinstance(event, kind) and event.level == level and is_time(time)
            ]
            if today - datetime.fromisoformat(max(times, default=opened_at)) > every:
                overdue_readings.append(OverdueReading(level, name, max(times, default=None)))
    return overdue_readings
