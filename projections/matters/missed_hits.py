"""Hits that no one declared: the cards make one, and a person has to look for it."""

from events.tables.event_types.session import IrregularityRecorded
from projections.engine.batch_rows import RowCache
from projections.engine.bulk_writer import Target
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import ProjectorPart
from projections.matters.models import MissedHit


class MissedHits(ProjectorPart):
    """Cards that make a hit, and no one declared it."""

    def __init__(self, target: Target) -> None:
        self._missed = RowCache(target, MissedHit)
        super().__init__(self._missed)

    def note(self, event: Event, data: IrregularityRecorded, stream: str, level: str, shown_minor: int | None) -> None:
        """Note a missed hit, for people to check."""
        key = missed_id(event.stream, data.round, data.box)
        self._missed.add(
            key,
            stream=stream,
            session=event.stream,
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round or 0,
            box=data.box or 0,
            player=data.player or "",
            level=level,
            shown_minor=shown_minor,
            position=event.position,
        )

    def clear(self, key: str, why: str, at: int) -> None:
        """Clear a missed hit."""
        row = self._missed.get(key)
        if row is not None and row.cleared_at is None:
            row = self._missed.change(key, MissedHit)
            row.cleared_at, row.cleared_by = at, why


def missed_id(session: str, round_: int | None, box: int | None) -> str:
    """SESSION#ROUND/BOX."""
    return f"{session}#{round_}/{box}"
