"""Proposals for opening or rolling a table: the gaming day, the shift by the clock, the last closer."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec.structs import replace

from backoffice.days import decider_books as rooms
from events import catalogue
from events.house import calendar
from events.house.settings import DEFAULTS, HouseSettings
from events.runtime import clock
from events.settings.settings import settings
from projections.accounts.models import DayAccount
from projections.eventlog.models import EventLog

CLOSERS = ("session.closed.v1", "session.rolled.v1")


def proposed(table: str) -> Mapping[str, Any]:
    """Return the values of the form by which a table is opened."""
    values: dict[str, Any] = {"gaming_day": gaming_day()} | _shift()
    if closer := last_closer(table):
        values["opener"] = closer
    return values


def rolled(day: str) -> Mapping[str, Any]:
    """Return the values of the form by which a table is rolled: the next day, and its first shift."""
    return {"gaming_day": next_day(day)} | _shift()


def gaming_day() -> str:
    """Return the last gaming day if it is not closed; else the property's gaming day, or the day after the last."""
    last = DayAccount.objects.order_by("-id").values_list("id", "is_closed").first()
    today = calendar.gaming_day(_settings(), clock.moment()).isoformat()
    if last is None:
        return today
    return max(today, next_day(last[0])) if last[1] else last[0]


def next_day(day: str) -> str:
    """Return the day after a day."""
    return calendar.next_day(_settings(), date.fromisoformat(day)).isoformat()


def last_closer(table: str) -> dict[int, int]:
    """Return the chips that were counted when the table was closed last; none for a table that never was."""
    rows = EventLog.objects.filter(table=table, type__in=CLOSERS).order_by("-position")
    row = rows.first()
    if row is None:
        return {}
    event: Any = catalogue.decode(row.type, bytes(row.raw)).data
    return dict(getattr(event, "closer", None) or getattr(event, "chips", None) or {})


def _shift() -> dict[str, str]:
    """The shift of the house that runs now: the one that began last."""
    return {"shift": calendar.shift_at(_settings(), clock.moment())}


def _settings() -> HouseSettings:
    """The settings of the house; its zone is that of the pages where the house has set none."""
    house: HouseSettings = rooms.books().settings
    return house if house.zone != DEFAULTS.zone else replace(house, zone=settings().time_zone)
