"""Locks: the amounts that they take from their level and give to their hits, revision by revision."""

from collections.abc import Mapping
from typing import Any

import msgspec

from events.error_codes import coded
from events.errors import Poison
from events.progressives import event_types
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.json_text_for_columns import json
from projections.progressives.hits import Hits, as_shared
from projections.progressives.meters import Meters
from projections.progressives.models import MICRO, Lock, ProgressiveLevel


class Locks(ProjectorPart):
    """A lock's revision replaces the one before it."""

    def __init__(self, target: WriteTarget, meters: Meters, hits: Hits) -> None:
        self._meters, self._hits = meters, hits
        self._locks = RowCache(target, Lock)
        super().__init__(self._locks)

    def handlers(self) -> Mapping[Any, Handler]:
        return {event_types.SharesLocked: self._locked, event_types.LockWithdrawn: self._withdrawn}

    def _locked(self, event: Event, data: event_types.SharesLocked) -> None:
        key = f"{event.stream}/{data.group}"
        level = self._meters.level(event.stream, data.level)
        lock = self._locks.add(
            key,
            stream=event.stream,
            level=data.level,
            group=data.group,
            revision=0,
            is_standing=False,
            hits="[]",
        )
        self._take_back(level, lock, data.revision, event.position)
        lock.is_standing, lock.as_of, lock.position = True, data.as_of, event.position
        lock.hits = json([share.hit for share in data.shares])
        lock.share_minor = data.shares[0].share_minor
        lock.amount_minor, lock.house_minor = data.amount_minor, data.house_minor
        lock.meter_micro, lock.seed_micro = data.meter_micro, data.seed_minor * MICRO
        lock.from_reserve_micro = data.seed_from_reserve_micro
        take(level, lock, 1)
        for share in data.shares:
            hit = self._hits.change(event.stream, share.hit)
            if hit.status != "paid":
                hit.share_minor = share.share_minor
                self._hits.settle(hit, event.position, as_shared(hit))

    def _withdrawn(self, event: Event, data: event_types.LockWithdrawn) -> None:
        lock = self._locks.get(f"{event.stream}/{data.group}")
        if lock is None:
            raise Poison(coded("stream-has-no", stream=event.stream, what="award", name=data.group))
        lock = self._locks.change(lock.id, Lock)
        self._take_back(self._meters.level(event.stream, data.level), lock, data.revision, event.position)
        lock.position = event.position
        if data.reason == "void":
            for name in msgspec.json.decode(lock.hits):
                hit = self._hits.change(event.stream, name)
                if hit.status != "paid":
                    self._hits.settle(hit, event.position, "void")

    def _take_back(self, level: ProgressiveLevel, lock: Lock, revision: int, at: int) -> None:
        """Undo the effect of the last revision on the level and its hits. Raises `Poison` for an old revision."""
        if revision <= lock.revision:
            raise Poison(coded("award-revision-order", award=lock.id, revision=revision, last=lock.revision))
        lock.revision = revision
        if not lock.is_standing:
            return
        take(level, lock, -1)
        lock.is_standing = False
        for name in msgspec.json.decode(lock.hits):
            hit = self._hits.change(lock.stream, name)
            if hit.status not in ("paid", "void"):
                hit.share_minor = None
                self._hits.settle(hit, at)


def take(level: ProgressiveLevel, lock: Lock, sign: int) -> None:
    """Apply a lock to its level (sign 1), or take it back (-1)."""
    level.locked_minor += sign * lock.amount_minor
    level.house_minor += sign * lock.house_minor
    level.seeds_micro += sign * lock.seed_micro
    level.locks += sign
    level.meter_micro += sign * (lock.seed_micro - lock.amount_minor * MICRO)
    level.reserve_micro -= sign * lock.from_reserve_micro
