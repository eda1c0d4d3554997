"""Sums of the entries: a gaming day's journal by account, exactly, and all days together.

A day starts from the balances of assets, contra accounts, liabilities and equity, and from zero for income and
expenses. Debits count up, credits down.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from events.accounting.journal.ledger_entry import JournalLine, Sums

Balances = dict[str, int]  # by account, in millionths of a minor unit
OF_A_PERIOD = ("Income", "Expenses")  # accounts that begin at zero every day


class DayJournal(NamedTuple):
    """A gaming day: the opening balances, the postings of the day, and the closing balances."""

    begin: Balances
    posted: Sums
    end: Balances


def of_day(sums: Mapping[str, Sums], gaming_day: str, currency: str | None) -> DayJournal:
    """Return the journal of a day in a currency. Entries without a table count in the house's own currency."""
    currencies = {"", currency}
    before = [(line, micro) for day, of in sums.items() if day < gaming_day for line, micro in of.items()]
    begin = balances((line, micro) for line, micro in before if line.currency in currencies)
    begin = {account: micro for account, micro in begin.items() if account.partition(":")[0] not in OF_A_PERIOD}
    posted = {line: micro for line, micro in sums.get(gaming_day, {}).items() if line.currency in currencies}
    return DayJournal(begin, posted, balances(posted.items(), begin))


def turnover(posted: Sums) -> tuple[Balances, Balances]:
    """The debits and the credits of each account."""
    debits: Balances = {}
    credits_: Balances = {}
    for line, micro in posted.items():
        for account, amount in ((line.debit, micro), (line.credit, -micro)):
            of = debits if amount > 0 else credits_
            of[account] = of.get(account, 0) + abs(amount)
    return debits, credits_


def balances(lines: Iterable[tuple[JournalLine, int]], begin: Mapping[str, int] | None = None) -> Balances:
    """Return the sums of the lines by account, sorted by name."""
    sums = dict(begin or {})
    for line, micro in lines:
        sums[line.debit] = sums.get(line.debit, 0) + micro
        sums[line.credit] = sums.get(line.credit, 0) - micro
    return dict(sorted(sums.items()))


def all_lines(sums: Mapping[str, Sums]) -> Iterable[tuple[JournalLine, int]]:
    """All lines of all days."""
    return ((line, micro) for of in sums.values() for line, micro in of.items())
