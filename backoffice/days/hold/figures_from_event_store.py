"""Hold and theoretical win of a gaming day for `./manage.py hold`, from the event store without read models."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import convert

from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.day_reports import make
from events.accounting.report.property_ledger_fold import accounting_event
from events.accounting.win_report_lines import TableFigures
from events.hold import hold_entries_fold
from events.hold.drop_win_hold_handle_sums import (
    HOLDS,
    Amounts,
    By,
    HoldEntry,
    HoldLine,
    entries_by_name,
    of_tables,
    to_date,
)
from events.hold.hold_entries_fold import ClosedDayReport
from events.hold.regulatory_hold_limit_findings import HoldFinding, findings
from events.house.property_currency_lookup import of_property
from events.luck.played_decisions_with_bet_results import PlayedDecision, corrected, played_decisions
from events.luck.win_against_theory import Luck, luck
from events.progressives.history_reader import recorded_rulesets
from events.rules.loading_and_pinning_rulesets import cache_ruleset
from events.store import EventStore, everything


class HoldOutput(msgspec.Struct, kw_only=True):
    """Output of the command. `left_out` are tables in another currency than the property's."""

    by: str
    currency: str
    left_out: list[str] = []
    day: str
    lines: list[HoldLine]
    rules: list[HoldFinding]
    luck: list[Luck]


def hold_output(store: EventStore, property_: str, by: By, first: str | None, last: str | None) -> HoldOutput:
    """Return the hold until gaming day `last`, and the win against the theoretical win since `first`."""
    for ruleset in recorded_rulesets(store, property_).values():
        cache_ruleset(ruleset.data)
    facts, currency = list(_facts(store, property_)), of_property(store, property_)
    ledger = hold_entries_fold.fold(facts, currency)
    day = last or max((entry.day for entry in ledger.entries()), default="")
    if not day:
        return HoldOutput(by=by, currency=currency, day="", lines=[], rules=[], luck=[])
    year = ledger.settings.business_year_begins
    entries = ledger.entries(
        {name: _closed_report(store, property_, name, came) for name, came in ledger.came(day).items()}
    )
    return HoldOutput(
        by=by,
        currency=currency,
        left_out=sorted(ledger.left_out),
        day=day,
        lines=to_date(entries, by, day, year),
        rules=_rules(entries, by, day, year),
        luck=luck(_plays_of_days(_played_decisions(property_, facts), first or day, day), by),
    )


def _closed_report(store: EventStore, property_: str, day: str, came: str) -> ClosedDayReport:
    """Return the last report of a closed day, made again."""
    report = make(store, property_, day, store.position())
    return ClosedDayReport(
        entries=tuple(of_tables(convert(report.figures["tables"], list[TableFigures]), day)), came=came
    )


def _facts(store: EventStore, property_: str) -> Iterator[AccountingEvent]:
    read = (accounting_event(stored, property_) for stored in everything(store))
    return (fact for fact in read if fact is not None)


def _rules(entries: list[HoldEntry], by: By, day: str, year: int) -> list[HoldFinding]:
    if by not in HOLDS:
        return []
    return [
        finding
        for name, named_entries in sorted(entries_by_name(entries, by).items())
        for finding in findings(name, named_entries, day, year)
    ]


def _played_decisions(property_: str, facts: Iterable[AccountingEvent]) -> Iterator[PlayedDecision]:
    events = [(fact.stream, fact.data) for fact in facts]
    return played_decisions(property_, events, corrected(events))


def _plays_of_days(plays: Iterable[PlayedDecision], first: str, last: str) -> Iterator[PlayedDecision]:
    return (play for play in plays if first <= play.gaming_day <= last)


def hold_json(result: HoldOutput) -> dict[str, Any]:
    """Return the result with the shares, which are computed of the amounts."""
    lines = [{"name": line.name, "periods": {name: _shares(of) for name, of in periods(line)}} for line in result.lines]
    return {**msgspec.structs.asdict(result), "lines": lines}


def _shares(of: Amounts) -> dict[str, Any]:
    return {**msgspec.structs.asdict(of), "hold": of.hold, "win_by_handle": of.win_by_handle}


def periods(line: HoldLine) -> Iterator[tuple[str, Amounts]]:
    """The shifts of the day, the day, month and year to date."""
    yield from ((f"shift {name}", of) for name, of in line.shifts.items())
    for name, of in (
        *(("day", line.day), ("month", line.month), ("month, of earlier days", line.month_of_earlier_days)),
        *(("year", line.year), ("year, of earlier days", line.year_of_earlier_days)),
    ):
        if of is not None:
            yield name, of


def exact_ratio(value: Any) -> str:
    """Write a ratio for JSON, as "1/3"."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    raise NotImplementedError  # as msgspec requires of an `enc_hook`: it raises for a value that it cannot write
