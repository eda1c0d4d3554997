"""Position of the read models, for read-your-own-writes."""

import time
from collections.abc import Callable, Mapping

import msgspec
from django.db.models import Count, Min

from backoffice.event_log.filters import read_number
from backoffice.freshness.freshness import Freshness, freshness
from projections.engine.models import Reader
from projections.registry import PROJECTORS

WAIT_SECONDS_MAX = 5.0
LOOK_EVERY_S = 0.03
UNTIL_S = 2.0  # of a person who has just acted, and wants to see the result


class Position(msgspec.Struct, frozen=True):
    """Position of the read models. `reached`: whether it is as far as asked for."""

    position: int
    reached: bool
    freshness: Freshness


def requested_position(query: Mapping[str, str]) -> tuple[int, float]:
    """The position that is wanted, and how many seconds may be waited for it. Raises Invalid."""
    return read_number(query, "at_least") or 0, min(float(read_number(query, "within") or 0), WAIT_SECONDS_MAX)


def read_up_to() -> int:
    """Return the position that every read model has read. Quarantined events count as read."""
    readers = Reader.objects.filter(projection__in=PROJECTORS).aggregate(least=Min("position"), count=Count("pk"))
    return int(readers["least"]) if readers["count"] == len(set(PROJECTORS)) else 0


def position(wanted: int) -> Position:
    """Return the present position."""
    reached = read_up_to() >= wanted
    now = freshness()
    return Position(now.position, reached, now)


def wait_for_position(wanted: int, within_s: float = UNTIL_S, pause: Callable[[float], None] = time.sleep) -> bool:
    """Return whether the read models are that far, now or within a moment."""
    ends = time.monotonic() + within_s
    while read_up_to() < wanted:
        if time.monotonic() > ends:
            return False
        pause(LOOK_EVERY_S)
    return True
