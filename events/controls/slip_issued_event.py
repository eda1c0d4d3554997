"""Fills and credits go by numbered slips (NJ 1.22, 1.23): the cage's stream gives each number, the next of its series.

A series is a kind of slip in a business year. It begins at 1, without a gap and without a repeated number (LA 2717).
Tables and cage share the state of a slip by two keys: one for its issue and one for its settlement. A slip is settled
when it is received, sent, or voided before that. So the second of two settlements is refused.
"""

from typing import ClassVar, Literal

from events.envelope import EventData
from events.house.settings import HouseSettings

Way = Literal["fill", "credit"]
RULE = {"fill": "house slip (NJ 1.22)", "credit": "house slip (NJ 1.23)"}


class SlipIssued(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The cage issued slip `slip` of the `year`'s series, for the request `request` of table `table`.

    The chips of a fill leave the cage with it and are in transit; those of a credit are still at the table.
    """

    TYPE: ClassVar[str] = "slip.issued.v1"
    kind: Way
    year: str
    slip: int
    gaming_day: str
    table: str
    request: str
    chips: dict[int, int]
    amount_minor: int
    runner: str | None = None


def name_of(kind: str, year: str, slip: int) -> str:
    """Return the name of a slip: "fill-2026-17"."""
    return f"{kind}-{year}-{slip}"


def issued_key(property_: str, name: str) -> str:
    """The key under which a slip was issued: no action's has a # in it."""
    return f"{property_}/cage#{name}"


def settled_key(property_: str, name: str) -> str:
    """The key under which its table has received or sent it, or the cage declared it void before."""
    return f"{property_}/cage#{name}#settled"


def business_year(gaming_day: str, settings: HouseSettings) -> str:
    """Return the business year of a gaming day, named by the calendar year in which it begins."""
    year, month = int(gaming_day[:4]), int(gaming_day[5:7])
    return str(year if month >= settings.business_year_begins else year - 1)
