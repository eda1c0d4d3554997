"""Progressives: meters, contributions, hits with their locks and shares, envy, the course of each meter."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

import msgspec

from backoffice.event_log.times_by_position import EventTimes, moments_of
from backoffice.progressives.contributions_by_table_day import Contribution, contributions, summed
from backoffice.progressives.meter_growth_charts import (
    DrawnRounds,
    LevelCourse,
    MeterInputs,
    Rates,
    courses,
    drawn_rounds,
    worked_back,
)
from backoffice.progressives.open_item_rows_and_counts import AtStake, Counts, OpenMatters, open_matters
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.progressives.event_types import ParametersChanged, ProgressiveOpened
from events.progressives.history_reader import stream_of
from events.settings.settings_from_environment import settings
from projections.combined_query import read_together
from projections.matters.models import Misfit
from projections.progressives.models import (
    MICRO,
    Envy,
    Hit,
    Lock,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)
from projections.progressives.table_event_checks_by_rows import LINK

HITS_SHOWN = 100
CONTRIBUTIONS_SHOWN = 40
AGREES_S = 5  # allowed difference between a device's clock and the house's
STRAYS_SHOWN = 50


class Level(msgspec.Struct, frozen=True):
    """A level's meter: `meter = start + seeds + fed + adjusted - locked`, in millionths of a minor unit ("micro")."""

    level: str
    currency: str
    shown_minor: int
    meter_micro: int
    start_micro: int
    seeds_micro: int
    fed_micro: int
    adjusted_micro: int
    locked_minor: int
    house_minor: int
    cap_minor: int | None
    overflow_micro: int
    reserve_micro: int
    seed_minor: int
    feed_millionths: int
    reserve_millionths: int
    contribution_millionths: int
    pending: int
    hits: int
    locks: int
    paid_minor: int
    rounds: int = 0
    stakes_minor: int = 0

    @property
    def adds_up(self) -> bool:
        """Return whether the meter equals the sum of its parts."""
        parts = self.start_micro + self.seeds_micro + self.fed_micro + self.adjusted_micro
        return self.meter_micro == parts - self.locked_minor * MICRO


class Summary(msgspec.Struct, frozen=True):
    """A progressive in the list."""

    progressive: str
    stream: str
    currency: str
    ruleset: str
    policy: str
    levels: tuple[Level, ...]
    tables: tuple[str, ...]
    pending: int
    unpaid_minor: int
    matters: Counts
    at_stake: tuple[AtStake, ...]
    opened_at: int

    @property
    def settings(self) -> str:
        """The types of the events that set seeds, rates and caps, as the log's filter takes them."""
        return f"{ProgressiveOpened.TYPE} {ParametersChanged.TYPE}"


class Bonus(msgspec.Struct, frozen=True):
    """An envy bonus."""

    player: str
    amount_minor: int
    slip: str


class HitRow(msgspec.Struct, frozen=True):
    """A hit, with the lock that gave its share (None: pending, void or refused)."""

    hit: str
    level: str
    status: str
    is_late: bool
    table: str
    gaming_day: str
    round: int
    box: int
    player: str
    dealer: str
    position: int
    time: datetime | None
    share_minor: int | None
    slip: str
    as_of: int | None
    revision: int | None
    sharers: int
    meter_micro: int | None
    house_minor: int
    envy: tuple[Bonus, ...]
    clock_behind_s: int | None = None  # where the order of the positions is not that of the devices' clocks


class Envied(msgspec.Struct, frozen=True):
    """The envy table's line of a level, for the low and for the high stake."""

    level: str
    low_minor: int
    high_minor: int


class Detail(msgspec.Struct, frozen=True):
    """A progressive, whole. `earlier`: the contributions of the days before those of `contributions`, on the page."""

    summary: Summary
    stake_low_minor: int
    stake_high_minor: int
    envy_to_winner: bool
    withhold_millionths: int
    envy_table: tuple[Envied, ...]
    contributions: tuple[Contribution, ...]
    earlier: Contribution | None
    hits: tuple[HitRow, ...]
    rates: tuple[Rates, ...]
    courses: tuple[LevelCourse, ...] = ()

    @property
    def contribution_millionths(self) -> int:
        """The share of each stake that grows the pools: feeds and reserves of all levels."""
        return sum(level.contribution_millionths for level in self.summary.levels)

    @property
    def envy(self) -> list[tuple[HitRow, Bonus]]:
        """Every bonus with its hit."""
        return [(hit, bonus) for hit in self.hits for bonus in hit.envy]


