"""Age of the figures: the projector's position against the store's."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
from django.db.models import Count, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from eventsourcing.persistence import PersistenceError

from backoffice.freshness.history_mismatch import of_parts
from backoffice.freshness.part_states_from_reports import away_now
from backoffice.installation.dependency_injection import installation
from backoffice.running.parts_not_running import Away
from events.errors import PitledgerError
from events.runtime import clock
from projections.engine.models import PoisonedEvent, Reader
from projections.engine.projection_positions_and_wait import readers_of, watermarks_of
from projections.engine.same_store_check_by_digest import holds
from projections.eventlog.models import EventLog
from projections.registry import PROJECTORS

log = logging.getLogger(__name__)

LATE_SECONDS = 5.0
State = Literal["empty", "current", "late", "unknown", "astray"]


class Freshness(msgspec.Struct, frozen=True):
    """`position`: the read models are complete up to here. `head`: the store's last position (None: no answer).

    `late_seconds` is the age of the oldest unread event, `aside` the number of quarantined events. `blocked` is the
    reason why no new event reaches the figures, with the command that ends it. "astray": a reader has read events that
    the store does not hold, so the age of these figures is unknown. `away` are the stopped parts of the house.
    """

    position: int
    head: int | None
    last_time: datetime | None
    late_seconds: float
    aside: int
    state: State
    away: tuple[Away, ...] = ()
    blocked: str = ""

    @property
    def unread(self) -> int:
        """Return an upper bound of the events in the store that the read models lack."""
        return max(0, (self.head or 0) - self.position)

    @property
    def figures(self) -> str:
        """Return a token of the figures' source; equal tokens mean equal figures."""
        blocked = ["blocked"] if self.blocked else []
        return ".".join(map(str, (self.position, self.state, self.aside, *blocked, *(part.name for part in self.away))))

    @property
    def token(self) -> str:
        """Return a token of the page's contents: equal tokens mean nothing new. Late readers add the number unread."""
        return f"{self.figures}~{self.unread}" if self.state == "late" else self.figures

    @property
    def is_stale(self) -> bool:
        """Return whether the page must mark the figures as old."""
        return self.state in ("late", "unknown", "astray") or self.aside > 0


class _EventTimestamp(msgspec.Struct):
    recordedat: datetime


_moment = msgspec.json.Decoder(_EventTimestamp)


def freshness() -> Freshness:
    """Return the present freshness. One small query, and two to four of the store."""
    readers = list(_readers())
    position = min(watermarks_of(readers, PROJECTORS).values())
    last, aside = (readers[0].last_time, readers[0].aside) if readers else (None, 0)
    head, oldest, is_astray = _store(position, readers)
    late = (clock.moment() - oldest).total_seconds() if oldest else 0.0
    state = "astray" if is_astray else _state(position, head, late)
    return Freshness(position, head, last, max(0.0, late), aside, state, away_now(), of_parts())


def _readers() -> QuerySet[Any]:
    """Return the readers, each with the time of the last logged event and the number of quarantined events."""
    last = EventLog.objects.order_by("-position").values("time")[:1]
    poisoned = PoisonedEvent.objects.filter(projection__in=PROJECTORS).order_by().annotate(all=Value(1)).values("all")
    aside = poisoned.annotate(n=Count("position", distinct=True)).values("n")
    stated = {"last_time": Subquery(last), "aside": Coalesce(Subquery(aside), 0)}
    readers: QuerySet[Any] = readers_of(PROJECTORS).annotate(**stated)
    return readers


def _state(position: int, head: int | None, late: float) -> State:
    if head is None:
        return "unknown"
    if position == head == 0:
        return "empty"
    return "late" if late > LATE_SECONDS else "current"


def _store(position: int, readers: Sequence[Reader]) -> tuple[int | None, datetime | None, bool]:
    """Return the store's last position, the oldest event's time past `position`, and whether a reader is astray."""
    places = {(reader.position, reader.digest): reader for reader in readers}
    try:
        store: Any = installation().store
        is_astray = not all(holds(store, reader) for reader in places.values())
        head = store.position()
        unread = store.after(position, 1) if head > position else []
    except (PitledgerError, PersistenceError, OSError) as error:
        log.warning("the event store does not answer: %s", error)
        return None, None, False
    return head, _moment.decode(unread[0].raw).recordedat if unread else None, is_astray
