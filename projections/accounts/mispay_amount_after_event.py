"""The mispay of a table by time: a round's at its end, later changes at once.

Winnings that are due and not paid yet are no mispay while their round runs. The journal posts by the same rule
(`events/accounting/journal/table_event_amounts.py`).
"""

import msgspec

from events.accounting.table_shifts_fold import TableShift
from events.envelope import EventData
from events.tables.event_types.rounds import PaymentMade, RoundEnded, RoundOpened, RoundVoided, SettlementCorrected

_ENDS_OF_ROUNDS = (RoundEnded, RoundVoided)


class PaymentDue(msgspec.Struct, frozen=True, gc=False):
    """Due and unpaid winnings of the running round, in minor units; below zero: paid beyond the due amount."""

    is_running: bool = False
    minor: int = 0


def after(payment_due: PaymentDue, data: EventData, before: TableShift, now: TableShift) -> tuple[PaymentDue, int]:
    """Return the amount owed after an event of a table, and the mispay that it makes, due less paid. `before` and `now`
    are the shift around the event."""
    if isinstance(data, RoundOpened):
        return PaymentDue(is_running=True, minor=payment_due.minor), 0
    if isinstance(data, _ENDS_OF_ROUNDS):
        return PaymentDue(), payment_due.minor
    moved = (now.due - now.paid) - (before.due - before.paid) if now.name == before.name else 0
    is_late = isinstance(data, SettlementCorrected) or (isinstance(data, PaymentMade) and data.won_in is not None)
    if payment_due.is_running and not is_late:
        return PaymentDue(is_running=True, minor=payment_due.minor + moved) if moved else payment_due, 0
    return payment_due, moved
