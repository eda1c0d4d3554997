"""The projector of cases: each event of a case is one row."""

from collections.abc import Callable, Sequence

from projections.cases import VERSION
from projections.cases.models import CaseEvent
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Projector
from projections.engine.row_cache_for_batches import RowCache


class CasesProjector(Projector):
    """Events of restricted streams of cases."""

    name = "cases"
    version = VERSION
    models = (CaseEvent,)
    takes_restricted = True

    def __init__(self, target: WriteTarget) -> None:
        super().__init__(target)
        self._rows = RowCache(target, CaseEvent)

    def fold(self, events: Sequence[Event]) -> None:
        for event in events:
            kind, _, case = event.stream.partition("/")[2].partition("/")
            if kind == "cases":
                self._rows.change(event.id, _new_row(event, case))

    def changes(self) -> Sequence[Changes]:
        return [self._rows.changes()]

    def forget(self) -> None:
        self._rows.forget()


def _new_row(event: Event, case: str) -> Callable[[], CaseEvent]:
    return lambda: CaseEvent(
        id=event.id,
        case=case,
        version=event.version,
        position=event.position,
        type=event.type,
        raw=event.raw.decode(),
    )
