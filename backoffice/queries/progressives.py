"""Progressives: meters, what fed them, hits with their locks and shares, envy, the course of each meter."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import msgspec

from backoffice.queries.growth import LevelCourse, Rates, courses
from backoffice.queries.open_matters import AtStake, Counts, Open, open_matters, times_of
from events.progressives.types import ParametersChanged, ProgressiveOpened
from projections.matters.models import Misfit
from projections.progressives.misfits import LINK
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

HITS_SHOWN = 100
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
        """Whether the meter is what its parts say."""
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


class Contribution(msgspec.Struct, frozen=True):
    """What a table's gaming day fed, in all and by level (in the order of the levels)."""

    table: str
    gaming_day: str
    rounds: int
    stakes_minor: int
    fed_micro: tuple[int, ...]
    reserve_fed_micro: int

    @property
    def total_micro(self) -> int:
        """Meters and reserves together."""
        return sum(self.fed_micro) + self.reserve_fed_micro


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


class Envied(msgspec.Struct, frozen=True):
    """The envy table's line of a level, for the low and for the high stake."""

    level: str
    low_minor: int
    high_minor: int


class Detail(msgspec.Struct, frozen=True):
    """A progressive, whole."""

    summary: Summary
    stake_low_minor: int
    stake_high_minor: int
    envy_to_winner: bool
    withhold_millionths: int
    envy_table: tuple[Envied, ...]
    contributions: tuple[Contribution, ...]
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


def strays() -> list[Misfit]:
    """What tables said of progressives that were not open: the newest of it first. One query."""
    return list(Misfit.objects.filter(clause=LINK).order_by("-position")[:STRAYS_SHOWN])


def progressives() -> tuple[Summary, ...]:
    """All progressives with their meters. Fifteen queries, however many there are."""
    levels: dict[str, list[ProgressiveLevel]] = defaultdict(list)
    for level in ProgressiveLevel.objects.order_by("stream", "rank"):
        levels[level.stream].append(level)
    hits: dict[str, list[Hit]] = defaultdict(list)
    for hit in Hit.objects.exclude(status__in=("void", "refused")).only("stream", "level", "status", "share_minor"):
        hits[hit.stream].append(hit)
    tables: dict[str, set[str]] = defaultdict(set)
    for level_id, table in ProgressiveTable.objects.values_list("level_id", "table").distinct():
        tables[level_id.rpartition("/")[0]].add(table)
    rows = list(Progressive.objects.order_by("progressive"))
    matters = open_matters(rows)
    return tuple(_summary(row, levels[row.id], hits[row.id], tables[row.id], matters[row.id]) for row in rows)


def progressive(name: str, *, drawn: bool = True) -> Detail | None:
    """One progressive, whole; None where it was never opened. 24 queries, however much it has seen."""
    row = Progressive.objects.filter(progressive=name).first()
    if row is None:
        return None
    levels = list(ProgressiveLevel.objects.filter(stream=row.id).order_by("rank"))
    names = {level.id: level.level for level in levels}
    fed = list(ProgressiveTable.objects.filter(level_id__in=names).order_by("-gaming_day", "table"))
    hits = list(Hit.objects.filter(stream=row.id).order_by("-position"))
    valid = [hit for hit in hits if hit.status not in ("void", "refused")]
    locks = list(Lock.objects.filter(stream=row.id, is_standing=True))
    found = ProgressiveParameters.objects.filter(level_id__in=names).order_by("-position", "level_id")
    rates = [Rates(names[p.level_id], p.position, p.feed_millionths, p.reserve_millionths) for p in found]
    contributions = _contributions(levels, fed)
    envy: dict[str, tuple[int, int]] = msgspec.json.decode(row.envy, type=dict[str, tuple[int, int]])
    return Detail(
        summary=_summary(
            row,
            levels,
            valid,
            {one.table for one in contributions},
            open_matters([row])[row.id],
            fed,
        ),
        stake_low_minor=row.stake_low_minor,
        stake_high_minor=row.stake_high_minor,
        envy_to_winner=row.envy_to_winner,
        withhold_millionths=row.withhold_millionths,
        envy_table=tuple(Envied(level.level, *envy[level.level]) for level in levels if level.level in envy),
        contributions=contributions,
        hits=_hits(row.id, hits[:HITS_SHOWN], locks),
        rates=tuple(rates),
        courses=courses(row, levels, rates, locks, hits) if drawn else (),
    )


