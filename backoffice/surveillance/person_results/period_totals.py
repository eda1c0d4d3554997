"""Sums of people's results over a period: rows of hours added up by the database, one query a grouping."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Literal

import msgspec
from django.db.models import Count, Max, Min, Q, Sum
from django.db.models.query import QuerySet

from events.luck.intervals_and_tail_probabilities import Spread
from events.rules.bet_outcome_chance_structs import MICRO
from events.text.id_spelling_normalization import spellings
from projections.people.models import HourResult, Result
from projections.people.summed_result_figures_struct import BASES, ResultFigures, figures_together

Role = Literal["dealer", "player"]
DAYS = 30  # of a period that was not chosen: as the alert for void rates


class Period(msgspec.Struct, frozen=True):
    """Gaming days from the first to the last."""

    first: str
    last: str


class Sums(ResultFigures, kw_only=True):
    """Sums of some rounds, in minor units; for the house, as events have them. `days`: on how many gaming days."""

    days: int = 0

    @property
    def theory_minor(self) -> int:
        """Return the theoretical win of the house, to the nearest minor unit."""
        return round(Fraction(self.theory_micro, MICRO))

    @property
    def errors(self) -> int:
        """Return all errors together."""
        return self.mispays + self.misdeals + self.corrections + self.irregularities

    @property
    def spread(self) -> Spread:
        """Return the distribution of the house's win by theory."""
        return Spread(self.decisions, self.theory_micro / MICRO, self.variance, self.third)

    @property
    def rounds_an_hour(self) -> float | None:
        """Return the pace over the timed rounds."""
        return self.timed * 3600 / self.seconds if self.seconds else None


def of_person(role: Role, person: str) -> "QuerySet[HourResult]":
    """Return the hours of a dealer (the bets of all players together), or of a player."""
    if role == "dealer":
        return HourResult.objects.filter(dealer__in=spellings(person), player="")
    return HourResult.objects.filter(player__in=spellings(person))


def role_of(person: str) -> Role | None:
    """Return the role in which a person has rounds: dealer, else player; None without any."""
    roles: tuple[Role, ...] = ("dealer", "player")
    return next((role for role in roles if of_person(role, person).exists()), None)


def of_everybody(role: Role) -> "QuerySet[HourResult]":
    """Return the hours of all dealers, or of all players."""
    rows = HourResult.objects.all()
    return rows.filter(player="").exclude(dealer="") if role == "dealer" else rows.exclude(player="")


def rows_of_period(rows: "QuerySet[HourResult]", period: Period, game: str = "") -> "QuerySet[HourResult]":
    """Return the rows of a period, and of a game where one is named."""
    rows = rows.filter(gaming_day__gte=period.first, gaming_day__lte=period.last)
    return rows.filter(game=game) if game else rows


def totals_by(rows: "QuerySet[HourResult]", summed: Sequence[str], *names: str) -> dict[tuple[Any, ...], Sums]:
    """Return the sums of a few columns by others, without days and basis. One query, quicker than `by`."""
    groups = rows.order_by().values(*names).annotate(**{f"sum_{name}": Sum(name) for name in summed})
    return {tuple(row[name] for name in names): Sums(**{name: row[f"sum_{name}"] for name in summed}) for row in groups}


def sums_by_columns(rows: "QuerySet[HourResult]", *names: str) -> dict[tuple[Any, ...], Sums]:
    """Return the sums by some columns. One query."""
    sums = {f"sum_{name}": Sum(name) for name in Result.SUMMED}
    bases = {f"basis_{place}": Count("id", filter=Q(basis=basis)) for place, basis in enumerate(BASES) if place}
    groups = rows.order_by(*names).values(*names).annotate(days=Count("gaming_day", distinct=True), **sums, **bases)
    return {tuple(row[name] for name in names): _sums(row) for row in groups}


def sum_of_rows(rows: "QuerySet[HourResult]") -> Sums:
    """Return the sums of all rows."""
    return total_sums(sums_by_columns(rows, "gaming_day").values())


def total_sums(several: Iterable[Sums]) -> Sums:
    """Return the sums of several; their days are taken as different ones."""
    sums = list(several)
    return Sums(**figures_together(sums), days=sum(each.days for each in sums))


def sums_of_others(all_rounds: Sums, own: Sums) -> Sums:
    """Return the sums of the others."""
    return Sums(**{name: getattr(all_rounds, name) - getattr(own, name) for name in Result.SUMMED})


def period_of(rows: "QuerySet[HourResult]", first: str, last: str) -> Period | None:
    """Return the chosen period, or the last days with rounds; None for a person without any."""
    ends = rows.aggregate(first=Min("gaming_day"), last=Max("gaming_day"))
    if ends["last"] is None:
        return None
    end = last or ends["last"]
    begin = first or max(ends["first"], (date.fromisoformat(end) - timedelta(days=DAYS - 1)).isoformat())
    return Period(min(begin, end) if not first else begin, end)


def _sums(row: Mapping[str, Any]) -> Sums:
    basis = next((BASES[place] for place in range(len(BASES) - 1, 0, -1) if row[f"basis_{place}"]), "")
    return Sums(**{name: row[f"sum_{name}"] for name in Result.SUMMED}, basis=basis, days=row["days"])
