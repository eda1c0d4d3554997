"""The journal of a gaming day as a file for Beancount, complete in itself: accounts, balances, transactions.

In Beancount every part of an account begins with a capital, and the first one is one of five. So names are mapped. A
file is refused in which two accounts would become one. Each `open` gives the account's own name.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from backoffice.days.journal.journal_and_trial_balance_rows import Row, meaning
from events.accounting.journal.balances import DayJournal
from events.accounting.report.canonical_report_bytes import decimal
from events.money.posting_rules import mapped

EARNED = "Equity:Earnings:Before"  # total of income and expenses of earlier days


class Dates(NamedTuple):
    """The day, the one before it, from which balances are brought forward, and the one after it."""

    before: str
    day: str
    after: str


def render(gaming_day: str, currency: str, day: DayJournal, rows: Sequence[Row]) -> Iterator[str]:
    """Line by line. Raises Conflict for two accounts of one name."""
    names = mapped([*day.end, EARNED])
    dates = _dates(gaming_day)
    yield f'option "title" "Journal of {gaming_day}"'
    yield f'option "operating_currency" "{currency}"'
    yield ""
    for account, name in names.items():
        yield f"{dates.before} open {name} {currency}"
        yield f"  account: {_quoted(account)}"
    yield from _forward(dates, currency, day, names)
    for row in rows:
        yield from _transaction(gaming_day, row, names)
    yield ""
    for account, micro in day.end.items():
        yield f"{dates.after} balance {names[account]} {decimal(micro, currency)} {currency}"


def _dates(gaming_day: str) -> Dates:
    day = date.fromisoformat(gaming_day)
    return Dates((day - timedelta(1)).isoformat(), gaming_day, (day + timedelta(1)).isoformat())


def _forward(dates: Dates, currency: str, day: DayJournal, names: dict[str, str]) -> Iterator[str]:
    """Yield earlier balances, against the earlier totals of income and expenses, with their assertions."""
    begin = {account: micro for account, micro in day.begin.items() if micro}
    yield ""
    if begin:
        yield f'{dates.before} * "Brought forward"'
        for account, micro in (*begin.items(), (EARNED, -sum(begin.values()))):
            yield f"  {names[account]}  {decimal(micro, currency)} {currency}"
        yield ""
    for account, micro in day.begin.items():
        yield f"{dates.day} balance {names[account]} {decimal(micro, currency)} {currency}"


def _transaction(gaming_day: str, row: Row, names: dict[str, str]) -> Iterator[str]:
    where = " ".join(str(row[name]) for name in ("table", "shift") if row[name])
    yield ""
    yield f"{gaming_day} * {_quoted(where)} {_quoted(meaning(row['rule']))}"
    about = ("rule", "event", "takes_back", "belongs_to")
    for name in (name for name in about if row.get(name) and row[name] != gaming_day):
        yield f"  {name.replace('_', '-')}: {_quoted(row[name])}"
    yield f"  {names[row['debit']]}  {row['amount']} {row['currency']}"
    yield f"  {names[row['credit']]}  -{row['amount']} {row['currency']}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
