"""`./manage.py hold`: show drop, win, hold and theoretical win, by table, game, pit, dealer, bet or player."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from fractions import Fraction
from typing import Any

import msgspec
from django.core.management.base import CommandParser
from msgspec import convert

from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.wording import formats
from backoffice.wording.books_as_terminal_tables import grid, money
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.day_reports import make
from events.accounting.report.property_ledger_fold import happened
from events.accounting.win_report_lines import TableFigures
from events.hold import hold_entries_fold
from events.hold.drop_win_hold_handle_sums import HOLDS, Amounts, HoldEntry, HoldLine, named, of_tables, to_date
from events.hold.hold_entries_fold import ClosedDayReport
from events.hold.regulatory_hold_limit_findings import HoldFinding, findings
from events.house.property_currency_lookup import of_property
from events.luck.played_decisions_with_bet_results import PlayedDecision, corrected, played
from events.luck.win_against_theory import Luck, luck
from events.progressives.history_reader import recorded
from events.rules.loading_and_pinning_rulesets import keep
from events.settings.settings_from_environment import settings
from events.store import EventStore, everything, open_store

BY = ("table", "game", "pit", "dealer", "bet", "player")


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show drop, table win, hold, handle, recorded win and win / handle of a gaming day: by shift, day, month "
        "and business year to date. For tables and games show the limits of Kansas, Ohio and Maryland. "
        "Show recorded win against theoretical win, with the probability of the difference. Exit "
        "code 2: something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--by", choices=BY, default="table", help="one line for each (default: table)")
        parser.add_argument(
            "--from",
            dest="first",
            type=gaming_day,
            metavar="DAY",
            help="compare with theoretical win since this gaming day",
        )
        parser.add_argument(
            "--to", dest="last", type=gaming_day, metavar="DAY", help="up to this gaming day (default: the last)"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, amounts in minor units, exact ratios")

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        with closing(open_store(settings().store)) as store, exit_code(2):
            result = _hold_output(store, settings().property_, options)
        if options["by"] in ("player", "dealer"):
            from_terminal(PERSON, f"hold --by {options['by']}", self.stderr.write, count=len(result.luck))
        if options["json"]:
            self.write_json(_whole(result), enc_hook=_exact)
        else:
            self.stdout.write("\n".join(_text(result)) or "nothing was played")


class HoldOutput(msgspec.Struct, kw_only=True):
    """Output of the command. `left_out` are tables in another currency than the property's."""

    by: str
    currency: str
    left_out: list[str] = []
    day: str
    lines: list[HoldLine]
    rules: list[HoldFinding]
    luck: list[Luck]


def _hold_output(store: EventStore, property_: str, options: dict[str, Any]) -> HoldOutput:
    for ruleset in recorded(store, property_).values():
        keep(ruleset.data)
    facts, by, currency = list(_facts(store, property_)), options["by"], of_property(store, property_)
    ledger = hold_entries_fold.fold(facts, currency)
    day = options["last"] or max((entry.day for entry in ledger.entries()), default="")
    if not day:
        return HoldOutput(by=by, currency=currency, day="", lines=[], rules=[], luck=[])
    year = ledger.settings.business_year_begins
    first = options["first"] or day
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
        luck=luck(_between(_played(property_, facts), first, day), by),
    )


def _closed_report(store: EventStore, property_: str, day: str, came: str) -> ClosedDayReport:
    """Return the last report of a closed day, made again."""
    report = make(store, property_, day, store.position())
    return ClosedDayReport(
        entries=tuple(of_tables(convert(report.figures["tables"], list[TableFigures]), day)), came=came
    )


def _facts(store: EventStore, property_: str) -> Iterator[AccountingEvent]:
    read = (happened(stored, property_) for stored in everything(store))
    return (fact for fact in read if fact is not None)


def _rules(entries: list[HoldEntry], by: Any, day: str, year: int) -> list[HoldFinding]:
    if by not in HOLDS:
        return []
    return [
        finding
        for name, named_entries in sorted(named(entries, by).items())
        for finding in findings(name, named_entries, day, year)
    ]


