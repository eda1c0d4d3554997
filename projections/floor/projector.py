"""The projector of the floor. Irregularities have the people who must clear them, and by which action."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from events.accounting.event_types.cage import IrregularityFound
from events.floor.table_installation_decider import TableInstalled
from events.tables.actions.progressive_stake_and_hit_structs import DeclareHitLate
from events.tables.armed_round_rebuilt_from_events import UNDECLARED
from events.tables.event_types.session import IrregularityRecorded
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Composed, Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.floor import VERSION
from projections.floor.models import InstalledTable, Irregularity, PlayedRound
from projections.floor.rounds import FloorRounds


class InstalledTables(ProjectorPart):
    """Rows of tables as last installed."""

    def __init__(self, target: WriteTarget) -> None:
        self._tables = RowCache(target, InstalledTable)
        super().__init__(self._tables)

    def handlers(self) -> Mapping[Any, Handler]:
        return {TableInstalled: self._installed}

    def _installed(self, event: Event, data: TableInstalled) -> None:
        key = f"{event.stream}/{data.table}"
        row = self._tables.change(key, lambda: InstalledTable(id=key, table=data.table))
        row.pit, row.game, row.ruleset, row.currency = data.pit, data.game, data.ruleset, data.currency
        row.progressive, row.position = data.progressive or "", event.position


LEAD, OF_THE_CAGE = "inspector or pit boss", "accountant"
# By kind: the people and the action that clear it. LEAD clears all other kinds, without a special action.
CLEARED_BY = {UNDECLARED: (f"{LEAD}, with surveillance", DeclareHitLate.TYPE)}


class Irregularities(ProjectorPart):
    """Rows of irregularities."""

    def __init__(self, target: WriteTarget) -> None:
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


class FloorProjector(Composed):
    """Rows of tables on the floor, rounds, and irregularities."""

    name = "floor"
    version = VERSION
    models = (InstalledTable, PlayedRound, Irregularity)

    def parts(self, target: WriteTarget) -> Iterable[ProjectorPart]:
        return (InstalledTables(target), FloorRounds(target), Irregularities(target))
