"""The projector of the floor."""

from collections.abc import Iterable, Mapping
from typing import Any

from events.floor.table_installation_decider import TableInstalled
from projections.engine.batch_rows import RowCache
from projections.engine.bulk_writer import Target
from projections.engine.composed_projector_base_class import Composed, Handler, ProjectorPart
from projections.engine.decoded_events import Event
from projections.floor import VERSION
from projections.floor.irregularities import Irregularities
from projections.floor.models import InstalledTable, Irregularity, PlayedRound
from projections.floor.rounds import Rounds


class InstalledTables(ProjectorPart):
    """Rows of tables as last installed."""

    def __init__(self, target: Target) -> None:
        self._tables = RowCache(target, InstalledTable)
        super().__init__(self._tables)

    def handlers(self) -> Mapping[Any, Handler]:
        return {TableInstalled: self._installed}

    def _installed(self, event: Event, data: TableInstalled) -> None:
        key = f"{event.stream}/{data.table}"
        row = self._tables.change(key, lambda: InstalledTable(id=key, table=data.table))
        row.pit, row.game, row.ruleset, row.currency = data.pit, data.game, data.ruleset, data.currency
        row.progressive, row.position = data.progressive or "", event.position


class Floor(Composed):
    """Rows of tables on the floor, rounds, and irregularities."""

    name = "floor"
    version = VERSION
    models = (InstalledTable, PlayedRound, Irregularity)

    def parts(self, target: Target) -> Iterable[ProjectorPart]:
        return (InstalledTables(target), Rounds(target), Irregularities(target))