def _played(property_: str, facts: Iterable[AccountingEvent]) -> Iterator[PlayedDecision]:
    events = [(fact.stream, fact.data) for fact in facts]
    return played(property_, events, corrected(events))


def _between(plays: Iterable[PlayedDecision], first: str, last: str) -> Iterator[PlayedDecision]:
    return (play for play in plays if first <= play.gaming_day <= last)


def _whole(result: HoldOutput) -> dict[str, Any]:
    """Return the result with the shares, which are computed of the amounts."""
    lines = [
        {"name": line.name, "periods": {name: _shares(of) for name, of in _periods(line)}} for line in result.lines
    ]
    return {**msgspec.structs.asdict(result), "lines": lines}


def _shares(of: Amounts) -> dict[str, Any]:
    return {**msgspec.structs.asdict(of), "hold": of.hold, "win_by_handle": of.win_by_handle}


def _periods(line: HoldLine) -> Iterator[tuple[str, Amounts]]:
    """The shifts of the day, the day, month and year to date."""
    yield from ((f"shift {name}", of) for name, of in line.shifts.items())
    for name, of in (
        *(("day", line.day), ("month", line.month), ("month, of earlier days", line.month_of_earlier_days)),
        *(("year", line.year), ("year, of earlier days", line.year_of_earlier_days)),
    ):
        if of is not None:
            yield name, of


def _exact(value: Any) -> str:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    raise NotImplementedError  # as msgspec requires of an `enc_hook`: it raises for a value that it cannot write


# --- for a terminal ---------------------------------------------------------------------------------------------------


def _text(result: HoldOutput) -> Iterator[str]:
    if result.lines:
        heads = [result.by, "period", "drop", "win", "hold", "handle", "event win", "win by handle"]
        yield f"Hold as of {result.day}; amounts in {result.currency}"
        yield from grid(heads, [row for line in result.lines for row in _rows(line, result.currency)])
    if result.left_out:
        yield f"Left out, in another currency: {', '.join(result.left_out)}"
    if result.rules:
        yield ""
        heads = ["rule", result.by, "period", "hold", "against", "from", "to", "says"]
        yield from grid(heads, [_rule(item) for item in result.rules])
    if result.luck:
        yield ""
        heads = [result.by, "decisions", "bets", "win", "theory", "deviation", "chance", "how", "basis"]
        yield from grid(heads, [_luck(item, result.currency) for item in result.luck])


def _rows(line: HoldLine, currency: str) -> Iterator[list[str]]:
    return ([line.name, period, *_amounts(of, currency)] for period, of in _periods(line))


def _amounts(of: Amounts, currency: str) -> list[str]:
    estimated = " est." if of.is_estimated else ""
    return [
        f"{money(of.drop_minor, currency)}{estimated}",
        f"{money(of.win_minor, currency)}{estimated}",
        _percent(of.hold),
        money(of.handle_minor, currency),
        money(of.event_win_minor, currency),
        _percent(of.win_by_handle),
    ]


def _rule(finding: HoldFinding) -> list[str]:
    shares = [_percent(share) for share in (finding.hold, finding.against, finding.low, finding.high)]
    return [
        finding.rule,
        finding.name,
        finding.period,
        *shares,
        f"{finding.says}{': ' * bool(finding.lacks)}{finding.lacks}",
    ]


def _luck(luck: Luck, currency: str) -> list[str]:
    side = "more" if luck.tail.at_least <= luck.tail.at_most else "less"
    error = f" (to {luck.tail.error:.1g})" if luck.tail.error else ""
    return [
        luck.name,
        str(luck.decisions),
        str(luck.bets),
        money(luck.win_minor, currency),
        money(round(Fraction(luck.theory_micro, 10**6)), currency),
        money(round(luck.deviation_minor), currency),
        f"{luck.tail.chance:.3g} of so much or {side}",
        f"{luck.tail.how}{error}",
        luck.basis,
    ]


def _percent(share: Fraction | None) -> str:
    return formats.plain(formats.hold(None if share is None else round(share * formats.MICRO)))
