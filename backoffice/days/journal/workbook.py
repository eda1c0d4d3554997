"""The journal of a gaming day as a workbook: the trial balance, and the postings."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from backoffice.days.journal.journal_and_trial_balance_rows import Row
from backoffice.printing import workbooks
from backoffice.printing.workbooks import Tab

_AMOUNTS = ("begin", "debits", "credits", "end", "amount")


def workbook(title: str, trial: Sequence[Row], rows: Sequence[Row]) -> bytes:
    """The file's bytes."""
    return workbooks.workbook(title, [_tab("Trial balance", trial), _tab("Journal", rows)])


def _tab(name: str, rows: Sequence[Row]) -> Tab:
    names = [*rows[0]] if rows else []
    return Tab(name=name, columns=names, lines=[[_cell(column, row[column]) for column in names] for row in rows])


def _cell(name: str, value: Any) -> object:
    return Decimal(value) if name in _AMOUNTS else value