def _summary(
    row: Progressive,
    levels: list[ProgressiveLevel],
    hits: list[Hit],
    tables: set[str],
    matters: Open,
    fed: Sequence[ProgressiveTable] = (),
) -> Summary:
    unpaid = [hit for hit in hits if hit.status in ("locked", "authorised")]
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
                [one for one in fed if one.level_id == level.id],
            )
            for level in levels
        ),
        tables=tuple(sorted(tables)),
        pending=sum(hit.status == "pending" for hit in hits),
        unpaid_minor=sum(hit.share_minor or 0 for hit in unpaid),
        matters=matters.counts(),
        at_stake=tuple(matters.at_stake),
        opened_at=row.position,
    )


def _level(row: Progressive, level: ProgressiveLevel, hits: list[Hit], fed: list[ProgressiveTable]) -> Level:
    return Level(
        level=level.level,
        currency=row.currency,
        shown_minor=level.shown_minor,
        meter_micro=level.meter_micro,
        start_micro=level.start_micro,
        seeds_micro=level.seeds_micro,
        fed_micro=level.fed_micro,
        adjusted_micro=level.adjusted_micro,
        locked_minor=level.locked_minor,
        house_minor=level.house_minor,
        cap_minor=None if level.cap_micro is None else level.cap_micro // MICRO,
        overflow_micro=level.overflow_micro,
        reserve_micro=level.reserve_micro,
        seed_minor=level.seed_micro // MICRO,
        feed_millionths=level.feed_millionths,
        reserve_millionths=level.reserve_millionths,
        contribution_millionths=level.feed_millionths + level.reserve_millionths,
        pending=sum(hit.status == "pending" for hit in hits),
        hits=len(hits),
        locks=level.locks,
        paid_minor=level.paid_minor,
        rounds=sum(one.rounds for one in fed),
        stakes_minor=sum(one.stakes_minor for one in fed),
    )


def _contributions(levels: list[ProgressiveLevel], rows: list[ProgressiveTable]) -> tuple[Contribution, ...]:
    """One line a table and gaming day: every level was fed by the same rounds and stakes."""
    order = [level.id for level in levels]
    by_session: dict[str, dict[str, ProgressiveTable]] = defaultdict(dict)
    for row in rows:
        by_session[row.session][row.level_id] = row
    found = []
    for fed in by_session.values():
        first = next(iter(fed.values()))
        micro = tuple(fed[level].fed_micro if level in fed else 0 for level in order)
        reserve = sum(row.reserve_fed_micro for row in fed.values())
        found.append(Contribution(first.table, first.gaming_day, first.rounds, first.stakes_minor, micro, reserve))
    return tuple(found)


def _hits(stream: str, hits: list[Hit], locks: list[Lock]) -> tuple[HitRow, ...]:
    lock_of = {name: lock for lock in locks for name in msgspec.json.decode(lock.hits, type=list[str])}
    sharers = {lock.id: len(msgspec.json.decode(lock.hits)) for lock in locks}
    times = times_of([hit.position for hit in hits])
    envy: dict[str, list[Bonus]] = defaultdict(list)
    for bonus in Envy.objects.filter(stream=stream, hit__in=[hit.hit for hit in hits]).order_by("player"):
        envy[bonus.hit].append(Bonus(bonus.player, bonus.amount_minor, bonus.slip))
    found = []
    for hit in hits:
        lock = lock_of.get(hit.hit)
        found.append(
            HitRow(
                hit=hit.hit,
                level=hit.level,
                status=hit.status,
                is_late=hit.is_late,
                table=hit.table,
                gaming_day=hit.gaming_day,
                round=hit.round,
                box=hit.box,
                player=hit.player,
                dealer=hit.dealer,
                position=hit.position,
                time=times.get(hit.position),
                share_minor=hit.share_minor,
                slip=hit.slip,
                as_of=lock.as_of if lock else None,
                revision=lock.revision if lock else None,
                sharers=sharers[lock.id] if lock else 0,
                meter_micro=lock.meter_micro if lock else None,
                house_minor=lock.house_minor if lock else 0,
                envy=tuple(envy[hit.hit]),
            )
        )
    return tuple(found)
