"""How far the read models are, and waiting for them: read-your-own-writes by position."""

import time
from collections.abc import Collection, Iterable

from django.db.models import Min

from projections.engine.models import PoisonedEvent, Reader

POLL_SECONDS = 0.005


def watermark(name: str, using: str = "default") -> int:
    """The position up to which everything is in this projection; poison keeps it below itself. 0: nothing yet."""
    return watermarks([name], using)[name]


def watermarks(names: Collection[str], using: str = "default") -> dict[str, int]:
    """`watermark` of several projections, with two queries."""
    return watermarks_of(Reader.objects.using(using).filter(projection__in=names), names, using)


def watermarks_of(readers: Iterable[Reader], names: Collection[str], using: str = "default") -> dict[str, int]:
    """`watermarks` by the readers as they were read already: one query."""
    read = {reader.projection: reader.position for reader in readers}
    poisoned = (
        PoisonedEvent.objects.using(using)
        .filter(projection__in=names)
        .values_list("projection")
        .annotate(first=Min("position"))
    )
    below = {projection: first - 1 for projection, first in poisoned}
    return {name: min(read.get(name, 0), below.get(name, read.get(name, 0))) for name in names}


def wait_for(
    position: int,
    timeout_s: float,
    names: Collection[str],
    using: str = "default",
) -> bool:
    """Wait until these projections have read up to `position` (as a command's answer gives it).

    False where they have not in time. What a reader put aside keeps nobody waiting: it was read.
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
