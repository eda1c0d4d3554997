"""Contents of the live stream of a progressive, from the read models: one round of queries for all listeners."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Literal

import msgspec
from django.db import connection

from backoffice.wording.copy_row_into_page_struct import struct_from
from projections.engine.models import Reader
from projections.eventlog.models import EventLog
from projections.progressives.models import Hit, Lock, Progressive, ProgressiveLevel

HITS_TOLD = 10
READER = "progressives"

Status = Literal["open", "pending", "locked"]


class LiveLevel(msgspec.Struct, frozen=True):
    """A level's meter. `shown_minor` is the display's, `meter_micro` the exact one (text: it may pass 2^53).

    Its status is "pending" while a hit waits for its lock: the displayed amount is not the winner's. It is "locked"
    while a locked share waits to be paid, else "open".
    """

    level: str
    shown_minor: int
    meter_micro: str
    status: Status
    pending: int


class LiveHit(msgspec.Struct, frozen=True):
    """A hit, without its player, since the sign is in public.

    `share_minor` is the share of one winner, `award_minor` the total of all `sharers` of the lock; None before the
    lock. `locked_ms` is the time of the lock's record, in milliseconds since 1970.
    """

    hit: str
    level: str
    table: str
    round: int
    box: int
    status: str
    position: int
    share_minor: int | None
    award_minor: int | None
    sharers: int
    locked_ms: int | None


class LiveContent(msgspec.Struct, frozen=True):
    """A progressive's meters, in order, and its last hits, newest first."""

    progressive: str
    currency: str
    levels: tuple[LiveLevel, ...]
    hits: tuple[LiveHit, ...]


class ProjectionMark(msgspec.Struct, frozen=True):
    """Position of the projection, and the number of changes by others than its runner."""

    position: int
    generation: int


class _Group(msgspec.Struct, frozen=True):
    """A lock with its hits, and the time of its record."""

    lock: Lock
    hits: tuple[str, ...]
    locked_ms: int | None


_hits_of = msgspec.json.Decoder(tuple[str, ...])


def mark() -> ProjectionMark:
    """Return the projection's position: while it is the same, nothing has changed. One query."""
    row = Reader.objects.filter(projection=READER).values_list("position", "generation").first()
    return ProjectionMark(*row) if row else ProjectionMark(0, 0)


def read(
    names: Collection[str], seen: ProjectionMark | None = None
) -> tuple[ProjectionMark, dict[str, LiveContent] | None]:
    """Return the mark and the progressives of these names as of it; None for these while the mark is still `seen`."""
    with _one_moment():
        now = mark()
        if now == seen:
            return now, None
        rows = list(Progressive.objects.filter(progressive__in=names))
        levels: dict[str, list[ProgressiveLevel]] = defaultdict(list)
        for level in ProgressiveLevel.objects.filter(stream__in=[row.id for row in rows]).order_by("stream", "rank"):
            levels[level.stream].append(level)
        return now, {row.progressive: _live(row, levels[row.id]) for row in rows}


@contextmanager
def _one_moment() -> Iterator[None]:
    """Let all queries see the same state of the database, without a lock."""
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("BEGIN" if connection.vendor == "sqlite" else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            cursor.execute("COMMIT")


def _live(row: Progressive, levels: list[ProgressiveLevel]) -> LiveContent:
    """Return the live values of one progressive: three queries, and one for its last locks' times."""
    last = list(Hit.objects.filter(stream=row.id).order_by("-position")[:HITS_TOLD])
    unpaid = Hit.objects.filter(stream=row.id, status__in=("pending", "locked", "authorised"))
    waiting: dict[str, list[str]] = defaultdict(list)
    for level, status in unpaid.values_list("level", "status"):
        waiting[level].append(status)
    groups = _groups(row.id, last)
    return LiveContent(
        progressive=row.progressive,
        currency=row.currency,
        levels=tuple(_level(level, waiting[level.level]) for level in levels),
        hits=tuple(_hit(hit, groups.get(hit.hit)) for hit in last if hit.status not in ("void", "refused")),
    )


def _level(level: ProgressiveLevel, waiting: list[str]) -> LiveLevel:
    pending = waiting.count("pending")
    status: Status = "pending" if pending else "locked" if waiting else "open"
    return LiveLevel(level.level, level.shown_minor, str(level.meter_micro), status, pending)


def _hit(hit: Hit, group: _Group | None) -> LiveHit:
    return struct_from(
        hit,
        LiveHit,
        award_minor=group.lock.amount_minor + group.lock.house_minor if group else None,
        sharers=len(group.hits) if group else 0,
        locked_ms=group.locked_ms if group else None,
    )


def _groups(stream: str, hits: list[Hit]) -> dict[str, _Group]:
    """Return the standing lock of each of these hits that has one."""
    if not any(hit.share_minor is not None for hit in hits):
        return {}
    first = min(hit.position for hit in hits)
    locks = list(Lock.objects.filter(stream=stream, is_standing=True, as_of__gte=first))
    times = _times(locks)
    groups = {}
    for lock in locks:
        names = _hits_of.decode(lock.hits)
        groups.update(dict.fromkeys(names, _Group(lock, names, times.get(lock.position))))
    return groups


def _times(locks: list[Lock]) -> dict[int, int]:
    """Return the times of these locks' records, in milliseconds since 1970, by their positions."""
    rows = EventLog.objects.filter(position__in=[lock.position for lock in locks])
    return {position: int(at.timestamp() * 1000) for position, at in rows.values_list("position", "recordedat")}
