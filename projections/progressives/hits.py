"""Hits, from their declaration to their payment, and the envy that they bring."""

from collections.abc import Mapping
from typing import Any

import msgspec

from events.progressives import event_types
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.json_text_for_columns import json
from projections.matters.locks_waiting_for_undealt_round import WaitingLevels
from projections.progressives.meters import Meters
from projections.progressives.models import ArmedRound, Envy, Hit


class Hits(ProjectorPart):
    """Hits by progressive and name. Their table gives place and player, their progressive the outcome."""

    def __init__(self, target: WriteTarget, meters: Meters, waits: WaitingLevels) -> None:
        self._target, self._meters, self._waits = target, meters, waits
        self._hits, self._envy = RowCache(target, Hit), RowCache(target, Envy)
        self._pending_hits: dict[str, set[str]] = {}
        super().__init__(self._hits, self._envy)

    def handlers(self) -> Mapping[Any, Handler]:
        return {
            event_types.HitAuthorised: self._authorised,
            event_types.JackpotPaid: self._paid,
            event_types.HitVoided: self._voided,
            event_types.EnvyPaid: self._envied,
        }

    def forget(self) -> None:
        self._pending_hits.clear()

    def _authorised(self, event: Event, data: event_types.HitAuthorised) -> None:
        hit = self.change(event.stream, data.hit)
        hit.approved = json(sorted({*msgspec.json.decode(hit.approved), data.amount_minor}))
        self.settle(hit, event.position)

    def _paid(self, event: Event, data: event_types.JackpotPaid) -> None:
        hit = self.change(event.stream, data.hit)
        hit.share_minor, hit.slip = data.amount_minor, f"{data.slip_year}-{data.slip}"
        self._meters.level(event.stream, data.level).paid_minor += data.amount_minor
        self.settle(hit, event.position, "paid")

    def _voided(self, event: Event, data: event_types.HitVoided) -> None:
        self.settle(self.change(event.stream, data.hit), event.position, "void")
        self._waits.void(event.stream, data.hit, event.position)

    def _envied(self, event: Event, data: event_types.EnvyPaid) -> None:
        key = f"{event.stream}/{data.hit}/{data.player}"
        row = self._envy.add(
            key,
            stream=event.stream,
            hit=data.hit,
            player=data.player,
            amount_minor=0,
        )
        row.amount_minor += data.amount_minor
        row.slip = f"{data.slip_year}-{data.slip}"

    def get(self, key: str) -> Hit | None:
        """A hit by its id, not to be changed."""
        return self._hits.get(key)

    def of_round(self, armed: ArmedRound) -> list[Hit]:
        """Every hit of a round."""
        self._hits.flush()
        rows = self._target.select(Hit, "session = %s AND round = %s", [armed.session, armed.round])
        return self._hits.adopt(rows)

    def pending(self, stream: str) -> set[str]:
        """The hits of a progressive that wait for their lock."""
        if stream not in self._pending_hits:
            self._hits.flush()
            hits = self._target.select(Hit, "stream = %s AND status = 'pending'", [stream])
            self._pending_hits[stream] = {hit.id for hit in self._hits.adopt(hits)}
        return self._pending_hits[stream]

    def change(self, stream: str, name: str) -> Hit:
        """A hit that is about to change; new where the progressive speaks of it before its table does."""
        key = f"{stream}/{name}"
        return self._hits.change(key, lambda: Hit(id=key, stream=stream, hit=name))

    def settle(self, hit: Hit, at: int, status: str | None = None) -> None:
        """Set the status of a hit; without one, the status by its share and its authorisations."""
        if status is None and hit.status not in ("paid", "void", "refused"):
            status = as_shared(hit)
        if status and status != hit.status:
            hit.status, hit.since = status, at
        if hit.status in ("void", "refused"):
            hit.share_minor = None
        pending = self.pending(hit.stream)
        if hit.status == "pending":
            pending.add(hit.id)
        else:
            pending.discard(hit.id)


def as_shared(hit: Hit) -> str:
    """The status that a hit's share and its authorisations give it."""
    approved = hit.share_minor in msgspec.json.decode(hit.approved)
    return "pending" if hit.share_minor is None else "authorised" if approved else "locked"
