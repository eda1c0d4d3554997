"""Facts of a table that may not be: they moved nothing at their progressive."""

from events.errors import Refused
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.models import Misfit


class Misfits(ProjectorPart):
    """Rounds and hits that do not fit their progressive, with the clause."""

    def __init__(self, target: WriteTarget) -> None:
        self._misfits = RowCache(target, Misfit)
        super().__init__(self._misfits)

    def note(self, event: Event, stream: str, why: Refused) -> None:
        """A fact of a table that moved nothing at this progressive."""
        data = event.data
        self._misfits.add(
            event.id,
            stream=stream,
            position=event.position,
            type=event.type,
            clause=why.clause,
            message=why.message,
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round or 0,
        )
