"""Cash by player and gaming day, in and out apart, pit and cage together (31 CFR 1021), for warnings and reports.

Pure: a fold over buy-ins, redemptions and payouts in cash. Vouchers, signed markers and handed-over chips are no cash.
Amounts without a named player belong to no one.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from events.accounting.amounts_moved_at_cage import CageContext, cage_amounts
from events.accounting.event_types.cage import CashedIn, CashedOut, MarkerRedeemed
from events.accounting.event_with_position import AccountingEvent
from events.house.settings import HouseSettings
from events.progressives.event_types import EnvyPaid, HousePaid, HouseVoided, JackpotPaid
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.moved_amount_declarations import amount, types_with

OF_HITS = (JackpotPaid, EnvyPaid, HousePaid, HouseVoided)  # of the cage's day, which may be another than the table's
Level = Literal["", "warning", "report"]
Voided = tuple[str, str, int]  # a house payment, by progressive, year and slip


class CashTotals(msgspec.Struct, frozen=True):
    """Cash that one player paid in and received on a gaming day, in minor units."""

    given: int = 0
    got: int = 0


class CashLine(msgspec.Struct, frozen=True, kw_only=True):
    """A player's line of the compliance officer's list; `level` is the higher of both ways."""

    player: str
    in_minor: int
    out_minor: int
    level: Level


@cached_until_forgotten
def types() -> tuple[type[Any], ...]:
    """Return the event types that may move a player's cash."""
    return (*types_with(("buyins_cash",)), CashedIn, CashedOut, MarkerRedeemed, *OF_HITS)


def fold(facts: Iterable[AccountingEvent], gaming_day: str) -> dict[str, CashTotals]:
    """Return the cash of every player of that day, after these events of the property."""
    by_player: dict[str, CashTotals] = {}
    paid: dict[Voided, tuple[str, int]] = {}
    for fact in facts:
        data: Any = fact.data
        if day_of(data) != gaming_day and not isinstance(data, HouseVoided):
            continue
        player, paid_in, paid_out = _taken_back(data, paid) if isinstance(data, HouseVoided) else player_and_cash(data)
        if isinstance(data, HousePaid) and paid_out:
            paid[_slip(data)] = (data.player, paid_out)
        if player and (paid_in or paid_out):
            before = by_player.get(player, CashTotals())
            by_player[player] = CashTotals(before.given + paid_in, before.got + paid_out)
    return by_player


def cash_lines(by_player: Mapping[str, CashTotals], settings: HouseSettings) -> list[CashLine]:
    """Return a line for each player by name, with the reporting level by the settings in force."""
    return [
        CashLine(
            player=player, in_minor=cash.given, out_minor=cash.got, level=level(max(cash.given, cash.got), settings)
        )
        for player, cash in sorted(by_player.items())
    ]


def level(amount: int, settings: HouseSettings) -> Level:
    """Warned of from the one bound on, reported over the other."""
    if amount > settings.cash_report_minor:
        return "report"
    return "warning" if amount >= settings.cash_warning_minor else ""


def day_of(data: Any) -> str:
    """Return the gaming day of an event: for the cage's payments the cage's day, else the stream's."""
    return str(getattr(data, "paid_gaming_day", "") or data.gaming_day)


def player_and_cash(data: Any) -> tuple[str, int, int]:
    """Return the player whose cash an event moves, the amount paid in, and the amount received."""
    at_cage = sum(movement.moved("cash") for movement in cage_amounts(data, CageContext()))
    return data.player or "", amount(data, "buyins_cash") + max(0, at_cage), max(0, -at_cage)


def _taken_back(data: HouseVoided, paid: dict[Voided, tuple[str, int]]) -> tuple[str, int, int]:
    """A payment of the house that was none: only of the day on which it was paid, for that is known here."""
    player, got = paid.pop(_slip(data), ("", 0))
    return player, 0, -got


def _slip(data: HousePaid | HouseVoided) -> Voided:
    return data.progressive, data.slip_year, data.slip
