"""Irregularities, with who must clear them and by which action."""

from collections.abc import Mapping
from typing import Any

import msgspec

from events.accounting.event_types.cage import IrregularityFound
from events.tables.actions.progressive_stake_and_hit_structs import DeclareHitLate
from events.tables.armed_rounds_for_late_hits import UNDECLARED
from events.tables.event_types.session import IrregularityRecorded
from projections.engine.batch_rows import RowCache
from projections.engine.bulk_writer import Target
from projections.engine.composed_projector_base_class import Handler, ProjectorPart
from projections.engine.decoded_events import Event
from projections.floor.models import Irregularity

LEAD, OF_THE_CAGE = "inspector or pit boss", "accountant"
# By kind, where it is not the pit's lead alone by word of mouth: who clears it, and by which action.
CLEARED_BY = {UNDECLARED: (f"{LEAD}, with surveillance", DeclareHitLate.TYPE)}


class Irregularities(ProjectorPart):
    """Rows of irregularities."""

    def __init__(self, target: Target) -> None:
        self._rows = RowCache(target, Irregularity)
        super().__init__(self._rows)

    def handlers(self) -> Mapping[Any, Handler]:
        return {IrregularityRecorded: self._recorded, IrregularityFound: self._found_in_cage}

    def _found_in_cage(self, event: Event, data: IrregularityFound) -> None:
        self._add(event, data, OF_THE_CAGE, "")

    def _recorded(self, event: Event, data: IrregularityRecorded) -> None:
        self._add(event, data, *CLEARED_BY.get(data.kind, (LEAD, "")))

    def _add(self, event: Event, data: IrregularityRecorded | IrregularityFound, clearer: str, action: str) -> None:
        self._rows.add(
            event.id,
            stream=event.stream,
            table=data.table or "",
            gaming_day=data.gaming_day,
            round=getattr(data, "round", None),
            position=event.position,
            time=event.envelope.time,
            kind=data.kind,
            clause=data.clause,
            detail=data.detail,
            code=data.code or "",
            params=msgspec.json.encode(data.params).decode() if data.params else "",
            clearer=clearer,
            action=action,
        )
