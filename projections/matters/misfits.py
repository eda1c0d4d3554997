"""Facts of a table that may not be: they moved nothing at their progressive."""

from events.errors import Refused
from projections.engine.facts import Fact
from projections.engine.parts import Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.matters.models import Misfit


class Misfits(Part):
    """What does not fit, with its clause."""

    def __init__(self, target: Target) -> None:
        self._misfits = Rows(target, Misfit)
        super().__init__(self._misfits)

    def note(self, fact: Fact, stream: str, why: Refused) -> None:
        """A fact of a table that moved nothing at this progressive."""
        data = fact.data
        self._misfits.change(
            fact.id,
            lambda: Misfit(
                id=fact.id,
                stream=stream,
                position=fact.position,
                type=fact.type,
                clause=why.clause,
                message=why.message,
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round or 0,
            ),
        )
