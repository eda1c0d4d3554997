"""The layouts of the report. A layout of a closed day never changes: its digest is over its bytes.

Null is a figure that is not known (yet), never 0. Tables are sorted by name, slips by kind and number, discrepancies by
the order of discovery.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from events.accounting import table_days_fold
from events.accounting.cage_inventory import Holding
from events.accounting.daily_meter_movements import LevelDay, MeteredProgressive
from events.accounting.discrepancies_with_explanations import Discrepancy
from events.accounting.fill_and_credit_slip_states import Slip
from events.accounting.journal import balances
from events.accounting.report import chip_value_by_place
from events.accounting.report.canonical_report_bytes import decimal
from events.accounting.report.paid_progressive_slips_fold import PaidSlip
from events.accounting.report.property_ledger_fold import Ledger
from events.accounting.report_rules_version_numbers import CURRENCY_ALWAYS, LAST
from events.rules.chip_sums_by_denomination import worth

Figures = dict[str, Any]


def figures(ledger: Ledger, gaming_day: str, as_of: int, *, restatement: int = 0, layout: int = LAST) -> Figures:
    """Return the canonical report of a gaming day by the present accounts, in a layout.

    From layout 2 on it has the journal: the sum of every account of the day. Later layouts have the same fields, by
    the rules of `report_rules_version_numbers`.
    """
    assert layout in KNOWN
    day, currency = gaming_day, currency_of(ledger, gaming_day, layout)
    return {
        "layout": layout,
        "day": day,
        "currency": currency,
        "as_of": as_of,
        "restatement": restatement,
        "tables": msgspec.to_builtins(table_days_fold.of_gaming_day(ledger.tables, day, layout)),
        "slips": _slips(ledger, day),
        "discrepancies": [
            _discrepancy(discrepancy) for discrepancy in ledger.discrepancies.values() if discrepancy.gaming_day == day
        ],
        "cage": _cage(ledger, day, layout),
        "chips": chip_value_by_place.places(ledger),
        "progressives": [_progressive(progressive, day) for progressive in metered(ledger, day)],
        "journal": None if layout == 1 else _journal(ledger, day, currency),
    }


KNOWN = frozenset(range(1, LAST + 1))


def _journal(ledger: Ledger, day: str, currency: str | None) -> Figures:
    sums = balances.of_day(ledger.journal.sums, day, currency).end
    return {account: decimal(micro, currency or "") for account, micro in sums.items()}


def currency_of(ledger: Ledger, day: str, layout: int = LAST) -> str | None:
    """A report's currency: that of the day's tables, else of the last tables, else of the property.

    The layouts 1 and 2 have no currency before the first table has opened.
    """
    played = sorted((table.gaming_day, table.table, table.currency) for table in ledger.tables.values())
    of_day = [currency for played_on, _, currency in played if played_on == day]
    if played:
        return of_day[0] if of_day else played[-1][2]
    return ledger.currency if layout >= CURRENCY_ALWAYS else None


# --- slips ------------------------------------------------------------------------------------------------------------


def slips_of(ledger: Ledger, day: str) -> list[Slip]:
    """Return the slips issued on the day, and earlier ones that were open when it began."""
    span = ledger.days.get(day)
    began = span.first if span is not None else 0
    return [slip for slip in ledger.slips.slips.values() if slip.gaming_day == day or _was_open(slip, day, began)]


def _was_open(slip: Slip, day: str, began: int) -> bool:
    return slip.gaming_day < day and (slip.settled_at is None or slip.settled_at >= began)


def _slips(ledger: Ledger, day: str) -> list[Figures]:
    issued = [((slip.kind, slip.year, slip.number, ""), _slip(slip)) for slip in slips_of(ledger, day)]
    paid = [paper for paper in ledger.papers.values() if paper.gaming_day == day]
    payments = [((paper.kind, paper.year, paper.number, paper.progressive), _paper(paper)) for paper in paid]
    return [figures for _, figures in sorted((*issued, *payments), key=lambda entry: entry[0])]


def _slip(slip: Slip) -> Figures:
    return {
        "kind": slip.kind,
        "number": slip.number,
        "status": slip.status,
        "table": slip.table,
        "issued_minor": worth(slip.chips),
        "received_minor": worth(slip.received) if slip.received is not None and not slip.void else None,
    }


def _paper(paper: PaidSlip) -> Figures:
    return {
        "kind": paper.kind,
        "number": paper.number,
        "status": "void" if paper.is_void else "received",
        "table": paper.table,
        "issued_minor": paper.amount,
        "received_minor": None if paper.is_void else paper.amount,
    }


def _discrepancy(discrepancy: Discrepancy) -> Figures:
    return {
        "kind": discrepancy.kind,
        "table": discrepancy.table,
        "expected_minor": discrepancy.expected_minor,
        "found_minor": discrepancy.found_minor,
        "band": discrepancy.band,
        "explained": discrepancy.reason is not None,
    }


# --- cage ------------------------------------------------------------------------------------------------------------


def _cage(ledger: Ledger, day: str, layout: int) -> Figures:
    cage = ledger.cages.cage_day(day)
    expected = cage.expected_tenders(layout) if cage is not None else (None, None, None)
    counted = _tenders(cage.counted if cage is not None else None)
    names = ("chips_minor", "cash_minor", "marker_minor")
    amounts = zip(names, expected, counted, strict=True)
    return {name: {"expected_minor": due, "counted_minor": amount} for name, due, amount in amounts}


def _tenders(of: Holding | None) -> Iterable[int | None]:
    return of.tenders if of is not None else (None, None, None)


# --- progressives -----------------------------------------------------------------------------------------------------


def metered(ledger: Ledger, day: str) -> list[MeteredProgressive]:
    """Return the progressives that were open then, by name."""
    return [progressive for _, progressive in sorted(ledger.meters.items()) if progressive.gaming_day <= day]


def _progressive(metered: MeteredProgressive, day: str) -> Figures:
    levels = metered.on(day)
    unpaid = sum(level.until.unpaid for level in levels)
    return {
        "progressive": metered.name,
        "reserve": decimal(sum(level.until.reserve for level in levels), metered.currency),
        "unpaid_jackpots_minor": unpaid // metered.fold.state.opening.scale,
        "levels": [_level(level, metered.currency) for level in levels],
    }


def _level(level: LevelDay, currency: str) -> Figures:
    moved = level.moved
    amounts = {
        "begin": level.begin,
        "fed": moved.fed,
        "seeds": moved.seeds,
        "adjusted": moved.adjusted,
        "locked": moved.locked,
        "meter": level.begin + moved.meter,
    }
    return {"level": level.level, **{name: decimal(amount, currency) for name, amount in amounts.items()}}
