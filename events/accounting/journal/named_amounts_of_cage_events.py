"""The named amounts of events at the cage, of slips, and of its payments for progressives.

Each function gets the accounts before the event: the expected content of the cage, and the slips.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from events.accounting import report_layout_number_constants
from events.accounting.cage_inventory import Cage, back_in, holding
from events.accounting.event_types.cage import (
    CageClosed,
    CageCount,
    CageCounted,
    CageOpened,
    CashedIn,
    CashedOut,
    CreditReceived,
    MarkerRedeemed,
    SlipVoided,
)
from events.accounting.fill_and_credit_slip_states import Slip, Slips
from events.accounting.journal.ledger_entry import NamedAmount, minor
from events.accounting.journal.reason_text_as_account_part import reason_part
from events.controls.slip_issued_event import SlipIssued, name_of
from events.envelope import EventData
from events.house.setting_and_chip_event_types import ChipsIssued
from events.progressives.event_types import EnvyPaid, FundDeposited, HousePaid, HouseVoided, JackpotPaid, VarianceClosed
from events.progressives.level_facts_in_fold import READING_VARIANCE
from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.money import CreditReturned, CreditSent, FillReceived

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
    layout: int = report_layout_number_constants.LAST

    def slip(self, kind: str, data: Any) -> Slip | None:
        """The slip that an event is about, where the cage has issued it."""
        return self.slips.slips.get(name_of(kind, data.year, data.slip)) if data.year else None

    def note(self, name: str, id_: str) -> None:
        """Remember which event said this of it last."""
        self.voidable_events[name] = id_

    def forget(self, name: str) -> str:
        """The event that is taken back, or that nothing takes back any more."""
        return self.voidable_events.pop(name, "")


def _some(*amounts: NamedAmount) -> Amounts:
    return [amount for amount in amounts if amount.micro]


# --- counts -----------------------------------------------------------------------------------------------------------


def counted(before: AccountsBefore, data: CageCount, _id: str) -> Amounts:
    """Return the count less the expected content. The very first count opens the cage's books."""
    content = holding(data)
    pairs = zip(("chips", "cash", "markers"), before.cage.expected.tenders, content.tenders, strict=True)
    if before.cage.is_known:
        return _some(*(minor(f"cage.short_{name}", expected - content) for name, expected, content in pairs))
    named = ((name, minor("", content).micro - before.unbooked.get(name, 0)) for name, _, content in pairs)
    return _some(*(NamedAmount(f"books.{name}", micro) for name, micro in named))


# --- chips and cash over the counter ----------------------------------------------------------------------------------


def issued(_before: AccountsBefore, data: ChipsIssued, _id: str) -> Amounts:
    return [minor("chips.issued", data.amount_minor if data.way == "brought in" else -data.amount_minor)]


def redeemed(_before: AccountsBefore, data: MarkerRedeemed, _id: str) -> Amounts:
    return [minor(f"marker.redeemed_{'cash' if data.chips is None else 'chips'}", data.amount_minor)]


# --- slips ------------------------------------------------------------------------------------------------------------


def slip_issued(before: AccountsBefore, data: SlipIssued, id_: str) -> Amounts:
    """The chips of a fill leave the cage with it; those of a credit are still at the table."""
    before.note(name_of(data.kind, data.year, data.slip), id_)
    return [minor("fill.issued", worth(data.chips))] if data.kind == "fill" else []


def fill_received(before: AccountsBefore, data: FillReceived, _id: str) -> Amounts:
    """Return the amounts of a received fill. A difference from the slip leaves transit at once."""
    slip, received = before.slip("fill", data), minor("fill.received", data.amount_minor)
    before.forget(name_of("fill", data.year, data.slip))
    if slip is None and not before.cage.is_known:
        return [minor("fill.issued", data.amount_minor), received]
    return _some(received, minor("slip.short", (slip.transit if slip else 0) - data.amount_minor))


