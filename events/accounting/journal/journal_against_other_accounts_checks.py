"""Identities that hold at every position: the journal and the other accounts agree on each account.

Each identity has two sides that come from different folds. They compare amounts by their rules, for any names of a
property's accounts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from events.accounting import win_report_lines
from events.accounting.cage_inventory import Cage
from events.accounting.daily_meter_movements import MeteredProgressive, unpaid
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.journal import table_event_amounts
from events.accounting.journal.balances import all_lines, balances
from events.accounting.journal.journal import Journal
from events.accounting.journal.ledger_entry import MICRO
from events.accounting.table_shifts_fold import TableShifts
from events.error_codes import ErrorText, coded
from events.house.setting_and_chip_issue_decider import House
from events.money.posting_rules import AMOUNTS
from events.rules.chip_sums_by_denomination import worth


class ComparedAccounts(Protocol):
    """Accounts that the journal is compared with, by the rules of `layout`."""

    layout: int
    journal: Journal
    tables: dict[str, TableShifts]
    meters: dict[str, MeteredProgressive]
    cage: Cage
    slips: Slips
    house: House
    beyond: dict[str, int]  # by stream: surplus of the last count over the expected amount of the shift


class BrokenIdentity(NamedTuple):
    """An identity that does not hold: its name, the journal's sum, and the other accounts' sum, in millionths."""

    text: ErrorText
    journal: int
    accounts: int


Sides = Iterator[BrokenIdentity]
Posted = Mapping[str, int]  # by account, over all days


def broken(accounts: ComparedAccounts, gaming_days: Iterable[str]) -> list[BrokenIdentity]:
    """Return the identities that do not hold: the wins of these days, and all others as of now."""
    sides = [*_accounts(accounts), *(side for day in gaming_days for side in _of_day(accounts, day))]
    return [side for side in sides if side.journal != side.accounts]


def _accounts(accounts: ComparedAccounts) -> Sides:
    posted: Counter[str] = Counter()
    for (rule, table, place), micro in accounts.journal.held.items():
        for account, amount in _amount_sides(rule, table, place, micro):
            posted[account] += amount
    return (side for look in _ALL for side in look(accounts, posted))


def _amount_sides(name: str, table: str, place: str, micro: int) -> Iterator[tuple[str, int]]:
    """Yield the sides by the default rules."""
    rule = AMOUNTS[name]
    progressive, level, reason = place.split(":") if place else ("", "", "")
    names = {"table": table, "progressive": progressive, "level": level, "reason": reason}
    yield rule.debit.format(**names), micro
    yield rule.credit.format(**names), -micro


def _of_day(accounts: ComparedAccounts, gaming_day: str) -> Sides:
    """Compare debits with credits of the day's postings in its own accounts; and both wins."""
    posted = accounts.journal.sums.get(gaming_day, {})
    yield BrokenIdentity(coded("identity-all-accounts", day=gaming_day), sum(balances(posted.items()).values()), 0)
    yield from _wins(accounts, gaming_day)


def _trays(accounts: ComparedAccounts, posted: Posted) -> Sides:
    """Compare each tray: the last count and the movements since; for a closed day the count alone."""
    for table, days in _by_table(accounts.tables).items():
        last = days[-1]
        yield BrokenIdentity(
            coded("identity-tray", table=table), posted[f"Assets:Chips:Tables:{table}"], _tray(accounts, last) * MICRO
        )


def _tray(accounts: ComparedAccounts, last: tuple[str, TableShifts]) -> int:
    stream, day = last
    if day.is_closed and day.last.end is not None:
        return day.last.end
    return day.last.expected + accounts.beyond.get(stream, 0)


def _by_table(days: Mapping[str, TableShifts]) -> dict[str, list[tuple[str, TableShifts]]]:
    by_table: dict[str, list[tuple[str, TableShifts]]] = {}
    for stream, day in sorted(days.items(), key=lambda entry: entry[1].gaming_day):
        by_table.setdefault(day.table, []).append((stream, day))
    return by_table


