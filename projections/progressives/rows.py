"""The rows of the progressives while a batch is merged, and what every handler wants to know of them."""

from bisect import bisect_left
from typing import Any, TypeAlias

import msgspec

from events.errors import Poison
from projections.engine.projector import Projector
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.matters.models import (
    ApprovalRequest,
    HousePayment,
    LevelWait,
    Misfit,
    MissedHit,
    Notice,
    Reading,
    Variance,
)
from projections.progressives.models import (
    MICRO,
    ArmedRound,
    ArmedTable,
    Envy,
    Hit,
    Lock,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)

Rates: TypeAlias = tuple[int, int, int]  # position, feed, reserve: in millionths of a stake


class ProgressiveRows(Projector):
    """What the projector of the progressives remembers: rows, rates by position, hits that wait for their lock."""

    models = (
        Progressive,
        ProgressiveLevel,
        ProgressiveParameters,
        ProgressiveTable,
        ArmedRound,
        Hit,
        Lock,
        Envy,
        ArmedTable,
        ApprovalRequest,
        Reading,
        Variance,
        LevelWait,
        Misfit,
        Notice,
        MissedHit,
        HousePayment,
    )

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._progressives = Rows(target, Progressive)
        self._levels = Rows(target, ProgressiveLevel)
        self._parameters = Rows(target, ProgressiveParameters)
        self._tables = Rows(target, ProgressiveTable)
        self._rounds = Rows(target, ArmedRound)
        self._hits = Rows(target, Hit)
        self._locks = Rows(target, Lock)
        self._envy = Rows(target, Envy)
        self._armed_tables = Rows(target, ArmedTable)
        self._requests = Rows(target, ApprovalRequest)
        self._readings = Rows(target, Reading)
        self._variances = Rows(target, Variance)
        self._waits = Rows(target, LevelWait)
        self._misfits = Rows(target, Misfit)
        self._notices = Rows(target, Notice)
        self._missed = Rows(target, MissedHit)
        self._house = Rows(target, HousePayment)
        self._open_waits: dict[str, set[str]] = {}
        self._at = 0  # position of the event that is being merged
        self._levels_of: dict[str, list[str]] = {}
        self._rates_of: dict[str, list[Rates]] = {}
        self._pending: dict[str, set[str]] = {}
        self._wake: set[str] = set()

    @property
    def _all_rows(self) -> tuple[Rows[Any], ...]:
        return (
            self._progressives,
            self._levels,
            self._parameters,
            self._tables,
            self._rounds,
            self._hits,
            self._locks,
            self._envy,
            self._armed_tables,
            self._requests,
            self._readings,
            self._variances,
            self._waits,
            self._misfits,
            self._notices,
            self._missed,
            self._house,
        )

    def flush(self) -> None:
        for rows in self._all_rows:
            rows.flush()

    def forget(self) -> None:
        for rows in self._all_rows:
            rows.forget()
        for known in (self._levels_of, self._rates_of, self._pending, self._open_waits):
            known.clear()
        self._wake.clear()

    def wake(self) -> set[str]:
        wake, self._wake = self._wake, set()
        return wake

    def _level(self, stream: str, name: str) -> ProgressiveLevel:
        """A level that is about to change. Raises Poison where there is none."""
        key = level_id(stream, name)
        if self._levels.get(key) is None:
            raise Poison(f"{stream} has no level {name!r:.40}")
        return self._levels.change(key, ProgressiveLevel)

    def _level_ids(self, stream: str) -> list[str]:
        if stream not in self._levels_of:
            self._levels.flush()
            found = self._levels.adopt(self.target.select(ProgressiveLevel, "stream = %s ORDER BY rank", [stream]))
            self._levels_of[stream] = [level.id for level in found]
        return self._levels_of[stream]

    def _rates(self, level_id: str) -> list[Rates]:
        if level_id not in self._rates_of:
            self._parameters.flush()
            found = self.target.select(ProgressiveParameters, "level_id = %s ORDER BY position", [level_id])
            self._rates_of[level_id] = [(row.position, row.feed_millionths, row.reserve_millionths) for row in found]
        return self._rates_of[level_id]

    def _rates_at(self, level_id: str, position: int) -> Rates | None:
        """The rates in force for what is armed at a position; None before the opening."""
        rates = self._rates(level_id)
        place = bisect_left(rates, (position, 0, 0))
        return rates[place - 1] if place else None

    def _pending_hits(self, stream: str) -> set[str]:
        if stream not in self._pending:
            self._hits.flush()
            found = self.target.select(Hit, "stream = %s AND status = 'pending'", [stream])
            self._pending[stream] = {hit.id for hit in self._hits.adopt(found)}
        return self._pending[stream]

    def _hit(self, stream: str, name: str) -> Hit:
        """A hit that is about to change; new where the progressive speaks of it before its table does."""
        key = f"{stream}/{name}"
        return self._hits.change(key, lambda: Hit(id=key, stream=stream, hit=name))

    def _settle(self, hit: Hit, status: str | None = None) -> None:
        """Give a hit its status; without one, what its share and its authorisations say of it."""
        if status is None and hit.status not in ("paid", "void", "refused"):
            status = as_shared(hit)
        if status and status != hit.status:
            hit.status, hit.since = status, self._at
        if hit.status in ("void", "refused"):
            hit.share_minor = None
        pending = self._pending_hits(hit.stream)
        if hit.status == "pending":
            pending.add(hit.id)
        else:
            pending.discard(hit.id)


def as_shared(hit: Hit) -> str:
    """The status that a hit's share and its authorisations give it."""
    approved = hit.share_minor in msgspec.json.decode(hit.approved)
    return "pending" if hit.share_minor is None else "authorised" if approved else "locked"


def take(level: ProgressiveLevel, lock: Lock, sign: int) -> None:
    """What a lock does to its level (sign 1), or what taking it back does (-1)."""
    level.locked_minor += sign * lock.amount_minor
    level.house_minor += sign * lock.house_minor
    level.seeds_micro += sign * lock.seed_micro
    level.locks += sign
    level.meter_micro += sign * (lock.seed_micro - lock.amount_minor * MICRO)
    level.reserve_micro -= sign * lock.from_reserve_micro


def level_id(stream: str, level: str) -> str:
    """STREAM/LEVEL."""
    return f"{stream}/{level}"
