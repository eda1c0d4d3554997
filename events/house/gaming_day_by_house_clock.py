"""The gaming days of a house by its own clock, also where that clock is changed.

A zone may skip an hour, show one twice, change at midnight, or skip a whole day (Samoa had no 2011-12-30).
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from events.house.settings import HouseSettings, zone_of
from events.streams.action_time_and_day_bounds import DAYS_NEAR

_DAY = timedelta(days=1)


def gaming_day(settings: HouseSettings, moment: datetime) -> date:
    """Return the gaming day that the house's clock shows. It never goes back, also where the clock does."""
    zone, begins = zone_of(settings), time.fromisoformat(settings.day_begins)
    local = moment.astimezone(zone)
    day = local.date() if local.time() >= begins else local.date() - _DAY
    if has_begun(datetime.combine(day + _DAY, begins), local):
        return day + _DAY
    return day if is_shown(day, zone) else day - _DAY


def has_begun(clock_time: datetime, local: datetime) -> bool:
    """Return whether a clock that shows `local` has shown the other time before. A time that is shown twice begins the
    first time.
    """
    if local.replace(tzinfo=None) >= clock_time:
        return True
    return local.fold == 1 and clock_time.replace(tzinfo=local.tzinfo).astimezone(UTC) <= local.astimezone(UTC)


def shift_at(settings: HouseSettings, moment: datetime) -> str:
    """Return the shift of the house that runs then: the one that began last."""
    local = moment.astimezone(zone_of(settings))
    begins = {name: time.fromisoformat(at) for name, at in settings.shift_begins.items()}
    by_time = sorted(begins, key=lambda name: begins[name])
    begun = [name for name in by_time if has_begun(datetime.combine(local.date(), begins[name]), local)]
    return (begun or by_time)[-1]


def is_shown(day: date, zone: ZoneInfo) -> bool:
    """Return whether clocks in this zone show any time of a day."""
    ends = (datetime.combine(day, end, zone) for end in (time.min, time.max))
    return any(end.astimezone(UTC).astimezone(zone).date() == day for end in ends)


def next_day(settings: HouseSettings, day: date) -> date:
    """Return the day that follows in the house's zone."""
    following = day + _DAY
    return following if is_shown(following, zone_of(settings)) else following + _DAY


def is_near(settings: HouseSettings, day: date, today: date) -> bool:
    """Return whether at most one gaming day separates them: nights pass midnight, and zones differ."""
    first, last = sorted((day, today))
    nearest = first
    for _ in range(DAYS_NEAR):
        nearest = next_day(settings, nearest)
    return last <= nearest
