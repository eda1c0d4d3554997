"""The journal and the progressives of a gaming day as its report has them, in millionths of a minor unit."""

import msgspec

from backoffice.days.journal import journal_and_trial_balance_rows
from events.accounting.daily_meter_movements import LevelDay, MeteredProgressive
from events.accounting.journal import balances
from events.accounting.report.day_reports import MadeReport
from events.accounting.report.report_figures_in_layout_version import metered


class Account(msgspec.Struct, frozen=True):
    """Balances of an account at the ends of a day, and its debits and credits between. Debits count up."""

    account: str
    begin: int
    debits: int
    credits: int
    end: int


class LevelMovement(msgspec.Struct, frozen=True):
    """Movements of a meter on the day."""

    level: str
    begin: int
    fed: int
    seeds: int
    adjusted: int
    locked: int
    meter: int


class Pool(msgspec.Struct, frozen=True):
    """A progressive at the end of the day: its meters, its reserve, and the jackpots that are owed and not paid."""

    progressive: str
    currency: str
    reserve: int
    unpaid: int
    levels: tuple[LevelMovement, ...]


def accounts(report: MadeReport) -> tuple[Account, ...]:
    """Return the trial balance."""
    day, _currency = journal_and_trial_balance_rows.day_journal(report)
    debits, credits_ = balances.turnover(day.posted)
    return tuple(
        Account(name, day.begin.get(name, 0), debits.get(name, 0), credits_.get(name, 0), end)
        for name, end in day.end.items()
    )


def pools(report: MadeReport) -> tuple[Pool, ...]:
    """Return the pools opened by the end of the day."""
    day: str = report.figures["day"]
    return tuple(_pool(metered_, metered_.on(day)) for metered_ in metered(report.ledger, day))


def _pool(metered_: MeteredProgressive, levels: list[LevelDay]) -> Pool:
    owed = sum(level.until.unpaid for level in levels)
    reserve = sum(level.until.reserve for level in levels)
    return Pool(metered_.name, metered_.currency, reserve, owed, tuple(map(_level, levels)))


def _level(level: LevelDay) -> LevelMovement:
    moved = level.moved
    meter = level.begin + moved.meter
    return LevelMovement(level.level, level.begin, moved.fed, moved.seeds, moved.adjusted, moved.locked, meter)
