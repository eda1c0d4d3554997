"""The tables of the floor, and their games."""

from collections.abc import Mapping
from typing import Any

from events.floor.floor import TableInstalled
from projections.engine.events import Event
from projections.engine.parts import Handler, ProjectorPart
from projections.engine.rows import RowCache
from projections.engine.target import Target
from projections.floor.models import InstalledTable


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