def misdirected_events() -> list[Misfit]:
    """Return tables' events for progressives that were not open, newest first. One query."""
    return list(Misfit.objects.filter(clause=LINK).order_by("-position")[:STRAYS_SHOWN])


def progressives() -> tuple[Summary, ...]:
    """All progressives with their meters. Five queries, however many there are."""
    valid = Hit.objects.exclude(status__in=("void", "refused"))
    rows, levels, hits = read_together(
        Progressive.objects.order_by("progressive"), ProgressiveLevel.objects.order_by("stream", "rank"), valid
    )
    tables: dict[str, set[str]] = defaultdict(set)
    for level_id, table in ProgressiveTable.objects.values_list("level_id", "table").distinct():
        tables[level_id.rpartition("/")[0]].add(table)
    levels_of, hits_of, matters = _by_stream(levels), _by_stream(hits), open_matters(rows)
    return tuple(_summary(row, levels_of[row.id], hits_of[row.id], tables[row.id], matters[row.id]) for row in rows)


def _by_stream(rows: Iterable[Any]) -> dict[str, list[Any]]:
    by_stream: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        by_stream[row.stream].append(row)
    return by_stream


class _ProgressiveRows(msgspec.Struct):
    """The rows of one progressive, read at once."""

    progressives: list[Progressive]
    levels: list[ProgressiveLevel]
    fed: list[ProgressiveTable]
    hits: list[Hit]
    locks: list[Lock]
    parameters: list[ProgressiveParameters]
    envy: list[Envy]


def _progressive_rows(stream: str) -> _ProgressiveRows:
    levels = ProgressiveLevel.objects.filter(stream=stream)
    names = levels.values("id")
    hits = Hit.objects.filter(stream=stream).order_by("-position")
    row_lists = read_together(
        Progressive.objects.filter(id=stream),
        levels.order_by("rank"),
        ProgressiveTable.objects.filter(level_id__in=names).order_by("-gaming_day", "table"),
        hits,
        Lock.objects.filter(stream=stream, is_standing=True),
        ProgressiveParameters.objects.filter(level_id__in=names).order_by("-position", "level_id"),
        Envy.objects.filter(stream=stream, hit__in=hits.values("hit")[:HITS_SHOWN]).order_by("player"),
    )
    return _ProgressiveRows(*row_lists)


def progressive(name: str, *, drawn: bool = True) -> Detail | None:
    """Return one progressive, whole; None where it was never opened. Seven queries."""
    rows = _progressive_rows(stream_of(settings().property_, name))
    if not rows.progressives:
        return None
    [row] = rows.progressives
    names = {level.id: level.level for level in rows.levels}
    rates = [
        Rates(
            names[parameters.level_id], parameters.position, parameters.feed_millionths, parameters.reserve_millionths
        )
        for parameters in rows.parameters
    ]
    rounds = drawn_rounds(row) if drawn else DrawnRounds([])
    drawn_courses = worked_back(row, MeterInputs(rows.levels, rates, rows.locks, rows.hits), rounds)
    drawn_at = [position for course in drawn_courses for position in course.positions]
    moments = moments_of([*(hit.position for hit in rows.hits[:HITS_SHOWN]), *drawn_at])
    times = {position: moment.time for position, moment in moments.items()}
    detail = _detail(row, rows, rates, moments, courses(row, drawn_courses, rounds, times))
    return shortened(detail) if drawn else detail


def shortened(detail: Detail) -> Detail:
    """Return the detail with a line for each of the last days, and one for all earlier ones."""
    shown, before = detail.contributions[:CONTRIBUTIONS_SHOWN], detail.contributions[CONTRIBUTIONS_SHOWN:]
    return msgspec.structs.replace(detail, contributions=shown, earlier=summed(before))


