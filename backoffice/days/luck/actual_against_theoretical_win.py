"""Actual against theoretical win of a gaming day: by table, game, dealer, kind of bet and player, and each table's
course.

A background job computes it (`backoffice/jobs`) from the streams of the day's tables alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from backoffice.days.luck.chart import ChartRound, LuckChart, by_the_clock, chart
from backoffice.jobs.job_progress_and_saved_steps import Progress
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Job, Jobs, Task, basis_at
from events import catalogue
from events.envelope import EventData
from events.error_codes import coded
from events.errors import Unknown
from events.luck.played_decisions_with_bet_results import PlayedDecision, corrected, played_decisions
from events.luck.win_against_theory import CourseStep, Luck, Weigh, Weights, luck, result_course
from events.progressives.history_reader import recorded_rulesets
from events.rules.loading_and_pinning_rulesets import cache_ruleset
from events.store import EventStore
from events.tables.event_types.rounds import SettlementCorrected
from projections.tables.models import TableDay

BY: dict[str, "str | Promise"] = {
    "table": _("table"),
    "game": _("game"),
    "dealer": _("dealer"),
    "bet": _("kind of bet"),
    "player": _("player"),
}
READING = 0.3  # the share of the first step that reading the tables takes
FILE_S = 20.0  # time for which a file waits for the calculation: less than the page timeout


class LuckResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result as of a position: lines by grouping, the rarest first, the tables' courses, and the house's by rounds."""

    position: int
    lines: Mapping[str, tuple[Luck, ...]]
    courses: Mapping[str, tuple[CourseStep, ...]]
    house: tuple[ChartRound, ...] = ()


class LuckShown(msgspec.Struct, frozen=True, kw_only=True):
    """Actual against theoretical win of a gaming day by one grouping, and the course of one of its tables; or its
    progress.
    """

    day: str
    by: str
    table: str
    currency: str
    job: Job | None
    result: LuckResult | None

    @property
    def lines(self) -> tuple[Luck, ...]:
        """Return the lines of the chosen grouping."""
        return self.result.lines[self.by] if self.result else ()

    @property
    def kinds(self) -> list[tuple[str, "str | Promise"]]:
        """Return the groupings, with their words."""
        return list(BY.items())

    @property
    def tables(self) -> list[str]:
        """Return the tables with a course."""
        return list(self.result.courses) if self.result else []

    @property
    def chart(self) -> LuckChart | None:
        """The course of the table."""
        return chart(self.result.courses.get(self.table, ())) if self.result else None

    @property
    def house(self) -> LuckChart | None:
        """The course of all tables together, by the clock."""
        return by_the_clock(self.result.house, self.currency) if self.result else None


class LuckQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Question: day, grouping, and table of the course. `will_do`: an earlier calculation suffices."""

    day: str
    by: str
    table: str
    property_: str
    will_do: bool = False
    retry: bool = False
    wait_s: float = 0.05


def luck_page(store: EventStore, jobs: Jobs, question: LuckQuestion) -> LuckShown:
    """Return the result. Raises Unknown for a day without an open table, and for an unknown grouping."""
    if question.by not in BY:
        raise Unknown(coded("grouping-unknown", by=question.by, known=list(BY)))
    rows = list(TableDay.objects.filter(gaming_day=question.day).order_by("table").only("id", "table", "currency"))
    if not rows:
        raise Unknown(coded("no-table-opened-on-day", day=question.day))
    streams = {row.id: row.table for row in rows}

    def work(progress: Progress, basis: Basis) -> LuckResult:
        return computed(store, question.property_, streams, basis, progress)

    task = Task(question=("luck", question.property_, question.day), shape=LuckResult, work=work)
    basis = _basis(store, streams)
    job = jobs.ask(task, basis, any_basis=question.will_do, retry=question.retry, wait_s=question.wait_s)
    result = job.answer if job is not None else None
    tables = list(result.courses) if result else []
    table = question.table if question.table in tables or not tables else tables[0]
    return LuckShown(day=question.day, by=question.by, table=table, currency=rows[0].currency, job=job, result=result)


def _basis(store: EventStore, streams: Iterable[str]) -> Basis:
    """Return the last event of the day's tables: other events of the house have no effect here."""
    ends = [store.stream(stream, max(store.head(stream).version - 1, 0), 1) for stream in streams]
    return basis_at(store, max((event.position for end in ends for event in end), default=0))


