"""Money moved by each event at the cage, as named amounts, declared once for every sum of it.

The journal posts the amounts. The posting rule of a name also gives the places of the cage that it moves, with their
signs. The cage's inventory follows from it. The cash of players takes the amounts from here, of the types that it lists
(`player_cash_totals.py`). Events of tables have their own table of amounts
(`events/tables/moved_amount_declarations.py`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.accounting.event_types.cage import CashedIn, CashedOut, CreditReceived, MarkerRedeemed, SlipVoided
from events.accounting.fill_and_credit_slip_states import Slips
from events.controls.slip_issued_event import SlipIssued, name_of
from events.house.setting_and_chip_structs import ChipsIssued
from events.money.posting_rules import AMOUNTS, CAGE, CASH, MARKERS
from events.progressives.event_types import EnvyPaid, FundDeposited, HousePaid, HouseVoided, JackpotPaid, VarianceClosed
from events.rules.chip_sums_by_denomination import Pieces, worth

_PLACES = {CAGE: "chips", CASH: "cash", MARKERS: "markers"}
# By the name of an amount: the cage's places that it moves, and which way.
PLACES: Mapping[str, Mapping[str, int]] = {
    name: {_PLACES[account]: sign for account, sign in ((rule.debit, 1), (rule.credit, -1)) if account in _PLACES}
    for name, rule in AMOUNTS.items()
}


class CageAmount(msgspec.Struct, frozen=True, gc=False):
    """An amount by its name in the journal, in minor units.

    `chips` are the moved chips by denomination; None where it is unknown, or no chips move. `is_by_bank`: a transfer.
    """

    name: str
    minor: int
    chips: Pieces | None = None
    is_by_bank: bool = False

    def moved(self, place: str) -> int:
        """Return the part that comes into a place of the cage; negative for an outgoing amount."""
        return 0 if self.is_by_bank else PLACES[self.name].get(place, 0) * self.minor


class CageContext(msgspec.Struct, frozen=True, gc=False):
    """The accounts before an event: all slips, and the tenders of the house's payments by slip."""

    slips: Slips = Slips()
    paid: Mapping[str, str] = {}


CageAmounts = tuple[CageAmount, ...]


def cage_amounts(data: Any, before: CageContext) -> CageAmounts:
    """Return the money that an event moves at the cage; the context is that before it."""
    read = _MOVES.get(type(data))
    return () if read is None else read(data, before)


def _issued(data: ChipsIssued, _before: CageContext) -> CageAmounts:
    sign = 1 if data.way == "brought in" else -1
    return (CageAmount("chips.issued", sign * data.amount_minor, data.chips),)


def _redeemed(data: MarkerRedeemed, _before: CageContext) -> CageAmounts:
    tender = "cash" if data.chips is None else "chips"
    return (CageAmount(f"marker.redeemed_{tender}", data.amount_minor, data.chips),)


def _slip_issued(data: SlipIssued, _before: CageContext) -> CageAmounts:
    """Move the chips of a fill; those of a credit are still at the table."""
    return (CageAmount("fill.issued", worth(data.chips), data.chips),) if data.kind == "fill" else ()


def _slip_voided(data: SlipVoided, before: CageContext) -> CageAmounts:
    """Move a fill's chips back; the table's own event does it for a credit in transit."""
    slip = before.slips.slips.get(name_of(data.kind, data.year, data.slip))
    if slip is None or slip.kind != "fill":
        return ()
    return (CageAmount("fill.issued", -worth(slip.chips), slip.chips),)


def _paid_of_hit(payment: str) -> "_Reader":
    """Return the movements of a share or a bonus: the net payment, and the withheld tax, which the cage keeps."""
    return lambda data, _before: (
        _payment_amount(payment, data.tender, data.net_minor),
        CageAmount(f"{payment}.withheld", data.withheld_minor),
    )


def _payment_amount(payment: str, tender: str, minor: int) -> CageAmount:
    """Return a payment by its tender. A transfer is posted as cash."""
    name = "chips" if tender == "chips" else "cash"
    return CageAmount(f"{payment}.{name}", minor, is_by_bank=tender == "transfer")


def _house_voided(data: HouseVoided, before: CageContext) -> CageAmounts:
    """Move the payment back, in the tender in which it was paid.

    Earlier versions of the event do not name it. They mean the last slip of this number, of any progressive: closed
    days were reported so, and their reports must not change.
    """
    tender = data.tender or before.paid.get(f"{data.slip_year}-{data.slip}", "cash")
    return (_payment_amount("house", tender, -data.amount_minor),)


_Reader = Callable[[Any, CageContext], CageAmounts]
_MOVES: Mapping[type[Any], _Reader] = {
    ChipsIssued: _issued,
    CashedOut: lambda data, _before: (CageAmount("cage.cashed_out", data.amount_minor, data.chips),),
    CashedIn: lambda data, _before: (CageAmount("cage.cashed_in", data.amount_minor, data.chips),),
    MarkerRedeemed: _redeemed,
    SlipIssued: _slip_issued,
    SlipVoided: _slip_voided,
    CreditReceived: lambda data, _before: (CageAmount("credit.received", data.amount_minor, data.chips),),
    JackpotPaid: _paid_of_hit("jackpot"),
    EnvyPaid: _paid_of_hit("envy"),
    HousePaid: lambda data, _before: (_payment_amount("house", data.tender, data.amount_minor),),
    HouseVoided: _house_voided,
    VarianceClosed: lambda data, _before: (
        (CageAmount("variance.paid", data.amount_minor),) if data.way == "paid" else ()
    ),
    FundDeposited: lambda data, _before: (CageAmount("fund.deposited", data.amount_minor),),
}
TYPES: tuple[type[Any], ...] = tuple(_MOVES)
