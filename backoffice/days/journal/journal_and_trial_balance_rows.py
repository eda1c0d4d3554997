"""The journal of a gaming day as rows: totals of its entries by table, shift and rule, or each entry."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from backoffice.wording.terminal_tables import grid
from events.accounting.journal import balances
from events.accounting.journal.balances import DayJournal
from events.accounting.journal.ledger_entry import LedgerEntry, Sums
from events.accounting.report.canonical_report_bytes import decimal
from events.accounting.report.canonical_report_from_ledger import currency_of
from events.accounting.report.day_reports import MadeReport
from events.money.posting_rules import AMOUNTS

Row = dict[str, Any]
_BALANCES = ("account", "begin", "debits", "credits", "end")


def day_journal(report: MadeReport) -> tuple[DayJournal, str]:
    """The journal of the report's day, and its currency."""
    day: str = report.figures["day"]
    currency = currency_of(report.ledger, day) or ""
    return balances.of_day(report.ledger.journal.sums, day, currency), currency


def summed(posted: Sums, currency: str) -> list[Row]:
    """Return a row for each table, shift and rule; postings of another day have a row of their own."""
    lines = sorted((line, micro) for line, micro in posted.items() if micro)
    return [
        {
            "belongs_to": line.day,
            "table": line.table,
            "shift": line.shift,
            "rule": line.rule,
            **_debit_and_credit(line.debit, line.credit, micro),
            "amount": decimal(abs(micro), currency),
            "currency": line.currency or currency,
        }
        for line, micro in lines
    ]


def _debit_and_credit(debit: str, credit: str, micro: int) -> Row:
    """Below zero the reverse."""
    return {"debit": debit, "credit": credit} if micro > 0 else {"debit": credit, "credit": debit}


def entry_rows(entries: Iterable[LedgerEntry], currency: str) -> list[Row]:
    """Return a row per entry, with its event, and the event whose entry it reverses."""
    return [
        {
            "position": entry.position,
            "event": entry.event,
            "belongs_to": entry.day,
            "table": entry.table,
            "shift": entry.shift,
            "rule": entry.rule,
            "debit": entry.debit,
            "credit": entry.credit,
            "amount": decimal(entry.micro, currency),
            "currency": entry.currency or currency,
            "takes_back": entry.takes_back,
        }
        for entry in entries
        if entry.currency in ("", currency)
    ]


def trial_balance(day: DayJournal, currency: str) -> list[Row]:
    """Return the trial balance: each account's opening balance, debits, credits and closing balance."""
    debits, credits_ = balances.turnover(day.posted)
    return [
        {
            "account": account,
            "begin": decimal(day.begin.get(account, 0), currency),
            "debits": decimal(debits.get(account, 0), currency),
            "credits": decimal(credits_.get(account, 0), currency),
            "end": decimal(end, currency),
        }
        for account, end in day.end.items()
    ]


def meaning(rule: str) -> str:
    """Return the rule's occasion, in words."""
    return AMOUNTS[rule].when


def title(report: MadeReport) -> str:
    """Return the title of a journal: its day, status, position and digest."""
    figures = report.figures
    return f"Journal of {figures['day']}, {report.basis.status}, as of {figures['as_of']}; digest {report.digest}"


def journal_json(report: MadeReport, property_: str, currency: str, trial_rows: list[Row], posted: list[Row]) -> Row:
    """Return the journal for programs: the trial balance and the postings, amounts as decimal text."""
    figures = report.figures
    answer = {"property": property_, "day": figures["day"], "as_of": figures["as_of"], "currency": currency}
    answer |= {"status": report.basis.status, "digest": report.digest}
    return answer | {"trial": trial_rows, "posted": posted}


def journal_text(report: MadeReport, trial_rows: Sequence[Row], posted: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the journal for a terminal: the trial balance, and then the postings."""
    yield title(report)
    yield ""
    yield "Trial balance: debits count up, credits down; income and expenses begin at zero"
    yield from grid([*_BALANCES], [[row[name] for name in _BALANCES] for row in trial_rows])
    yield ""
    yield "Posted"
    names = [*posted[0]] if posted else []
    yield from grid(names, [[str(row[name]) for name in names] for row in posted])