def _wins(accounts: ComparedAccounts, gaming_day: str) -> Sides:
    """Compare both wins of each table's day; the table win once every shift is counted."""
    posted: Counter[tuple[str, str]] = Counter()
    later = {dated: sums for dated, sums in accounts.journal.sums.items() if dated >= gaming_day}
    for line, micro in all_lines(later):
        if line.day == gaming_day and line.table:
            for account, amount in _amount_sides(line.rule, line.table, line.place, micro):
                posted[line.table, account] += amount
    for day in (table_day for table_day in accounts.tables.values() if table_day.gaming_day == gaming_day):
        yield from _wins_of(day, posted, accounts.layout)


def _wins_of(day: TableShifts, posted: Mapping[tuple[str, str], int], layout: int) -> Sides:
    income = -posted[day.table, f"Income:Tables:{day.table}"]
    if day.recorded:
        event_win = sum(win_report_lines.event_win(shift) for shift in day.shifts)
        yield BrokenIdentity(
            coded("identity-recorded-win", table=day.table, day=day.gaming_day), income, event_win * MICRO
        )
    if all(win_report_lines.is_counted(day, shift, layout) for shift in day.shifts):
        journal = income - sum(posted[day.table, account.format(table=day.table)] for account in _OF_INVENTORY)
        won = win_report_lines.of_table(day, layout).day.inventory_win_minor or 0
        yield BrokenIdentity(coded("identity-table-win", table=day.table, day=day.gaming_day), journal, won * MICRO)


_OF_INVENTORY = (
    "Liabilities:Winnings:{table}",
    *(f"Expenses:OverShort:{part}" for part in ("Payments", "Drop", "Tables")),
    "Expenses:Promotional",
)


def _meters(accounts: ComparedAccounts, posted: Posted) -> Sides:
    """Compare the liability of each level with its meter, exactly, and that of a reserve with its content."""
    for name, metered in accounts.meters.items():
        account = f"Liabilities:Progressive:{name}"
        for level in metered.fold.state.levels.values():
            yield BrokenIdentity(
                coded("identity-meter", progressive=name, level=level.name),
                -posted[f"{account}:{level.name}"],
                level.meter,
            )
        held = sum(level.reserve for level in metered.fold.state.levels.values())
        yield BrokenIdentity(coded("identity-reserve", progressive=name), -posted[f"{account}:reserve"], held)


def _jackpots(accounts: ComparedAccounts, posted: Posted) -> Sides:
    owed = sum(
        unpaid(metered.fold, level) for metered in accounts.meters.values() for level in metered.fold.state.levels
    )
    yield BrokenIdentity(coded("identity-jackpots"), -posted["Liabilities:Jackpots"], owed)


def _boxes(accounts: ComparedAccounts, posted: Posted) -> Sides:
    """Compare the buy-ins over boxes that are not counted yet."""
    held = sum(table_event_amounts.uncounted(day, accounts.layout) for day in accounts.tables.values())
    yield BrokenIdentity(coded("identity-drop-boxes"), posted["Assets:DropBoxes"], held * MICRO)


def _cage(accounts: ComparedAccounts, posted: Posted) -> Sides:
    """Compare the chips of the cage, once its books are open. All other chips are with the players."""
    if accounts.cage.is_known:
        held = accounts.cage.expected.chips_minor
        yield BrokenIdentity(coded("identity-cage-chips"), posted["Assets:Chips:Cage"], held * MICRO)


def _beyond_places(accounts: ComparedAccounts, posted: Posted) -> Sides:
    """Compare transit and all issued chips. With trays and cage this gives the chips held by players."""
    yield BrokenIdentity(
        coded("identity-chips-in-transit"), posted["Assets:Chips:Transit"], accounts.slips.transit * MICRO
    )
    issued = worth(accounts.house.chips)
    yield BrokenIdentity(coded("identity-chips-issued"), -posted["Liabilities:Chips:Issued"], issued * MICRO)


_ALL: tuple[Callable[[ComparedAccounts, Posted], Sides], ...] = (
    _trays,
    _meters,
    _jackpots,
    _boxes,
    _cage,
    _beyond_places,
)