def _detail(
    row: Progressive,
    rows: _ProgressiveRows,
    rates: list[Rates],
    moments: dict[int, EventTimes],
    level_courses: tuple[LevelCourse, ...],
) -> Detail:
    valid = [hit for hit in rows.hits if hit.status not in ("void", "refused")]
    table_contributions = contributions(rows.levels, rows.fed)
    tables = {line.table for line in table_contributions}
    envy: dict[str, tuple[int, int]] = msgspec.json.decode(row.envy, type=dict[str, tuple[int, int]])
    return Detail(
        summary=_summary(row, rows.levels, valid, tables, open_matters([row])[row.id], rows.fed),
        stake_low_minor=row.stake_low_minor,
        stake_high_minor=row.stake_high_minor,
        envy_to_winner=row.envy_to_winner,
        withhold_millionths=row.withhold_millionths,
        envy_table=tuple(Envied(level.level, *envy[level.level]) for level in rows.levels if level.level in envy),
        contributions=table_contributions,
        earlier=None,
        hits=_hits(rows, moments),
        rates=tuple(rates),
        courses=level_courses,
    )


def _summary(
    row: Progressive,
    levels: list[ProgressiveLevel],
    hits: list[Hit],
    tables: set[str],
    matters: OpenMatters,
    table_contributions: Sequence[ProgressiveTable] = (),
) -> Summary:
    unpaid_hits = [hit for hit in hits if hit.status in ("locked", "authorised")]
    return Summary(
        progressive=row.progressive,
        stream=row.id,
        currency=row.currency,
        ruleset=row.ruleset,
        policy=row.policy,
        levels=tuple(
            _level(
                row,
                level,
                [hit for hit in hits if hit.level == level.level],
                [row_fed for row_fed in table_contributions if row_fed.level_id == level.id],
            )
            for level in levels
        ),
        tables=tuple(sorted(tables)),
        pending=sum(hit.status == "pending" for hit in hits),
        unpaid_minor=sum(hit.share_minor or 0 for hit in unpaid_hits),
        matters=matters.counts(),
        at_stake=tuple(matters.at_stake),
        opened_at=row.position,
    )


def _level(
    row: Progressive, level: ProgressiveLevel, hits: list[Hit], table_contributions: list[ProgressiveTable]
) -> Level:
    return struct_from(
        level,
        Level,
        currency=row.currency,
        cap_minor=None if level.cap_micro is None else level.cap_micro // MICRO,
        seed_minor=level.seed_micro // MICRO,
        contribution_millionths=level.feed_millionths + level.reserve_millionths,
        pending=sum(hit.status == "pending" for hit in hits),
        hits=len(hits),
        rounds=sum(table_fed.rounds for table_fed in table_contributions),
        stakes_minor=sum(table_fed.stakes_minor for table_fed in table_contributions),
    )


def out_of_step(moments: Mapping[int, EventTimes]) -> dict[int, int]:
    """Return for hits out of order by the devices' clocks the seconds by which each clock is behind.

    The order of the positions counts; a clock that agrees with the house's to a few seconds is not the one to blame.
    """
    by_place = [moments[position] for position in sorted(moments)]
    is_off = {
        id(moment)
        for earlier, later in combinations(by_place, 2)
        if earlier.time > later.time
        for moment in (earlier, later)
    }
    return {
        position: round(moment.behind_s)
        for position, moment in moments.items()
        if id(moment) in is_off and abs(moment.behind_s) > AGREES_S
    }


def _hits(rows_read: _ProgressiveRows, moments: dict[int, EventTimes]) -> tuple[HitRow, ...]:
    lock_of = {name: lock for lock in rows_read.locks for name in msgspec.json.decode(lock.hits, type=list[str])}
    sharers = {lock.id: len(msgspec.json.decode(lock.hits)) for lock in rows_read.locks}
    envy: dict[str, list[Bonus]] = defaultdict(list)
    for bonus in rows_read.envy:
        envy[bonus.hit].append(Bonus(bonus.player, bonus.amount_minor, bonus.slip))
    seconds_behind = out_of_step(
        {hit.position: moments[hit.position] for hit in rows_read.hits if hit.position in moments}
    )
    rows = []
    for hit in rows_read.hits[:HITS_SHOWN]:
        lock = lock_of.get(hit.hit)
        rows.append(
            struct_from(
                hit,
                HitRow,
                time=moments[hit.position].time if hit.position in moments else None,
                as_of=lock.as_of if lock else None,
                revision=lock.revision if lock else None,
                sharers=sharers[lock.id] if lock else 0,
                meter_micro=lock.meter_micro if lock else None,
                house_minor=lock.house_minor if lock else 0,
                envy=tuple(envy[hit.hit]),
                clock_behind_s=seconds_behind.get(hit.position),
            )
        )
    return tuple(rows)
