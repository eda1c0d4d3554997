"""Position of the read models, and waiting for it: read-your-own-writes."""

import time
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from projections.engine.models import PoisonedEvent, Reader

POLL_SECONDS = 0.005


def watermark(name: str, using: str = "default") -> int:
    """Return the position up to which this projection is complete, before its first quarantined event. 0: no event
    yet.
    """
    return watermarks([name], using)[name]


def watermarks(names: Collection[str], using: str = "default") -> dict[str, int]:
    """`watermark` of several projections, with one query."""
    return watermarks_of(readers_of(names, using), names)


def readers_of(names: Collection[str], using: str = "default") -> QuerySet[Any]:
    """The readers of these projections; each with the first position that it quarantined (`first_aside`)."""
    aside = PoisonedEvent.objects.filter(projection=OuterRef("projection")).order_by("position").values("position")[:1]
    return Reader.objects.using(using).filter(projection__in=names).annotate(first_aside=Subquery(aside))


def watermarks_of(readers: Iterable[Any], names: Collection[str]) -> dict[str, int]:
    """`watermarks` by the readers (`readers_of`) as they were read already."""
    read = {reader.projection: _position_lag(reader.position, reader.first_aside) for reader in readers}
    return {name: read.get(name, 0) for name in names}


def _position_lag(position: int, first_aside: int | None) -> int:
    return position if first_aside is None else min(position, first_aside - 1)


def wait_for(
    position: int,
    timeout_s: float,
    names: Collection[str],
    using: str = "default",
) -> bool:
    """Wait until these projections have read up to `position` (from a command's answer).

    False where they have not in time. Quarantined events do not delay it: they were read.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        there = Reader.objects.using(using).filter(projection__in=names, position__gte=position).count()
        if there == len(set(names)):
            return True
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(POLL_SECONDS, left))
