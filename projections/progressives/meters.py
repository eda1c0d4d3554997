"""Meters: parameters by position, contributions and corrections."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import UNSET

from events.error_codes import coded
from events.errors import Poison
from events.progressives import event_types
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.accounting_notices import Notices
from projections.matters.json_text_for_columns import json
from projections.progressives.models import (
    MICRO,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)

Rates: TypeAlias = tuple[int, int, int]  # position, feed, reserve: in millionths of a stake


class Meters(ProjectorPart):
    """Progressives, their levels, and the contributions of each table's day. Rates are looked up by position."""

    def __init__(self, target: WriteTarget, notices: Notices) -> None:
        self._target, self._notices = target, notices
        self._progressives = RowCache(target, Progressive)
        self._levels = RowCache(target, ProgressiveLevel)
        self._parameters = RowCache(target, ProgressiveParameters)
        self._tables = RowCache(target, ProgressiveTable)
        self._levels_of: dict[str, list[str]] = {}
        self._rates_of: dict[str, list[Rates]] = {}
        super().__init__(self._progressives, self._levels, self._parameters, self._tables)

    def handlers(self) -> Mapping[Any, Handler]:
        return {
            event_types.ProgressiveOpened: self._opened,
            event_types.ParametersChanged: self._changed,
            event_types.MeterAdjusted: self._adjusted,
        }

    def forget(self) -> None:
        self._levels_of.clear()
        self._rates_of.clear()

    def _opened(self, event: Event, data: event_types.ProgressiveOpened) -> None:
        low, high = data.stakes_minor
        self._progressives.add(
            event.stream,
            progressive=data.progressive,
            ruleset=data.ruleset,
            currency=data.currency,
            policy=data.policy,
            stake_low_minor=low,
            stake_high_minor=high,
            envy=json(data.envy_minor),
            envy_to_winner=data.envy_to_winner,
            withhold_millionths=data.withhold_millionths,
            surveillance_over_minor=data.surveillance_over_minor,
            position=event.position,
        )
        for rank, level in enumerate(data.levels):
            self._open_level(event, data, rank, level)
        self._levels_of.pop(event.stream, None)

    def _open_level(
        self, event: Event, data: event_types.ProgressiveOpened, rank: int, level: event_types.LevelOpened
    ) -> None:
        key = level_id(event.stream, level.level)
        row = self._levels.add(
            key,
            stream=event.stream,
            progressive=data.progressive,
            level=level.level,
            rank=rank,
            start_micro=level.meter_micro,
            meter_micro=level.meter_micro,
            reserve_start_micro=level.reserve_micro,
            reserve_micro=level.reserve_micro,
            seed_micro=level.seed_minor * MICRO,
            cap_micro=None if level.cap_minor is None else level.cap_minor * MICRO,
            feed_millionths=level.feed_millionths,
            reserve_millionths=level.reserve_millionths,
        )
        self._note_rates(event, row)

    def _note_rates(self, event: Event, level: ProgressiveLevel) -> None:
        key = f"{event.id}/{level.level}"
        self._parameters.add(
            key,
            level_id=level.id,
            position=event.position,
            feed_millionths=level.feed_millionths,
            reserve_millionths=level.reserve_millionths,
        )
        known_rates = self._rates(level.id)
        rates = (event.position, level.feed_millionths, level.reserve_millionths)
        if rates not in known_rates:
            known_rates.append(rates)
            known_rates.sort()

    def _changed(self, event: Event, data: event_types.ParametersChanged) -> None:
        level = self.level(event.stream, data.level)
        self._note_change(event, data, level)
        if data.seed_minor is not UNSET:
            level.seed_micro = data.seed_minor * MICRO
        if data.cap_minor is not UNSET:
            level.cap_micro = None if data.cap_minor is None else data.cap_minor * MICRO
        if data.feed_millionths is not UNSET:
            level.feed_millionths = data.feed_millionths
        if data.reserve_millionths is not UNSET:
            level.reserve_millionths = data.reserve_millionths
        self._note_rates(event, level)

    def _note_change(self, event: Event, data: event_types.ParametersChanged, level: ProgressiveLevel) -> None:
        """Note the parameters before and after a change; the level's row still has those before."""
        progressive = self._progressives.get(event.stream)
        before = {
            "seed_minor": level.seed_micro // MICRO,
            "cap_minor": None if level.cap_micro is None else level.cap_micro // MICRO,
            "feed_millionths": level.feed_millionths,
            "reserve_millionths": level.reserve_millionths,
            "withhold_millionths": progressive.withhold_millionths if progressive else None,
        }
        changes = [(name, old, new) for name, old in before.items() if (new := getattr(data, name)) is not UNSET]
        self._notices.note(event, data, changes, kind="parameters", version=data.parameters_version)
        if data.withhold_millionths is not UNSET:
            row = self._progressives.change(event.stream, Progressive)
            row.withhold_millionths = data.withhold_millionths

    def _adjusted(self, event: Event, data: event_types.MeterAdjusted) -> None:
        level = self.level(event.stream, data.level)
        change = ("meter_micro", data.meter_micro - data.amount_minor * MICRO, data.meter_micro)
        self._notices.note(event, data, [change], kind="correction", reason=data.reason)
        level.adjusted_micro += data.amount_minor * MICRO
        level.meter_micro += data.amount_minor * MICRO

    def level(self, stream: str, name: str) -> ProgressiveLevel:
        """Return a level that is about to change. Raises `Poison` for a missing level."""
        key = level_id(stream, name)
        if self._levels.get(key) is None:
            raise Poison(coded("stream-has-no", stream=stream, what="level", name=name))
        return self._levels.change(key, ProgressiveLevel)

    def level_ids(self, stream: str) -> list[str]:
        if stream not in self._levels_of:
            self._levels.flush()
            levels = self._levels.adopt(self._target.select(ProgressiveLevel, "stream = %s ORDER BY rank", [stream]))
            self._levels_of[stream] = [level.id for level in levels]
        return self._levels_of[stream]

    def _rates(self, level_id: str) -> list[Rates]:
        if level_id not in self._rates_of:
            self._parameters.flush()
            rows = self._target.select(ProgressiveParameters, "level_id = %s ORDER BY position", [level_id])
            self._rates_of[level_id] = [(row.position, row.feed_millionths, row.reserve_millionths) for row in rows]
        return self._rates_of[level_id]

    def rates_at(self, level_id: str, position: int) -> Rates | None:
        """Return the rates in force for a round armed at a position; None before the opening."""
        rates = self._rates(level_id)
        place = bisect_left(rates, (position, 0, 0))
        return rates[place - 1] if place else None

    def in_force(self, stream: str, position: int) -> list[tuple[str, Rates]]:
        """Return the rates by level id at which a round armed at a position contributes."""
        return [(level, rates) for level in self.level_ids(stream) if (rates := self.rates_at(level, position))]

    def open_by(self, event: Event, stream: str) -> Progressive | None:
        """Return the progressive if it was open at the time of the event."""
        progressive = self._progressives.get(stream)
        return progressive if progressive is not None and progressive.position < event.position else None

    def shown_minor(self, stream: str, name: str) -> int | None:
        """Return the amount that a level shows; None without a level of this name."""
        level = self._levels.get(level_id(stream, name))
        return level.shown_minor if level else None

    def feed(self, event: Event, key_of_level: str, stakes_minor: int, fed_micro: int, reserve_micro: int) -> None:
        level = self._levels.change(key_of_level, ProgressiveLevel)
        level.fed_micro += fed_micro
        level.meter_micro += fed_micro
        level.reserve_fed_micro += reserve_micro
        level.reserve_micro += reserve_micro
        key, data = f"{event.stream}|{key_of_level}", event.data
        table = self._tables.add(
            key,
            session=event.stream,
            level_id=key_of_level,
            table=data.table,
            gaming_day=data.gaming_day,
        )
        table.rounds += 1
        table.stakes_minor += stakes_minor
        table.fed_micro += fed_micro
        table.reserve_fed_micro += reserve_micro


def level_id(stream: str, level: str) -> str:
    """STREAM/LEVEL."""
    return f"{stream}/{level}"
