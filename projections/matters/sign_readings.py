"""Readings of the signs, increment tests, and the variances that they open (SD 24.02)."""

from collections.abc import Mapping
from typing import Any

from events.error_codes import coded
from events.errors import Poison
from events.progressives import event_types
from events.progressives.sign_readings_and_variance_cases import VARIANCE_LIMIT_MINOR
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.json_text_for_columns import json
from projections.matters.models import Reading, Variance

MICRO = 1_000_000


class Readings(ProjectorPart):
    """Readings of meters, and their variances."""

    def __init__(self, target: WriteTarget) -> None:
        self._readings, self._variances = RowCache(target, Reading), RowCache(target, Variance)
        super().__init__(self._readings, self._variances)

    def handlers(self) -> Mapping[Any, Handler]:
        return {
            event_types.MeterRead: self._read,
            event_types.IncrementTested: self._tested,
            event_types.VarianceOpened: self._variance_opened,
            event_types.VarianceClosed: self._variance_closed,
        }

    def _read(self, event: Event, data: event_types.MeterRead) -> None:
        good = abs(data.variance_minor) <= VARIANCE_LIMIT_MINOR
        self._reading(event, data, "reading", data.read_minor, data.shown_minor * MICRO, good=good)

    def _tested(self, event: Event, data: event_types.IncrementTested) -> None:
        rose = data.after_minor - data.before_minor
        self._reading(event, data, "test", rose, data.expected_micro, good=data.is_passed)

    def _reading(
        self,
        event: Event,
        data: event_types.MeterRead | event_types.IncrementTested,
        kind: str,
        found_minor: int,
        expected_micro: int,
        *,
        good: bool,
    ) -> None:
        self._readings.add(
            event.id,
            stream=event.stream,
            level=data.level,
            kind=kind,
            position=event.position,
            found_minor=found_minor,
            expected_micro=expected_micro,
            is_good=good,
            people=json(data.approvals),
        )

    def _variance_opened(self, event: Event, data: event_types.VarianceOpened) -> None:
        key = f"{event.stream}/{data.case}"
        self._variances.add(
            key,
            stream=event.stream,
            case=data.case,
            level=data.level,
            position=event.position,
            read_minor=data.read_minor,
            shown_minor=data.shown_minor,
            variance_minor=data.variance_minor,
            limit_minor=data.limit_minor,
        )

    def _variance_closed(self, event: Event, data: event_types.VarianceClosed) -> None:
        key = f"{event.stream}/{data.case}"
        if self._variances.get(key) is None:
            raise Poison(coded("stream-has-no", stream=event.stream, what="variance", name=data.case))
        row = self._variances.change(key, Variance)
        row.closed_at, row.way, row.reason = event.position, data.way, data.reason
        row.player, row.people = data.player or "", json(data.approvals)
        row.slip = f"{data.slip_year}-{data.slip}" if data.slip else ""
