"""Allowed times and gaming days of an action: bounded by the house's clock. Pure.

Only new actions are checked. A used key gets its first answer, at any later time.
"""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from events.envelope import Action, ActionData
from events.error_codes import coded
from events.errors import Invalid

AHEAD_MAX = timedelta(minutes=5)  # by which the clocks of devices differ from the house's, either way
OLD_MAX = timedelta(days=1)  # events of no session are recorded within a day
DAYS_NEAR = 1  # between the house's day (UTC) and a gaming day: zones, and nights that pass midnight


def check(action: Action, data: ActionData, now: str, begun: str | None = None) -> None:
    """An action at `now`, in a session that began at `begun` (None: in none that is stored). Raises Invalid."""
    if action.time is not None:
        _check_time(action.time, now, begun)
    if (day := getattr(data, "gaming_day", None)) is not None:
        _check_day(day, now)


def _check_time(time: str, now: str, begun_at: str | None) -> None:
    """Require a fact to be no older than its session, and no action to be in the future."""
    at, (least, most) = _moment(time), _bounds(now, begun_at)
    if at > most:
        raise Invalid("time", coded("time-ahead", time=time, now=now))
    if at < least and begun_at is None:
        raise Invalid("time", coded("time-too-old", time=time, now=now))
    if at < least:
        raise Invalid("time", coded("time-before-session", time=time, begun=begun_at))


@lru_cache(maxsize=1_000)  # events of one decision have one moment, in sessions that began long ago
def _bounds(now: str, begun: str | None) -> tuple[datetime, datetime]:
    today = _moment(now)
    least = today - OLD_MAX
    if begun is not None:
        try:
            least = _moment(begun) - AHEAD_MAX
        except (ValueError, OverflowError):  # events accepted before times were bounded are no bound
            least = datetime.min.replace(tzinfo=UTC)
    return least, today + AHEAD_MAX


@lru_cache(maxsize=1_000)
def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _check_day(day: str, now: str) -> None:
    if abs((date.fromisoformat(day) - date.fromisoformat(now[:10])).days) > DAYS_NEAR:
        raise Invalid("data.gaming_day", coded("gaming-day-not-near-clock", day=day, now=now))
