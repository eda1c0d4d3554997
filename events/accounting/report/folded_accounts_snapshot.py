"""The accounts as a snapshot: a process that closes days begins at the last one, not at the store's first event."""

from typing import Any

import msgspec

from events.accounting.cage_inventory import Cage
from events.accounting.daily_meter_movements import LevelMove, MeteredProgressive
from events.accounting.discrepancies_with_explanations import Discrepancies
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.journal.journal import Journal
from events.accounting.journal.ledger_entry import JournalLine
from events.accounting.journal.table_event_amounts import Till
from events.accounting.report.cage_days_fold import Cages
from events.accounting.report.closed_days_fold import Closings
from events.accounting.report.paid_progressive_slips_fold import PaidSlip
from events.accounting.report.property_ledger_fold import VERSION, Ledger, Span
from events.accounting.table_shifts_fold import TableShifts
from events.house.setting_and_chip_issue_decider import House
from events.money import posting_rules
from events.people.approval_request_lifecycle import Requests
from events.progressives.fold import VERSION as OF_METERS
from events.progressives.fold import Fold

EVOLVE = f"accounts-{VERSION}-{OF_METERS}"
_ALIKE = ("house", "slips", "cage", "cages", "tables", "beyond", "discrepancies", "days", "current", "closings",
          "requests", "installed_in")  # fmt: skip


class _Meter(msgspec.Struct, frozen=True):
    name: str
    currency: str
    gaming_day: str
    fold: bytes
    moved: dict[str, dict[str, LevelMove]]
    sums: dict[str, LevelMove]


class _Journal(msgspec.Struct, frozen=True):
    posted: list[tuple[str, JournalLine, int]]
    tills: dict[str, Till]
    latest: dict[str, str]
    voidable_events: dict[str, str] = msgspec.field(name="said")
    unbooked: dict[str, int]
    bases: dict[str, int]


class _SavedAccounts(msgspec.Struct, frozen=True):
    house: House
    slips: Slips
    cage: Cage
    cages: Cages
    tables: dict[str, TableShifts]
    beyond: dict[str, int]
    discrepancies: Discrepancies = msgspec.field(name="found")
    days: dict[str, Span]
    current: str
    closings: Closings
    requests: dict[str, Requests]
    papers: list[PaidSlip]
    meters: list[_Meter]
    journal: _Journal
    installed_in: str = ""


def dump(ledger: Ledger) -> bytes:
    """A snapshot's content."""
    copied: dict[str, Any] = {name: getattr(ledger, name) for name in _ALIKE}
    own: dict[str, Any] = {
        "papers": [*ledger.papers.values()],
        "meters": [_meter(progressive) for progressive in ledger.meters.values()],
        "journal": _journal(ledger.journal),
    }
    return msgspec.msgpack.encode(_SavedAccounts(**copied, **own))


def load(raw: bytes) -> Ledger:
    """The accounts of a snapshot that this version has made."""
    saved, ledger = msgspec.msgpack.decode(raw, type=_SavedAccounts), Ledger()
    for name in _ALIKE:
        setattr(ledger, name, getattr(saved, name))
    ledger.rules = posting_rules.rules_from_setting(ledger.house.settings.journal_rules)
    ledger.papers = {(paper.progressive, paper.year, paper.number): paper for paper in saved.papers}
    ledger.meters = {meter.name: _metered(meter) for meter in saved.meters}
    ledger.journal = _journal_from_snapshot(saved.journal)
    return ledger


def _meter(metered: MeteredProgressive) -> _Meter:
    return _Meter(metered.name, metered.currency, metered.gaming_day, metered.fold.dump(), metered.moved, metered.sums)


def _metered(saved: _Meter) -> MeteredProgressive:
    fold = Fold.load(saved.fold)
    assert fold is not None, "the version of the fold is in the snapshot's name"
    return MeteredProgressive(saved.name, saved.currency, saved.gaming_day, fold, saved.moved, saved.sums)


def _journal(journal: Journal) -> _Journal:
    posted = [(day, line, micro) for day, sums in journal.sums.items() for line, micro in sums.items()]
    return _Journal(posted, **{name: getattr(journal, name) for name in _OF_JOURNAL})


_OF_JOURNAL = ("tills", "latest", "voidable_events", "unbooked", "bases")


def _journal_from_snapshot(saved: _Journal) -> Journal:
    journal = Journal()
    for name in _OF_JOURNAL:
        setattr(journal, name, getattr(saved, name))
    for day, line, micro in saved.posted:
        journal.sums.setdefault(day, {})[line] = micro
        held = (line.rule, line.table, line.place)
        journal.held[held] = journal.held.get(held, 0) + micro
    return journal
