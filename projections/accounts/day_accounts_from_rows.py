"""The accounts of one gaming day, made from rows: the input of the report and the checklist.

They contain that day only. Their parts and figures are those of `events/accounting`.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from events.accounting.discrepancies_with_explanations import Discrepancy
from events.accounting.event_types.day_close import DayOverridden
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slip, Slips
from events.accounting.journal.journal import Journal
from events.accounting.journal.ledger_entry import LedgerEntry
from events.accounting.report import canonical_report_from_ledger
from events.accounting.report.cage_days_fold import CageDay, Cages
from events.accounting.report.closed_days_fold import ClosedDay, Closings
from events.accounting.report.paid_progressive_slips_fold import PaidSlip
from events.accounting.report.property_ledger_fold import Ledger, Span
from projections.accounts.cage_and_slip_rows import CurrentState
from projections.accounts.models import (
    AccountsNow,
    CageAccount,
    DayAccount,
    FoundAccount,
    PaperAccount,
    SlipAccount,
)
from projections.accounts.table_days import TableState
from projections.tables.models import TableDay

FIGURES_NOT_IN_ROWS = ("layout", "progressives", "journal")  # state that the rows do not contain


class EmptyJournal(Journal):
    """An empty journal, because the rows hold none: it is folded from the events."""

    def take(self, fact: AccountingEvent, ledger: Any, rules: Any = None) -> list[LedgerEntry]:
        """Post nothing."""
        return []

    def copy(self) -> "EmptyJournal":
        """Return itself: it holds nothing."""
        return self


class DayState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """State of a gaming day: its closing, and the overridden items, each with person and time."""

    closing: ClosedDay | None = None
    overridden: dict[str, DayOverridden] = {}


class DayRows(msgspec.Struct, kw_only=True):
    """The rows about a gaming day.

    They are those of its tables and of every table's last day, slips of the day and open ones, its discrepancies and
    its papers.
    """

    day: DayAccount
    now: AccountsNow | None
    tables: list[TableDay]
    slips: list[SlipAccount]
    discrepancies: list[FoundAccount]
    cage: list[CageAccount]
    papers: list[PaperAccount]


_now: msgspec.json.Decoder[CurrentState] = msgspec.json.Decoder(CurrentState)
_table: msgspec.json.Decoder[TableState] = msgspec.json.Decoder(TableState)
_slip: msgspec.json.Decoder[Slip] = msgspec.json.Decoder(Slip)
_decoder: msgspec.json.Decoder[Discrepancy] = msgspec.json.Decoder(Discrepancy)
_cage_day: msgspec.json.Decoder[CageDay] = msgspec.json.Decoder(CageDay)
_paper: msgspec.json.Decoder[PaidSlip] = msgspec.json.Decoder(PaidSlip)
_state_decoder: msgspec.json.Decoder[DayState] = msgspec.json.Decoder(DayState)


def day_state(row: DayAccount) -> DayState:
    """Return the stored state of the day."""
    return _state_decoder.decode(row.state) if row.state else DayState()


def now_of(row: AccountsNow | None) -> CurrentState:
    """Return the state that belongs to no gaming day."""
    return _now.decode(row.state) if row is not None else CurrentState()


def table_state(row: TableDay) -> TableState:
    """Return the state of a table's day that is not void."""
    return _table.decode(row.state)


def slip(row: SlipAccount) -> Slip:
    """Return an issued slip."""
    return _slip.decode(row.state)


def ledger(rows: DayRows) -> Ledger:
    """Return the accounts that concern the day."""
    accounts, now = Ledger(), now_of(rows.now)
    accounts.journal = EmptyJournal()
    accounts.house, accounts.cage, accounts.current = now.house, now.cage, now.current
    accounts.installed_in = now.installed_in or now.opened_in
    accounts.days = {rows.day.id: Span(rows.day.first, rows.day.last)}
    accounts.cages = Cages({row.id: _cage_day.decode(row.state) for row in rows.cage if row.state}, now.since)
    accounts.slips = Slips({row.id: slip(row) for row in _rows_in_order(rows.slips, "issued_at")})
    accounts.discrepancies = {
        row.id: _decoder.decode(row.state) for row in _rows_in_order(rows.discrepancies, "position")
    }
    papers = [_paper.decode(row.state) for row in _rows_in_order(rows.papers, "position")]
    accounts.papers = {(paper.progressive, paper.year, paper.number): paper for paper in papers}
    _add_tables(accounts, rows.tables)
    _add_closing(accounts, rows.day)
    return accounts


def accounts_of_all_places(now: AccountsNow | None, tables: list[TableDay], slips: list[SlipAccount]) -> Ledger:
    """Return the accounts of the places of chips: every table's last day, the cage, and chips in transit."""
    accounts, state = Ledger(), now_of(now)
    accounts.house, accounts.cage = state.house, state.cage
    accounts.slips = Slips({row.id: slip(row) for row in slips if row.state})
    _add_tables(accounts, tables)
    return accounts


def figures(rows: DayRows, position: int) -> dict[str, Any]:
    """Return the canonical figures of the day so far, without those that the rows do not hold."""
    return report_figures(ledger(rows), rows.day.id, position)


def report_figures(accounts: Ledger, day: str, position: int, restatement: int = 0) -> dict[str, Any]:
    """Return the canonical figures of a day from accounts made from rows, in their layout."""
    return without_others(
        canonical_report_from_ledger.figures(accounts, day, position, restatement=restatement, layout=accounts.layout)
    )


def without_others(report_figures: dict[str, Any]) -> dict[str, Any]:
    """Return a report's figures without those that the rows do not hold."""
    return {name: value for name, value in report_figures.items() if name not in FIGURES_NOT_IN_ROWS}


def _rows_in_order(rows: Iterable[Any], position: str) -> list[Any]:
    """Return the rows that have a state, in the order of the store."""
    return sorted((row for row in rows if row.state), key=lambda row: getattr(row, position) or 0)


def _add_tables(accounts: Ledger, rows: Iterable[TableDay]) -> None:
    for row in rows:
        if row.state:
            table = table_state(row)
            accounts.tables[row.id], accounts.beyond[row.id] = table.day, table.beyond


def _add_closing(accounts: Ledger, row: DayAccount) -> None:
    state = day_state(row)
    days = {row.id: state.closing} if state.closing is not None else {}
    accounts.layout = state.closing.last.layout if state.closing is not None else accounts.layout
    accounts.closings = Closings(days, {row.id: state.overridden})
