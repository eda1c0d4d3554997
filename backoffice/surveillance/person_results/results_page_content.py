"""The page of a dealer or a player: results by game, colleagues, pairs, hours and days of a period.

Every figure adds up rows of hours (`projections/people`). A page takes a dozen queries, whatever the period.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec

from backoffice.surveillance.person_results.measures_against_theory_and_colleagues import (
    COMPARED,
    COMPARED_OF_PLAYERS,
    Judged,
    compare_measures,
    error_rate,
    pace,
    result,
)
from backoffice.surveillance.person_results.partner_results_with_probabilities import (
    Meetings,
    Pair,
    inspectors,
    partners,
)
from backoffice.surveillance.person_results.period_totals import (
    Period,
    Role,
    Sums,
    of_everybody,
    of_person,
    period_of,
    rows_of_period,
    sums_by_columns,
    sums_of_others,
    total_sums,
    totals_by,
)
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.error_codes import coded
from events.errors import Unknown
from events.luck.intervals_and_tail_probabilities import ENOUGH
from events.luck.win_against_theory import CourseStep
from events.settings.settings_from_environment import settings
from projections.engine.models import Reader
from projections.people.people_results_row_posting import NAME


class ResultLine(msgspec.Struct, frozen=True, kw_only=True):
    """Rounds with their result against theory; for the house on a dealer's page, for the player on a player's.

    `win_minor` is the recorded win. `result_minor` and `theory_minor` are of the decisions: without commissions, stakes
    laid with vouchers count as stakes. The result is between `low_minor` and `high_minor` in 95 of 100 such periods if
    only chance decides; `chance` is that of a result as far out. All three are null where the decisions are too few.
    """

    rounds: int
    bets: int
    handle_minor: int
    staked_minor: int
    win_minor: int
    decisions: int
    result_minor: int
    theory_minor: int
    deviation_minor: int
    low_minor: int | None
    high_minor: int | None
    chance: float | None
    basis: str

    @property
    def is_outside(self) -> bool:
        """Return whether the result is outside its interval."""
        return (
            self.low_minor is not None
            and self.high_minor is not None
            and not (self.low_minor <= self.result_minor <= self.high_minor)
        )


class Colleague(msgspec.Struct, frozen=True, kw_only=True):
    """A person at the same game in the same period, with every measure; in the order of the ids, unranked."""

    person: str
    rounds: int
    measures: tuple[Judged, ...]

    def measure(self, name: str) -> Judged:
        """Return one measure."""
        return next(judged for judged in self.measures if judged.measure == name)

    @property
    def columns(self) -> list[Judged]:
        """Return the measures that the table of colleagues shows."""
        return [self.measure(name) for name in ("result", "pace", "mispays", "corrections", "voids")]


class GameResults(msgspec.Struct, frozen=True, kw_only=True):
    """A person's results at a game. `comparisons`: how many the corrected chances count."""

    game: str
    currency: str
    line: ResultLine
    days: int
    measures: tuple[Judged, ...]
    comparisons: int
    colleagues: tuple[Colleague, ...] = ()


class HourLine(msgspec.Struct, frozen=True, kw_only=True):
    """A full hour of the property's clock, over all days of the period."""

    hour: int
    currency: str
    line: ResultLine
    rounds_an_hour: float | None
    errors: int


class DayLine(msgspec.Struct, frozen=True, kw_only=True):
    """A gaming day."""

    gaming_day: str
    currency: str
    line: ResultLine
    rounds_an_hour: float | None
    errors: int
    voids: int


