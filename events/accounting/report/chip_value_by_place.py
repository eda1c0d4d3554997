"""Places of the issued chips. Chips that are in no other place are with the players.

An amount below zero with the players raises an alarm: more chips are in the house than it issued, or its books are
wrong. A table that is counted only raises none, since its players' chips are not recorded.
"""

from collections.abc import Iterable
from typing import Any

from events.accounting.report import tray_contents
from events.accounting.report.property_ledger_fold import Ledger
from events.rules.chip_sums_by_denomination import worth

Places = dict[str, int | None]


def places(ledger: Ledger) -> Places:
    """Return the amounts by place, in minor units; None for an unknown place."""
    amounts: Places = {
        "tables_minor": tray_contents.total_minor(ledger.beyond, ledger.tables),
        "cage_minor": ledger.cage.expected.chips_minor if ledger.cage.is_known else None,
        "transit_minor": ledger.slips.transit,
    }
    issued = worth(ledger.house.chips) if ledger.house.chips else None
    return {"issued_minor": issued, **amounts, "players_minor": _remainder(issued, amounts.values())}


def _remainder(whole: int | None, parts: Iterable[int | None]) -> int | None:
    listed = [*parts]
    recorded_parts = [part for part in listed if part is not None]
    return None if whole is None or len(recorded_parts) < len(listed) else whole - sum(recorded_parts)


def too_many(ledger: Ledger, by_place: dict[str, Any]) -> int:
    """Return the surplus of chips over the issued ones, by these places; 0: no surplus, or not known exactly."""
    players = by_place["players_minor"]
    return -players if players is not None and players < 0 and is_exact(ledger) else 0


def is_exact(ledger: Ledger) -> bool:
    """Return whether every table in play records its bets."""
    return all(day.recorded for day in ledger.tables.values())
