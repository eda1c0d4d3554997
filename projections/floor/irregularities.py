"""Irregularities, with who must clear them and by which action."""

from collections.abc import Mapping
from typing import Any

from events.tables.actions.progressive import DeclareHitLate
from events.tables.armed import UNDECLARED
from events.tables.types.common import IrregularityRecorded
from projections.engine.events import Event
from projections.engine.parts import Handler, Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.floor.models import Irregularity

LEAD = "inspector or pit boss"
# By kind, where it is not the pit's lead alone by word of mouth: who clears it, and by which action.
CLEARED_BY = {UNDECLARED: (f"{LEAD}, with surveillance", DeclareHitLate.TYPE)}


class Irregularities(Part):
    """One row each."""

    def __init__(self, target: Target) -> None:
        self._found = Rows(target, Irregularity)
        super().__init__(self._found)

    def handlers(self) -> Mapping[Any, Handler]:
        return {IrregularityRecorded: self._recorded}

    def _recorded(self, event: Event, data: IrregularityRecorded) -> None:
        clearer, action = CLEARED_BY.get(data.kind, (LEAD, ""))
        self._found.change(
            event.id,
            lambda: Irregularity(
                id=event.id,
                stream=event.stream,
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round,
                position=event.position,
                time=event.envelope.time,
                kind=data.kind,
                clause=data.clause,
                detail=data.detail,
                clearer=clearer,
                action=action,
            ),
        )