class PersonResults(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a dealer or a player from one gaming day to another, as of an event.

    `level`: of every interval. `games` has nothing where there are no rounds in the period.
    """

    role: Role
    person: str
    first: str
    last: str
    game: str
    position: int
    level: float
    known_games: tuple[str, ...]
    games: tuple[GameResults, ...]
    hours: tuple[HourLine, ...]
    days: tuple[DayLine, ...]
    pairs: tuple[Pair, ...]

    @property
    def rounds_page(self) -> str:
        """Return the name of the page of the rounds."""
        return f"{self.role}-rounds"

    @property
    def query(self) -> str:
        """Return the period as a query string."""
        return urlencode({"from": self.first, "to": self.last})

    @property
    def inspectors(self) -> list[Pair]:
        """Return the pairs with inspectors."""
        return [pair for pair in self.pairs if pair.kind == "inspector"]

    @property
    def partners(self) -> list[Pair]:
        """Return the pairs with players, or with dealers."""
        return [pair for pair in self.pairs if pair.kind != "inspector"]

    @property
    def course(self) -> tuple[str, list[CourseStep]]:
        """Return the result day by day with its theory, in the first currency."""
        currency = self.days[0].currency if self.days else ""
        won, theory, variance, steps = 0, 0, 0.0, list[CourseStep]()
        for day in self.days:
            if day.currency == currency:
                won, theory = won + day.line.result_minor, theory + day.line.theory_minor
                variance += day.line.deviation_minor**2
                steps.append(CourseStep(float(won), float(theory), variance**0.5))
        return currency, steps


def person_results(role: Role, person: str, first: str = "", last: str = "", game: str = "") -> PersonResults:
    """Return the results. Raises Unknown for a person without a round, and for a text that is no gaming day."""
    check_day(first)
    check_day(last)
    rows = of_person(role, person)
    period = period_of(rows, first, last)
    if period is None:
        raise Unknown(coded("timeline-empty", what=role, name=person))
    own = sums_by_columns(rows_of_period(rows, period), "game", "currency")
    names = tuple(sorted({key[0] for key in own}))
    if game:
        own = {key: sums for key, sums in own.items() if key[0] == game}
    sign = 1 if role == "dealer" else -1
    own_rows = rows_of_period(rows, period, game)
    return PersonResults(
        role=role,
        person=person,
        first=period.first,
        last=period.last,
        game=game,
        position=position(),
        level=0.95,
        known_games=names,
        games=tuple(_games(role, person, period, own)),
        hours=tuple(_hours(sums_by_columns(own_rows, "hour", "currency"), sign)),
        days=tuple(_days(sums_by_columns(own_rows, "gaming_day", "currency"), sign)),
        pairs=_pairs(role, person, period, own_rows, own),
    )


def position() -> int:
    """Return the position up to which the results have all events."""
    return Reader.objects.filter(projection=NAME).values_list("position", flat=True).first() or 0


def line_of(sums: Sums, sign: int = 1) -> ResultLine:
    """Return the line of some rounds."""
    judged = result(sums, sign)
    return struct_from(
        sums,
        ResultLine,
        win_minor=sign * sums.win_minor,
        result_minor=sign * sums.decided_minor,
        theory_minor=sign * sums.theory_minor,
        deviation_minor=round(sums.spread.deviation),
        low_minor=None if judged.low is None else round(judged.low),
        high_minor=None if judged.high is None else round(judged.high),
        chance=judged.chance,
    )


def check_day(day: str) -> None:
    """Raise Unknown for a text that is no gaming day."""
    if not day:
        return
    try:
        date.fromisoformat(day)
    except ValueError:
        raise Unknown(coded("gaming-day-format")) from None


# --- games ------------------------------------------------------------------------------------------------------------


def _games(role: Role, person: str, period: Period, own: Mapping[tuple[Any, ...], Sums]) -> list[GameResults]:
    if not own:
        return []
    rows = rows_of_period(of_everybody(role), period).filter(game__in=[game for game, _ in own])
    sums_of_people = totals_by(rows, COMPARED if role == "dealer" else COMPARED_OF_PLAYERS, "game", "currency", role)
    if role == "dealer":
        return [_of_dealer(person, key, sums_of_people, own[key]) for key in sorted(own)]
    return [_of_player(key, sums_of_people, own[key]) for key in sorted(own)]


def _of_dealer(
    person: str, key: tuple[Any, ...], sums_of_people: Mapping[tuple[Any, ...], Sums], own: Sums
) -> GameResults:
    sums = {name: of for (game, currency, name), of in sums_of_people.items() if (game, currency) == key}
    comparison = compare_measures(sums)
    colleagues = tuple(
        Colleague(person=name, rounds=sums[name].rounds, measures=measures)
        for name, measures in comparison.people.items()
    )
    return GameResults(
        game=key[0],
        currency=key[1],
        line=line_of(own),
        days=own.days,
        measures=comparison.people.get(person, ()),
        comparisons=comparison.comparisons,
        colleagues=colleagues,
    )


def _of_player(key: tuple[Any, ...], sums_of_people: Mapping[tuple[Any, ...], Sums], own: Sums) -> GameResults:
    """Return a player's game: as many comparisons as players with enough decisions (Bonferroni)."""
    players = [of for (game, currency, _), of in sums_of_people.items() if (game, currency) == key]
    others = sums_of_others(total_sums(players), own)
    count = 2 * sum(of.decisions >= ENOUGH for of in players)
    judged = (result(own, -1), pace(own, others), error_rate("mispays", own, others))
    corrected = tuple(
        msgspec.structs.replace(
            comparison, corrected=None if comparison.chance is None else min(1.0, count * comparison.chance)
        )
        if comparison.measure != "pace"
        else msgspec.structs.replace(comparison, chance=None)
        for comparison in judged
    )
    return GameResults(
        game=key[0], currency=key[1], line=line_of(own, -1), days=own.days, measures=corrected, comparisons=count
    )


# --- hours and days ---------------------------------------------------------------------------------------------------


def clock_hour(hour: str) -> int:
    """Return the hour of the property's clock for an hour's beginning in UTC."""
    text = hour if ":" in hour else f"{hour}:00"
    return datetime.fromisoformat(text).replace(tzinfo=UTC).astimezone(ZoneInfo(settings().time_zone)).hour


def _hours(groups: Mapping[tuple[Any, ...], Sums], sign: int) -> list[HourLine]:
    sums_by_hour: defaultdict[tuple[int, str], list[Sums]] = defaultdict(list)
    for (hour, currency), sums in groups.items():
        sums_by_hour[clock_hour(hour), currency].append(sums)
    lines = []
    for number, currency in sorted(sums_by_hour, key=_through_the_night):
        sums = total_sums(sums_by_hour[number, currency])
        lines.append(
            HourLine(
                hour=number,
                currency=currency,
                line=line_of(sums, sign),
                rounds_an_hour=sums.rounds_an_hour,
                errors=sums.errors,
            )
        )
    return lines


def _through_the_night(key: tuple[int, str]) -> tuple[int, str]:
    """Order hours from noon to noon: a gaming day goes past midnight."""
    return (key[0] - 12) % 24, key[1]


def _days(groups: Mapping[tuple[Any, ...], Sums], sign: int) -> list[DayLine]:
    return [
        DayLine(
            gaming_day=day,
            currency=currency,
            line=line_of(sums, sign),
            rounds_an_hour=sums.rounds_an_hour,
            errors=sums.errors,
            voids=sums.voids,
        )
        for (day, currency), sums in sorted(groups.items())
    ]


# --- pairs ------------------------------------------------------------------------------------------------------------


def _pairs(
    role: Role, person: str, period: Period, own_rows: Any, own: Mapping[tuple[Any, ...], Sums]
) -> tuple[Pair, ...]:
    if role == "player":
        groups = sums_by_columns(own_rows.exclude(dealer=""), "game", "currency", "dealer")
        return partners("dealer", groups, _meetings(role, period, own_rows, groups), -1)
    from_inspectors = sums_by_columns(own_rows.exclude(inspector=""), "game", "currency", "inspector")
    by_game = {game: total_sums(sums for key, sums in own.items() if key[0] == game) for game, _ in own}
    players = rows_of_period(of_everybody("player"), period).filter(dealer=person, game__in=list(by_game))
    groups = sums_by_columns(players, "game", "currency", "player")
    return (
        *inspectors(from_inspectors, by_game),
        *partners("player", groups, _meetings(role, period, own_rows, groups), 1),
    )


def _meetings(
    role: Role, period: Period, own_rows: Any, groups: Mapping[tuple[Any, ...], Sums]
) -> dict[tuple[Any, ...], Meetings]:
    """Return the gaming days of each pair. Three queries."""
    if not groups:
        return {}
    games = {key[0] for key in groups}
    other: Role = "player" if role == "dealer" else "dealer"
    names = {key[2] for key in groups}
    days = rows_of_period(of_everybody("dealer"), period).filter(game__in=games)
    rows_of_others = rows_of_period(of_everybody(other), period).filter(game__in=games, **{f"{other}__in": names})
    all_days = Counter(game for game, _day in days.values_list("game", "gaming_day").distinct())
    own_days = Counter(game for game, _day in own_rows.values_list("game", "gaming_day").distinct())
    their_days = Counter(
        (game, name) for game, name, _day in rows_of_others.values_list("game", other, "gaming_day").distinct()
    )
    meetings = {}
    for key, sums in groups.items():
        mine_and_theirs = own_days[key[0]], their_days[key[0], key[2]]
        dealer_days, player_days = mine_and_theirs if role == "dealer" else mine_and_theirs[::-1]
        meetings[key] = Meetings(
            days=all_days[key[0]], dealer_days=dealer_days, player_days=player_days, together=sums.days
        )
    return meetings
