"""The journal of a gaming day as rows: what its entries come to by table, shift and rule, or each of them."""

from collections.abc import Iterable
from typing import Any

from events.accounting.journal import balances
from events.accounting.journal.balances import DayJournal
from events.accounting.journal.entries import Entry, Sums
from events.accounting.report.canonical import decimal
from events.accounting.report.layouts import currency_of
from events.accounting.report.made import Made
from events.postings import AMOUNTS

Row = dict[str, Any]


def of_day(found: Made) -> tuple[DayJournal, str]:
    """The journal of the report's day, and its currency."""
    day: str = found.figures["day"]
    currency = currency_of(found.ledger, day) or ""
    return balances.of_day(found.ledger.journal.sums, day, currency), currency


def summed(posted: Sums, currency: str) -> list[Row]:
    """A row a table, shift and rule; of what belongs to another day, a row of its own."""
    lines = sorted((line, micro) for line, micro in posted.items() if micro)
    return [
        {
            "belongs_to": line.day,
            "table": line.table,
            "shift": line.shift,
            "rule": line.rule,
            **_sides(line.debit, line.credit, micro),
            "amount": decimal(abs(micro), currency),
            "currency": line.currency or currency,
        }
        for line, micro in lines
    ]


def _sides(debit: str, credit: str, micro: int) -> Row:
    """Below zero the reverse."""
    return {"debit": debit, "credit": credit} if micro > 0 else {"debit": credit, "credit": debit}


def each(entries: Iterable[Entry], currency: str) -> list[Row]:
    """A row an entry, with the event that made it, and the one whose entry it takes back."""
    return [
        {
            "position": one.position,
            "event": one.event,
            "belongs_to": one.day,
            "table": one.table,
            "shift": one.shift,
            "rule": one.rule,
            "debit": one.debit,
            "credit": one.credit,
            "amount": decimal(one.micro, currency),
            "currency": one.currency or currency,
            "takes_back": one.takes_back,
        }
        for one in entries
        if one.currency in ("", currency)
    ]


def trial(day: DayJournal, currency: str) -> list[Row]:
    """The trial balance: what each account began with, its debits and credits, and what it came to."""
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
    """What happens, in words."""
    return AMOUNTS[rule].when
