"""The rounds behind a figure of a person's results: newest first, with the sums of all rounds that match."""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, Sum
from django.db.models.query import QuerySet

from backoffice.surveillance.person_results.measures_against_theory_and_colleagues import ERRORS
from backoffice.surveillance.person_results.period_totals import (
    Period,
    Role,
    Sums,
    of_person,
    period_of,
    rows_of_period,
    sums_by_columns,
)
from backoffice.surveillance.person_results.results_page_content import (
    ResultLine,
    check_day,
    clock_hour,
    line_of,
    position,
)
from backoffice.wording import stream_currencies
from backoffice.wording.copy_row_into_page_struct import struct_from
from events import catalogue
from events.error_codes import coded
from events.errors import Unknown
from events.tables.event_types.rounds import BetCorrected, BetPlaced
from events.text.id_spelling_normalization import spellings
from projections.eventlog.models import EventLog
from projections.people.models import Result, RoundResult

SHOWN = 100  # at once
ONLY: Mapping[str, Q] = {
    **{name: Q(**{f"{name}__gt": 0}) for name in ("voids", *ERRORS, "decisions", "timed")},
    "errors": Q(mispays__gt=0) | Q(misdeals__gt=0) | Q(corrections__gt=0) | Q(irregularities__gt=0),
}


class RoundQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the list; "" and None: any. `partner`: a dealer's player, or a player's dealer."""

    first: str = ""
    last: str = ""
    game: str = ""
    currency: str = ""
    inspector: str = ""
    partner: str = ""
    only: str = ""
    hour: int | None = None
    before: int | None = None

    def query(self, **changes: object) -> str:
        """Return the filters as a query string."""
        values = {**msgspec.structs.asdict(self), **changes}
        names = {"first": "from", "last": "to", "partner": "with"}
        return urlencode(
            {names.get(name, name): value for name, value in values.items() if value is not None and value != ""}
        )


class RoundLine(msgspec.Struct, frozen=True, kw_only=True):
    """A round, with the amounts of the bets that count here."""

    table: str
    gaming_day: str
    round: int
    position: int
    began: str
    game: str
    currency: str
    dealer: str
    inspector: str
    player: str
    line: ResultLine
    seconds: int | None
    voids: int
    mispays: int
    mispay_minor: int
    misdeals: int
    corrections: int
    irregularities: int

    @property
    def errors(self) -> int:
        """Return all errors of the round."""
        return self.mispays + self.misdeals + self.corrections + self.irregularities


class PersonRounds(msgspec.Struct, frozen=True, kw_only=True):
    """Rounds of a person that match, the newest first: `rounds` before `next`, `total` over all of them."""

    role: Role
    person: str
    position: int
    currency: str
    question: RoundQuestion = msgspec.field(name="asked")
    total: ResultLine
    voids: int
    mispays: int
    misdeals: int
    corrections: int
    irregularities: int
    seconds: int
    timed: int
    rounds: tuple[RoundLine, ...]
    next: int | None

    @property
    def errors(self) -> int:
        """Return all errors of the rounds."""
        return self.mispays + self.misdeals + self.corrections + self.irregularities

    @property
    def onward(self) -> str:
        """Return the query string of the next page."""
        return self.question.query(before=self.next)


def person_rounds(role: Role, person: str, question: RoundQuestion) -> PersonRounds:
    """Return the rounds. Raises Unknown for a person without a round, and for an unknown filter."""
    check_day(question.first)
    check_day(question.last)
    if question.only and question.only not in ONLY:
        raise Unknown(coded("grouping-unknown", by=question.only, known=list(ONLY)))
    period = period_of(of_person(role, person), question.first, question.last)
    if period is None:
        raise Unknown(coded("timeline-empty", what=role, name=person))
    question = msgspec.structs.replace(question, first=period.first, last=period.last)
    rows = _matching(role, person, question, period)
    page = rows if question.before is None else rows.filter(position__lt=question.before)
    listed_rows = list(page.order_by("-position", "player")[: SHOWN + 1])
    sign = 1 if role == "dealer" else -1
    total = _sums(rows)
    return struct_from(
        total,
        PersonRounds,
        role=role,
        person=person,
        position=position(),
        currency=listed_rows[0].currency if listed_rows else question.currency or stream_currencies.of_house(),
        question=question,
        total=line_of(total, sign),
        rounds=tuple(_round_line(row, sign) for row in listed_rows[:SHOWN]),
        next=listed_rows[SHOWN - 1].position if len(listed_rows) > SHOWN else None,
    )


def _matching(role: Role, person: str, question: RoundQuestion, period: Period) -> "QuerySet[RoundResult]":
    if role == "dealer":
        rows = RoundResult.objects.filter(dealer__in=spellings(person))
        rows = rows.filter(player__in=spellings(question.partner)) if question.partner else rows.filter(player="")
    else:
        rows = RoundResult.objects.filter(player__in=spellings(person))
        rows = rows.filter(dealer__in=spellings(question.partner)) if question.partner else rows
    rows = rows.filter(gaming_day__gte=period.first, gaming_day__lte=period.last)
    for name in ("game", "currency", "inspector"):
        if value := getattr(question, name):
            rows = rows.filter(**{name: value})
    if question.hour is not None:
        hours = {key[0] for key in sums_by_columns(rows_of_period(of_person(role, person), period), "hour")}
        rows = rows.filter(hour__in=sorted(hour for hour in hours if clock_hour(hour) == question.hour))
    return rows.filter(ONLY[question.only]) if question.only else rows


def _sums(rows: "QuerySet[RoundResult]") -> Sums:
    sums: dict[str, Any] = rows.aggregate(**{f"sum_{name}": Sum(name) for name in Result.SUMMED})
    values: dict[str, Any] = {name: sums[f"sum_{name}"] or 0 for name in Result.SUMMED}
    return Sums(**values)


def _round_line(row: RoundResult, sign: int) -> RoundLine:
    values: dict[str, Any] = {name: getattr(row, name) for name in Result.SUMMED}
    line = line_of(Sums(**values, basis=row.basis), sign)
    return struct_from(row, RoundLine, line=line, seconds=row.seconds if row.timed else None)


def linked_rounds(rounds: PersonRounds) -> list[tuple[RoundLine, bool]]:
    """Return each round, and whether its win is the sum of its player's events.

    The win differs if a bet with a commission was first recorded for another player. This needs one query of the log
    for players' rounds, and two with a corrected bet.
    """
    keys = {_round_key(row) for row in rounds.rounds if row.player}
    moved = _players_of_moved_commissions(keys) if keys else set()
    return [(row, (*_round_key(row), row.player) not in moved) for row in rounds.rounds]


RoundKey = tuple[str | None, str | None, int | None]


def _round_key(row: "RoundLine | EventLog") -> RoundKey:
    return row.table, row.gaming_day, row.round


def _players_of_moved_commissions(keys: Collection[RoundKey]) -> set[tuple[Any, ...]]:
    """Return both players of each bet that was corrected to another one, with its round."""
    moved, players = set[tuple[Any, ...]](), dict[tuple[Any, ...], str | None]()
    tables, days, rounds = zip(*keys, strict=True)
    events = EventLog.objects.filter(table__in=tables, gaming_day__in=days, round__in=rounds)
    corrected = list(events.filter(type=BetCorrected.TYPE))
    if not corrected:
        return moved
    placed = events.filter(type=BetPlaced.TYPE, round__in={row.round for row in corrected})
    for row in sorted([*placed, *corrected], key=lambda row: row.position):
        data: Any = catalogue.decode(row.type, bytes(row.raw)).data
        key = (*_round_key(row), data.bet)
        before, players[key] = players.get(key), data.player
        if isinstance(data, BetCorrected) and data.commission_before_minor and before != data.player:
            moved |= {(*_round_key(row), before), (*_round_key(row), data.player)}
    return moved
