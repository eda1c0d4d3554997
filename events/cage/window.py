"""Players change chips and money at the cage's window, and take their markers back.

Nothing is compared with the cage's expected content: its counter would learn it from a refusal (docs/adr/0094).
"""

from events.accounting.actions.cage import CarryMarker, CashIn, CashOut, RedeemMarker
from events.accounting.event_types.cage import CashedIn, CashedOut, MarkerCarried, MarkerRedeemed
from events.cage.case import CageCase, Events
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.rules.chips import Pieces, chips_minor

MARKER = "house marker"


def cash_out(case: CageCase, data: CashOut) -> Events:
    """Chips in, cash of the same value out."""
    amount = _some(data.chips)
    return [CashedOut(gaming_day=case.gaming_day, chips=data.chips, amount_minor=amount, player=data.player)]


def cash_in(case: CageCase, data: CashIn) -> Events:
    """Cash in, chips of the same value out."""
    amount = _some(data.chips)
    return [CashedIn(gaming_day=case.gaming_day, chips=data.chips, amount_minor=amount, player=data.player)]


def redeem(case: CageCase, data: RedeemMarker) -> Events:
    """A marker goes back for cash, or for chips of the same value."""
    if data.chips is not None and _some(data.chips) != data.amount_minor:
        raise Invalid("data.chips", coded("chips-differ-from-marker"))
    if case.books.is_redeemed(data.marker):
        refused = Refused(MARKER, coded("marker-redeemed-already", marker=data.marker), field="data.marker")
        case.forbid("marker twice", refused, player=data.player, amount_minor=data.amount_minor)
    carried = case.books.markers.get(data.marker)
    if carried is not None and (carried.player, carried.amount_minor) != (data.player, data.amount_minor):
        message = coded("marker-differs", marker=data.marker)
        refused = Refused(MARKER, message, field="data.marker")
        case.forbid("marker differs", refused, player=data.player, amount_minor=data.amount_minor)
    return [
        MarkerRedeemed(
            gaming_day=case.gaming_day,
            marker=data.marker,
            player=data.player,
            amount_minor=data.amount_minor,
            chips=data.chips,
        )
    ]


def carry(case: CageCase, data: CarryMarker) -> Events:
    """A marker of before the books becomes known, once: it moves no money, the cage's first count has it."""
    if data.marker in case.books.markers or case.books.is_redeemed(data.marker):
        raise Refused(MARKER, coded("marker-known", marker=data.marker), field="data.marker")
    return [
        MarkerCarried(
            gaming_day=case.gaming_day,
            marker=data.marker,
            player=data.player,
            amount_minor=data.amount_minor,
            issued=data.issued,
        )
    ]


def _some(chips: Pieces) -> int:
    if not (amount := chips_minor(chips, "data.chips")):
        raise Invalid("data.chips", coded("chips-none"))
    return amount