def computed(
    store: EventStore, property_: str, streams: Mapping[str, str], basis: Basis, progress: Progress
) -> LuckResult:
    """Compute the lines and courses of a day's tables, step by step; saved steps are not computed again."""
    progress.plan(_WEIGHTS)
    day = _Decisions(store, property_, streams, basis.position, progress)

    def lines(by: str) -> tuple[Luck, ...]:
        return progress.step(f"lines by {by}", tuple[Luck, ...], lambda: day.lines(by))

    return LuckResult(
        position=basis.position,
        lines={by: lines(by) for by in BY},
        courses=progress.step("courses", dict[str, tuple[CourseStep, ...]], day.courses),
        house=progress.step("house", tuple[ChartRound, ...], day.house),
    )


# Measured shares of the work: the first step reads the tables, and computes the basis of three others.
_WEIGHTS = {"lines by table": 6, "lines by bet": 5, "lines by player": 5, "lines by game": 1, "lines by dealer": 1}
_WEIGHTS |= {"courses": 1, "house": 1}


class _Decisions:
    """The decisions of a day's tables, read when the first step needs them."""

    def __init__(
        self, store: EventStore, property_: str, streams: Mapping[str, str], last: int, progress: Progress
    ) -> None:
        self._store, self._property, self._streams = store, property_, streams
        self._last, self._progress = last, progress
        self._weights = Weights()
        self._begin = 0.0  # of the step that reads: the share of it that is done then

    @cached_property
    def _ended(self) -> dict[str, list["_EndedDecision"]]:
        for ruleset in recorded_rulesets(self._store, self._property).values():
            cache_ruleset(ruleset.data)
        ended = {}
        for number, (stream, table) in enumerate(self._streams.items()):
            self._progress.reached(READING * number / len(self._streams))
            ended[table] = list(_ended_decisions(self._store, self._property, stream, self._last, self._progress))
        self._begin = READING
        return ended

    def lines(self, by: str) -> tuple[Luck, ...]:
        """Return the lines, the rarest first."""
        whole = [ended.what for table in self._ended.values() for ended in table]
        begin, self._begin = self._begin, 0.0
        lines = luck(self._progress.items_with_progress(whole, begin), by, self._weights.outcomes)
        return tuple(sorted(lines, key=lambda line: (line.tail.chance, line.name)))

    def courses(self) -> dict[str, tuple[CourseStep, ...]]:
        """Return the course of each table that decided something."""
        tables = {table: [ended.what for ended in listed] for table, listed in self._ended.items()}
        watched = self._progress.stoppable_items
        return {
            table: tuple(result_course(watched(listed), self._weights.outcomes))
            for table, listed in tables.items()
            if listed
        }

    def house(self) -> tuple[ChartRound, ...]:
        """Return the course of all tables together."""
        ended = [moment for table in self._ended.values() for moment in table]
        return tuple(_house(ended, self._progress, self._weights.outcomes))


class _EndedDecision(NamedTuple):
    """A decision, with the event by which its round has ended."""

    position: int
    time: str
    what: PlayedDecision


def _house(ended: Iterable[_EndedDecision], progress: Progress, weigh: Weigh) -> Iterator[ChartRound]:
    """Yield the house's results after each round, all tables in the order of the store."""
    listed = sorted(ended, key=itemgetter(0))
    steps = zip(
        listed,
        result_course(progress.items_with_progress([ended_decision.what for ended_decision in listed]), weigh),
        strict=True,
    )
    for position, round_ in groupby(steps, key=lambda pair: pair[0].position):
        *_, (last, step) = round_
        yield ChartRound(datetime.fromisoformat(last.time).timestamp(), position, last.what.table, step)


def _ended_decisions(
    store: EventStore, property_: str, stream: str, last: int, progress: Progress
) -> Iterator[_EndedDecision]:
    at = [(0, "")]  # the last read: a decision is written as soon as its round's end

    def events() -> Iterable[tuple[str, EventData]]:
        for stored in progress.stoppable_items(store.stream(stream)):
            if stored.position <= last:
                event = catalogue.decode(stored.type, stored.raw)
                at[0] = (stored.position, event.time)
                yield stream, event.data

    for decision in played_decisions(property_, events(), corrected(_put_right(store, stream, last))):
        yield _EndedDecision(*at[0], decision)


def _put_right(store: EventStore, stream: str, last: int) -> Iterator[tuple[str, EventData]]:
    for stored in store.stream(stream):
        if stored.position <= last and stored.type == SettlementCorrected.TYPE:
            yield stream, catalogue.decode(stored.type, stored.raw).data
