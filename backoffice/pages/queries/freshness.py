"""How old the figures are: what the projector has read, against what the store holds."""

import logging
from datetime import datetime
from typing import Any, Literal

import msgspec
from django.db.models import Count
from eventsourcing.persistence import PersistenceError

from backoffice.api.desk import desk
from events import clock
from events.errors import PitledgerError
from projections.models import EventLog, PoisonedEvent
from projections.reading import watermarks
from projections.registry import PROJECTORS

log = logging.getLogger(__name__)

LATE_SECONDS = 5.0
State = Literal["empty", "current", "late", "unknown"]


class Freshness(msgspec.Struct, frozen=True):
    """`position`: everything up to here is in the read models. `head`: the store's last (None: it does not answer).

    `late_seconds` is the age of the oldest event that was not read yet, `aside` how many events were put aside.
    """

    position: int
    head: int | None
    last_time: datetime | None
    late_seconds: float
    aside: int
    state: State

    @property
    def unread(self) -> int:
        """At most so many events are in the store and not in the read models."""
        return max(0, (self.head or 0) - self.position)

    @property
    def token(self) -> str:
        """What a page has seen; while it is the same there is nothing new to show."""
        return f"{self.position}.{self.state}.{self.aside}"

    @property
    def is_stale(self) -> bool:
        """Whether the figures must look old."""
        return self.state in ("late", "unknown") or self.aside > 0


class _Moment(msgspec.Struct):
    recordedat: datetime


_moment = msgspec.json.Decoder(_Moment)


def freshness() -> Freshness:
    """As of this moment. Four small queries, and one or two of the store."""
    position = min(watermarks(list(PROJECTORS)).values())
    last = EventLog.objects.order_by("-position").values_list("time", flat=True).first()
    aside = PoisonedEvent.objects.filter(projection__in=PROJECTORS).aggregate(n=Count("position", distinct=True))["n"]
    head, oldest = _store(position)
    late = (clock.moment() - oldest).total_seconds() if oldest else 0.0
    return Freshness(position, head, last, max(0.0, late), aside, _state(position, head, late))


def _state(position: int, head: int | None, late: float) -> State:
    if head is None:
        return "unknown"
    if position == head == 0:
        return "empty"
    return "late" if late > LATE_SECONDS else "current"


def _store(position: int) -> tuple[int | None, datetime | None]:
    """The store's last position, and when the oldest event beyond `position` was recorded."""
    try:
        store: Any = desk().store
        head = store.position()
        unread = store.after(position, 1) if head > position else []
    except (PitledgerError, PersistenceError, OSError) as error:
        log.warning("the event store does not answer: %s", error)
        return None, None
    return head, _moment.decode(unread[0].raw).recordedat if unread else None
