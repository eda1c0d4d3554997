"""The journal of a gaming day on a terminal."""

from collections.abc import Iterator, Sequence

from backoffice.days.journal.journal_and_trial_balance_rows import Row
from backoffice.wording.books_as_terminal_tables import grid

_BALANCES = ("account", "begin", "debits", "credits", "end")


def render(title: str, trial: Sequence[Row], rows: Sequence[Row]) -> Iterator[str]:
    """Yield the trial balance, and then the postings."""
    yield title
    yield ""
    yield "Trial balance: debits count up, credits down; income and expenses begin at zero"
    yield from grid([*_BALANCES], [[row[name] for name in _BALANCES] for row in trial])
    yield ""
    yield "Posted"
    names = [*rows[0]] if rows else []
    yield from grid(names, [[str(row[name]) for name in names] for row in rows])
