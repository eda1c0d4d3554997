"""The page of the hold: a line a table, game, pit or kind of bet, with the findings of three rules, and one by
month.
"""

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Any

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from backoffice.days.hold import hold_entry_queries
from backoffice.days.hold.monthly_hold_chart import Months, months
from events.error_codes import coded
from events.errors import Unknown
from events.hold.drop_win_hold_handle_sums import HOLDS, Amounts, HoldEntry, HoldLine, entries_by_name, to_date, year_of
from events.hold.regulatory_hold_limit_findings import HoldFinding, findings

# Groupings with rows: dealers and players do not have any.
BY: dict[str, "str | Promise"] = {"table": _("table"), "game": _("game"), "pit": _("pit"), "bet": _("kind of bet")}


_PERIODS = ("day", "month", "year")


class HeldPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """The amounts of a name in a period (day, month, year); shares in millionths, to the hundredth of a percent.

    `is_late`: the part of the line before from earlier days, which were closed without it.
    """

    name: str
    period: str
    of: Amounts
    is_late: bool = False

    @property
    def period_name(self) -> str:
        """Return the period's name in sheets and reports."""
        return f"{self.period}, of earlier days" if self.is_late else self.period

    @property
    def hold(self) -> int | None:
        """Win / drop; a difference holds nothing."""
        return None if self.is_late else share(self.of.hold)

    @property
    def win_by_handle(self) -> int | None:
        """Return win / handle: the recorded win divided by the handle."""
        return None if self.is_late else share(self.of.win_by_handle)


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a rule; shares as in `HeldPeriod`."""

    finding: HoldFinding = msgspec.field(name="said")

    @property
    def shares(self) -> tuple[int | None, ...]:
        """Return the hold that the rule checks, the one it compares with, and the bounds."""
        return tuple(
            share(fraction)
            for fraction in (self.finding.hold, self.finding.against, self.finding.low, self.finding.high)
        )


class HoldRow(msgspec.Struct, frozen=True, kw_only=True):
    """Hold of one name: its day, month and year to date, and one verdict of all rules with enough data.

    `late`: the part of month and year that came for days that were closed without it.
    """

    name: str
    day: HeldPeriod
    month: HeldPeriod
    year: HeldPeriod
    late: tuple[HeldPeriod, ...]
    rules: tuple[RuleResult, ...]

    @property
    def periods(self) -> tuple[HeldPeriod, ...]:
        """Day, month and year, in the order of the columns."""
        return self.day, self.month, self.year

    @property
    def verdict(self) -> str:
        """Return "outside" if a rule finds that, else "within" if a rule finds that, else "not known"."""
        verdicts = {rule.finding.says for rule in self.rules}
        return next((verdict for verdict in ("outside", "within") if verdict in verdicts), "not known")

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the rules whose limits the hold is outside of."""
        return tuple(rule.finding.rule for rule in self.rules if rule.finding.says == "outside")


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """Hold as of a gaming day. `uncounted`: tables' days that are in no figure; `months` are those of `name`."""

    day: str
    by: str
    name: str
    lines: tuple[tuple[HeldPeriod, ...], ...]
    rules: tuple[RuleResult, ...]
    months: Months | None
    uncounted: int

    @property
    def rows(self) -> tuple[HoldRow, ...]:
        """A row a name."""
        return tuple(map(self._row, self.lines))

    def _row(self, line: tuple[HeldPeriod, ...]) -> HoldRow:
        day, month, year = (
            next(held for held in line if held.period == name and not held.is_late) for name in _PERIODS
        )
        late = tuple(held for held in line if held.is_late)
        rules = tuple(rule for rule in self.rules if rule.finding.name == day.name)
        return HoldRow(name=day.name, day=day, month=month, year=year, late=late, rules=rules)

    @property
    def known_rules(self) -> tuple[RuleResult, ...]:
        """The findings of rules that have the figures they need."""
        return tuple(rule for rule in self.rules if rule.finding.says != "not known")

    @property
    def without_history(self) -> tuple[str, ...]:
        """The names of which no rule knows enough, each once."""
        names = dict.fromkeys(rule.finding.name for rule in self.rules)
        rule_names = {rule.finding.name for rule in self.known_rules}
        return tuple(name for name in names if name not in rule_names)

    @property
    def kinds(self) -> list[tuple[str, "str | Promise"]]:
        """Return the groupings, with their words."""
        return list(BY.items())


def hold(day: str, by: Any, name: str) -> Hold:
    """Return the hold of the last counted day where none is named; by month for the first name. Raises Unknown."""
    if by not in BY:
        raise Unknown(coded("grouping-unknown", by=by, known=list(BY)))
    day = _checked(day) if day else hold_entry_queries.last_day()
    house_settings = hold_entry_queries.settings()
    since = year_of(day, house_settings.business_year_begins) if day else ""
    entries = (
        list(hold_entry_queries.of_bets(day, since))
        if by == "bet"
        else hold_entry_queries.of_tables(day, since, house_settings)
    )
    lines = to_date(entries, by, day, house_settings.business_year_begins) if day else []
    names = [line.name for line in lines]
    return _hold(day, by, name or next(iter(names), ""), lines, entries, house_settings.business_year_begins)


def _hold(day: str, by: Any, name: str, lines: list[HoldLine], entries: list[HoldEntry], year: int) -> Hold:
    of_name = entries_by_name(entries, by) if by in HOLDS else {}
    findings_of = {line.name: findings(line.name, of_name[line.name], day, year) for line in lines if by in HOLDS}
    return Hold(
        day=day,
        by=by,
        name=name,
        lines=tuple(tuple(_periods(line)) for line in lines),
        rules=tuple(
            RuleResult(finding=finding) for findings_of_name in findings_of.values() for finding in findings_of_name
        ),
        months=months(of_name[name], findings_of[name], day, year_of(day, year)) if name in findings_of else None,
        uncounted=hold_entry_queries.uncounted(day) if day else 0,
    )


def _checked(day: str) -> str:
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise Unknown(coded("gaming-day-unknown", day=day)) from None


def _periods(line: HoldLine) -> Iterator[HeldPeriod]:
    yield HeldPeriod(name=line.name, period="day", of=line.day)
    for period, of, late in (
        ("month", line.month, line.month_of_earlier_days),
        ("year", line.year, line.year_of_earlier_days),
    ):
        yield HeldPeriod(name=line.name, period=period, of=of)
        if late is not None:
            yield HeldPeriod(name=line.name, period=period, of=late, is_late=True)


def share(of: Fraction | None) -> int | None:
    """Return the share in millionths, to the hundredth of a percent."""
    return None if of is None else round(of * 10_000) * 100
