"""The projector of the floor."""

from collections.abc import Iterable

from projections.engine.parts import Composed, ProjectorPart
from projections.engine.target import Target
from projections.floor import VERSION
from projections.floor.installed import InstalledTables
from projections.floor.irregularities import Irregularities
from projections.floor.models import InstalledTable, Irregularity, PlayedRound
from projections.floor.rounds import Rounds


class Floor(Composed):
    """Rows of tables on the floor, rounds, and irregularities."""

    name = "floor"
    version = VERSION
    models = (InstalledTable, PlayedRound, Irregularity)

    def parts(self, target: Target) -> Iterable[ProjectorPart]:
        return (InstalledTables(target), Rounds(target), Irregularities(target))
