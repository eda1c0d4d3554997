"""How the displays of a progressive grew, with the hits and the changes of parameters marked."""

from bisect import bisect_left
from collections import defaultdict
from datetime import datetime

import msgspec
from django.urls import reverse

from backoffice.queries.charts import Chart, Point, step_chart
from backoffice.queries.notices import changes
from backoffice.queries.open_matters import times_of
from events.progressives.types import MeterAdjusted
from projections.eventlog.models import EventLog
from projections.matters.models import Notice
from projections.progressives.models import MICRO, ArmedRound, Hit, Lock, Progressive, ProgressiveLevel

ROUNDS_DRAWN = 4_000


class Rates(msgspec.Struct, frozen=True):
    """A level's rates from a position on."""

    level: str
    position: int
    feed_millionths: int
    reserve_millionths: int


class LevelCourse(msgspec.Struct, frozen=True):
    """How a level's display grew."""

    level: str
    chart: Chart
    began: datetime | None
    ended: datetime | None


def courses(
    of: Progressive, levels: list[ProgressiveLevel], rates: list[Rates], locks: list[Lock], hits: list[Hit]
) -> tuple[LevelCourse, ...]:
    """How the meters came to stand where they stand: the last rounds, worked back from now, so the end is exact."""
    rows = ArmedRound.objects.filter(stream=of.id).exclude(status="refused").order_by("-position")
    rounds = [(position, _stakes(bets)) for position, bets in rows.values_list("position", "bets")[:ROUNDS_DRAWN]]
    if len(rounds) < 2:
        return ()
    first, last = rounds[-1][0], rounds[0][0]
    adjusted = _adjustments(of.id, first)
    turns = _turns(of, first)
    span = times_of([first, last])
    found = []
    for level in levels:
        mine = sorted((rate for rate in rates if rate.level == level.level), key=lambda rate: rate.position)
        changes = _changes(
            level, rounds, mine, [lock for lock in locks if lock.level == level.level and lock.as_of > first]
        )
        changes += [(position, amount * MICRO) for position, name, amount in adjusted if name == level.level]
        points = _back(level, sorted(changes, reverse=True), first)
        marks = _marks([hit for hit in hits if hit.level == level.level and hit.position >= first], points)
        chart = step_chart(points, height=132, marks=marks, turns=turns[level.level])
        if chart is not None:
            found.append(LevelCourse(level.level, chart, span.get(first), span.get(last)))
    return tuple(found)


def _turns(of: Progressive, first: int) -> dict[str, list[tuple[float, str, str]]]:
    """Changes of parameters by level: place, label, page."""
    found: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for row in Notice.objects.filter(stream=of.id, kind="parameters", position__gt=first).order_by("position"):
        label = ", ".join(change.words(of.currency) for change in changes(row))
        found[row.level].append((float(row.position), label, reverse("event", args=[row.position])))
    return found


def _stakes(bets: str) -> int:
    return sum(stake for _, _, stake in msgspec.json.decode(bets, type=list[tuple[int, str, int]]))


def _adjustments(stream: str, first: int) -> list[tuple[int, str, int]]:
    class Adjusted(msgspec.Struct):
        data: MeterAdjusted

    decoder = msgspec.json.Decoder(Adjusted)
    found = EventLog.objects.filter(stream=stream, type=MeterAdjusted.TYPE, position__gt=first)
    rows = found.values_list("position", "raw")
    decoded = ((position, decoder.decode(bytes(raw)).data) for position, raw in rows)
    return [(position, data.level, data.amount_minor) for position, data in decoded]


def _changes(
    level: ProgressiveLevel, rounds: list[tuple[int, int]], rates: list[Rates], locks: list[Lock]
) -> list[tuple[int, int]]:
    """What moved the meter, in micro by position: stakes at the rates in force, and locks where they look from."""
    since = [rate.position for rate in rates]
    changes = [
        (position, stakes * (rates[place - 1].feed_millionths if place else 0))
        for position, stakes in rounds
        for place in [bisect_left(since, position)]
    ]
    return changes + [(lock.as_of, lock.seed_micro - lock.amount_minor * MICRO) for lock in locks]


def _back(level: ProgressiveLevel, changes: list[tuple[int, int]], first: int) -> list[Point]:
    meter, cap = level.meter_micro, level.cap_micro
    points = []
    for position, change in changes:
        points.append(Point(position, (meter if cap is None else min(meter, cap)) // MICRO))
        meter -= change
    return [*points, Point(first - 1, meter // MICRO)][::-1]


def _marks(hits: list[Hit], points: list[Point]) -> list[tuple[float, int, str, str]]:
    """Hits at what the display showed just before the meter fell."""
    places = [point.x for point in points]
    marks = []
    for hit in hits:
        place = max(bisect_left(places, hit.position) - 1, 0)
        url = reverse("event", args=[hit.position])
        marks.append((float(hit.position), points[place].y, f"{hit.table} {hit.round}/{hit.box}: {hit.player}", url))
    return marks
