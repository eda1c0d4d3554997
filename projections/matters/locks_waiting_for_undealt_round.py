"""Levels whose locks wait for the undealt round of a hit."""

from collections.abc import Callable, Mapping
from typing import Any

from events.progressives import event_types
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.models import LevelWait


class WaitingLevels(ProjectorPart):
    """Alerts that a level waits, until its round is dealt or void, or its hit is."""

    def __init__(self, target: WriteTarget) -> None:
        self._target = target
        self._waits = RowCache(target, LevelWait)
        self._open_waits: dict[str, set[str]] = {}
        super().__init__(self._waits)

    def handlers(self) -> Mapping[Any, Handler]:
        return {event_types.LevelWaiting: self._waiting}

    def forget(self) -> None:
        self._open_waits.clear()

    def _waiting(self, event: Event, data: event_types.LevelWaiting) -> None:
        key = f"{event.stream}/{data.hit}"
        self._waits.add(
            key,
            stream=event.stream,
            hit=data.hit,
            level=data.level,
            session=f"{event.envelope.source}/tables/{data.table}/{data.gaming_day}",
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round,
            since=data.as_of,
            position=event.position,
        )
        self._waiting_now(event.stream).add(key)

    def _waiting_now(self, stream: str) -> set[str]:
        if stream not in self._open_waits:
            self._waits.flush()
            waits = self._waits.adopt(
                self._target.select(LevelWait, "stream = %s AND cleared_at IS NULL", [stream]),
            )
            self._open_waits[stream] = {row.id for row in waits}
        return self._open_waits[stream]

    def dealt(self, stream: str, session: str, round_: int, why: str, at: int) -> None:
        """The level waits no more for this round."""
        self._clear(stream, lambda row: (row.session, row.round) == (session, round_), why, at)

    def void(self, stream: str, hit: str, at: int) -> None:
        """The level waits no more for this hit."""
        self._clear(stream, lambda row: row.hit == hit, "hit void", at)

    def _clear(self, stream: str, is_over: Callable[[LevelWait], bool], why: str, at: int) -> None:
        for key in sorted(self._waiting_now(stream)):
            row = self._waits.get(key)
            if row is not None and is_over(row):
                row = self._waits.change(key, LevelWait)
                row.cleared_at, row.cleared_by = at, why
                self._open_waits[stream].discard(key)
