"""The named amounts of events at the cage, of slips, and of its payments for progressives.

Each function gets the accounts before the event: the expected content of the cage, and the slips.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from events.accounting import report_rules_version_numbers
from events.accounting.amounts_moved_at_cage import TYPES, CageContext, cage_amounts
from events.accounting.cage_inventory import Cage, holding
from events.accounting.event_types.cage import (
    CageClosed,
    CageCount,
    CageCounted,
    CageOpened,
    CreditReceived,
    SlipVoided,
)
from events.accounting.fill_and_credit_slip_states import Slip, Slips
from events.accounting.journal.ledger_entry import MICRO, NamedAmount, minor
from events.accounting.journal.reason_text_as_account_part import reason_part
from events.controls.slip_issued_event import SlipIssued, name_of
from events.envelope import EventData
from events.progressives.event_types import HousePaid, HouseVoided, VarianceClosed
from events.progressives.level_changes_and_notices import READING_VARIANCE
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.money import CreditReturned
from events.tables.moved_amount_declarations import amount, types_with

Amounts = list[NamedAmount]


class AccountsBefore(NamedTuple):
    """The accounts before an event.

    `voidable_events`: the events that a later one may void, by subject. `unbooked`: movements of chips, cash and
    markers of the cage before its first count, in millionths.
    """

    cage: Cage
    slips: Slips
    voidable_events: dict[str, str]
    unbooked: dict[str, int]
    layout: int = report_rules_version_numbers.LAST

    def slip(self, kind: str, data: Any) -> Slip | None:
        """The slip that an event is about, where the cage has issued it."""
        return self.slips.slips.get(_slip_name(kind, data)) if getattr(data, "year", "") else None

    def note(self, name: str, id_: str) -> None:
        """Remember the last event about it."""
        self.voidable_events[name] = id_

    def forget(self, name: str) -> str:
        """The event that is taken back, or that nothing takes back any more."""
        return self.voidable_events.pop(name, "")


def _nonzero_amounts(*amounts: NamedAmount) -> Amounts:
    return [amount for amount in amounts if amount.micro]


def _slip_name(kind: str, data: Any) -> str:
    """Return the name of an event's slip; of an event without one, a name that no slip has."""
    return name_of(kind, getattr(data, "year", ""), getattr(data, "slip", 0))


def declared_movements(before: AccountsBefore, data: Any, _id: str, takes_back: str = "", reason: str = "") -> Amounts:
    """Return the declared movements of an event."""
    context = CageContext(before.slips, before.cage.paid)
    return [
        NamedAmount(movement.name, movement.minor * MICRO, reason=reason, takes_back=takes_back)
        for movement in cage_amounts(data, context)
    ]


# --- counts -----------------------------------------------------------------------------------------------------------


def counted(before: AccountsBefore, data: CageCount, _id: str) -> Amounts:
    """Return the count less the expected content. The very first count opens the cage's books."""
    content = holding(data)
    pairs = zip(("chips", "cash", "markers"), before.cage.expected.tenders, content.tenders, strict=True)
    if before.cage.is_known:
        return _nonzero_amounts(*(minor(f"cage.short_{name}", expected - content) for name, expected, content in pairs))
    named = ((name, minor("", content).micro - before.unbooked.get(name, 0)) for name, _, content in pairs)
    return _nonzero_amounts(*(NamedAmount(f"books.{name}", micro) for name, micro in named))


# --- slips ------------------------------------------------------------------------------------------------------------


def slip_issued(before: AccountsBefore, data: SlipIssued, id_: str) -> Amounts:
    before.note(_slip_name(data.kind, data), id_)
    return declared_movements(before, data, id_)


def fill_received(before: AccountsBefore, data: EventData, _id: str) -> Amounts:
    """Return the amounts of a received fill. A difference from the slip leaves transit at once."""
    slip, fill = before.slip("fill", data), amount(data, "fills")
    before.forget(_slip_name("fill", data))
    if slip is None and not before.cage.is_known:
        return [minor("fill.issued", fill), minor("fill.received", fill)]
    return _nonzero_amounts(minor("fill.received", fill), minor("slip.short", (slip.transit if slip else 0) - fill))


def credit_sent(before: AccountsBefore, data: EventData, id_: str) -> Amounts:
    """Return the amounts of a sent credit: in transit until the cage has it. A slip unknown to the cage leaves transit
    at once."""
    credit, slip = amount(data, "credits"), before.slip("credit", data)
    sent = minor("credit.sent", credit)
    if slip is not None and slip.status == "open":
        before.note(_slip_name("credit", data), id_)
        return _nonzero_amounts(sent, minor("slip.short", slip.transit))
    if not before.cage.is_known:
        return [sent, minor("credit.received", credit)]
    return _nonzero_amounts(sent, minor("slip.short", credit))


def credit_received(before: AccountsBefore, data: CreditReceived, id_: str) -> Amounts:
    slip, received = before.slip("credit", data), declared_movements(before, data, id_)
    before.forget(_slip_name("credit", data))
    short = (slip.transit if slip else 0) * MICRO - sum(posting.micro for posting in received)
    return _nonzero_amounts(*received, NamedAmount("slip.short", short))


def credit_returned(before: AccountsBefore, data: CreditReturned, _id: str) -> Amounts:
    """Return the amounts of a credit whose slip was voided in transit."""
    return [minor("credit.sent", amount(data, "credits"), before.forget(_slip_name("credit", data)))]


def slip_voided(before: AccountsBefore, data: SlipVoided, id_: str) -> Amounts:
    if data.kind == "credit" and data.was_sent:
        return []  # its table returns it
    return declared_movements(before, data, id_, before.forget(_slip_name(data.kind, data)))


# --- payments ---------------------------------------------------------------------------------------------------------


def house_paid(before: AccountsBefore, data: HousePaid, id_: str) -> Amounts:
    before.note(_of_house(data), id_)
    return declared_movements(before, data, id_)


def house_voided(before: AccountsBefore, data: HouseVoided, id_: str) -> Amounts:
    return declared_movements(before, data, id_, before.forget(_of_house(data)))


def _of_house(data: HousePaid | HouseVoided) -> str:
    return f"{data.progressive}-{data.slip_year}-{data.slip}"


def variance_closed(before: AccountsBefore, data: VarianceClosed, id_: str) -> Amounts:
    """A variance that is added to the meter is posted with the meter's adjustment."""
    by_reason = before.layout >= report_rules_version_numbers.VARIANCE_BY_REASON
    reason = reason_part(data.reason, before.layout) if by_reason else READING_VARIANCE
    return declared_movements(before, data, id_, reason=reason)


Handler = Callable[[AccountsBefore, Any, str], Amounts]
_HANDLERS: Mapping[type[EventData], Handler] = {
    CageOpened: counted,
    CageCounted: counted,
    CageClosed: counted,
    SlipIssued: slip_issued,
    CreditReceived: credit_received,
    CreditReturned: credit_returned,
    SlipVoided: slip_voided,
    HousePaid: house_paid,
    HouseVoided: house_voided,
    VarianceClosed: variance_closed,
}


@cached_until_forgotten
def handlers() -> Mapping[type[EventData], Handler]:
    """Return the handlers, with every other event that moves money at the cage, and every fill and credit."""
    slips = {
        **dict.fromkeys(types_with(("fills",)), fill_received),
        **dict.fromkeys(types_with(("credits",)), credit_sent),
    }
    return {**dict.fromkeys(TYPES, declared_movements), **slips, **_HANDLERS}
