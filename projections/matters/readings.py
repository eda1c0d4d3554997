"""Readings of the signs, increment tests, and the variances that they open (SD 24.02)."""

from collections.abc import Mapping
from typing import Any

from events.errors import Poison
from events.progressives import types as said
from events.progressives.readings import VARIANCE_LIMIT_MINOR
from projections.engine.facts import Fact
from projections.engine.parts import Handler, Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.matters.models import Reading, Variance
from projections.matters.text import json

MICRO = 1_000_000


class Readings(Part):
    """What was read, and what was off."""

    def __init__(self, target: Target) -> None:
        self._readings, self._variances = Rows(target, Reading), Rows(target, Variance)
        super().__init__(self._readings, self._variances)

    def handlers(self) -> Mapping[Any, Handler]:
        return {
            said.MeterRead: self._read,
            said.IncrementTested: self._tested,
            said.VarianceOpened: self._variance_opened,
            said.VarianceClosed: self._variance_closed,
        }

    def _read(self, fact: Fact, data: said.MeterRead) -> None:
        good = abs(data.variance_minor) <= VARIANCE_LIMIT_MINOR
        self._reading(fact, data, "reading", data.read_minor, data.shown_minor * MICRO, good=good)

    def _tested(self, fact: Fact, data: said.IncrementTested) -> None:
        rose = data.after_minor - data.before_minor
        self._reading(fact, data, "test", rose, data.expected_micro, good=data.is_passed)

    def _reading(
        self,
        fact: Fact,
        data: said.MeterRead | said.IncrementTested,
        kind: str,
        found_minor: int,
        expected_micro: int,
        *,
        good: bool,
    ) -> None:
        self._readings.change(
            fact.id,
            lambda: Reading(
                id=fact.id,
                stream=fact.stream,
                level=data.level,
                kind=kind,
                position=fact.position,
                found_minor=found_minor,
                expected_micro=expected_micro,
                is_good=good,
                people=json(data.approvals),
            ),
        )

    def _variance_opened(self, fact: Fact, data: said.VarianceOpened) -> None:
        key = f"{fact.stream}/{data.case}"
        self._variances.change(
            key,
            lambda: Variance(
                id=key,
                stream=fact.stream,
                case=data.case,
                level=data.level,
                position=fact.position,
                read_minor=data.read_minor,
                shown_minor=data.shown_minor,
                variance_minor=data.variance_minor,
                limit_minor=data.limit_minor,
            ),
        )

    def _variance_closed(self, fact: Fact, data: said.VarianceClosed) -> None:
        key = f"{fact.stream}/{data.case}"
        if self._variances.get(key) is None:
            raise Poison(f"{fact.stream} opened no variance {data.case!r:.80}")
        row = self._variances.change(key, Variance)
        row.closed_at, row.way, row.reason = fact.position, data.way, data.reason
        row.player, row.people = data.player or "", json(data.approvals)
        row.slip = f"{data.slip_year}-{data.slip}" if data.slip else ""