def credit_sent(before: AccountsBefore, data: CreditSent, id_: str) -> Amounts:
    """Return the amounts of a sent credit: in transit until the cage has it. A slip unknown to the cage leaves transit
    at once."""
    sent, slip = minor("credit.sent", data.amount_minor), before.slip("credit", data)
    if slip is not None and slip.status == "open":
        before.note(name_of("credit", data.year, data.slip), id_)
        return _some(sent, minor("slip.short", slip.transit))
    if not before.cage.is_known:
        return [sent, minor("credit.received", data.amount_minor)]
    return _some(sent, minor("slip.short", data.amount_minor))


def credit_received(before: AccountsBefore, data: CreditReceived, _id: str) -> Amounts:
    slip = before.slip("credit", data)
    before.forget(name_of("credit", data.year, data.slip))
    short = (slip.transit if slip else 0) - data.amount_minor
    return _some(minor("credit.received", data.amount_minor), minor("slip.short", short))


def credit_returned(before: AccountsBefore, data: CreditReturned, _id: str) -> Amounts:
    """Return the amounts of a credit whose slip was voided in transit."""
    return [minor("credit.sent", -data.amount_minor, before.forget(name_of("credit", data.year, data.slip)))]


def slip_voided(before: AccountsBefore, data: SlipVoided, _id: str) -> Amounts:
    """A fill's chips are back in the cage; of a credit that was sent, the table says so itself."""
    slip, name = before.slip(data.kind, data), name_of(data.kind, data.year, data.slip)
    if data.kind == "credit":
        if not data.was_sent:
            before.forget(name)
        return []
    return [minor("fill.issued", -worth(slip.chips), before.forget(name))] if slip is not None else []


# --- payments ---------------------------------------------------------------------------------------------------------


def jackpot_paid(_before: AccountsBefore, data: JackpotPaid, _id: str) -> Amounts:
    return _gross("jackpot", data)


def _gross(payment: str, data: JackpotPaid | EnvyPaid) -> Amounts:
    """Return the net payment and the withheld tax."""
    net = minor(f"{payment}.{_way(data)}", data.net_minor)
    return _some(net, minor(f"{payment}.withheld", data.withheld_minor))


def _way(data: Any) -> str:
    """A transfer goes from the bank: it is cash."""
    return "chips" if data.tender == "chips" else "cash"


def house_paid(before: AccountsBefore, data: HousePaid, id_: str) -> Amounts:
    before.note(_of_house(data), id_)
    return [minor(f"house.{_way(data)}", data.amount_minor)]


def house_voided(before: AccountsBefore, data: HouseVoided, _id: str) -> Amounts:
    """The money is back, in the tender in which it was paid."""
    way = "chips" if back_in(before.cage, data) == "chips" else "cash"
    return [minor(f"house.{way}", -data.amount_minor, before.forget(_of_house(data)))]


def _of_house(data: HousePaid | HouseVoided) -> str:
    return f"{data.progressive}-{data.slip_year}-{data.slip}"


def variance_closed(before: AccountsBefore, data: VarianceClosed, _id: str) -> Amounts:
    """A variance that is added to the meter is posted with the meter's adjustment."""
    if data.way != "paid":
        return []
    by_reason = before.layout >= report_layout_number_constants.VARIANCE_BY_REASON
    reason = reason_part(data.reason, before.layout) if by_reason else READING_VARIANCE
    return [NamedAmount("variance.paid", minor("", data.amount_minor).micro, reason=reason)]


HANDLERS: Mapping[type[EventData], Callable[[AccountsBefore, Any, str], Amounts]] = {
    CageOpened: counted,
    CageCounted: counted,
    CageClosed: counted,
    ChipsIssued: issued,
    CashedOut: lambda _before, data, _id: [minor("cage.cashed_out", data.amount_minor)],
    CashedIn: lambda _before, data, _id: [minor("cage.cashed_in", data.amount_minor)],
    MarkerRedeemed: redeemed,
    SlipIssued: slip_issued,
    FillReceived: fill_received,
    CreditSent: credit_sent,
    CreditReceived: credit_received,
    CreditReturned: credit_returned,
    SlipVoided: slip_voided,
    JackpotPaid: jackpot_paid,
    EnvyPaid: lambda _before, data, _id: _gross("envy", data),
    HousePaid: house_paid,
    HouseVoided: house_voided,
    VarianceClosed: variance_closed,
    FundDeposited: lambda _before, data, _id: [minor("fund.deposited", data.amount_minor)],
}
