"""Money recorded without signal: stakes, corrections and payments that a device sent after a time without the house.

No one could check them while they were recorded. The alert comes when the device reports that it is back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.roles_and_settings_in_force import property_of
from events.envelope import EventData
from events.floor.device_and_entry_decider import DeviceReconnected
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetRestaked, PaymentMade, SettlementCorrected
from events.tables.moved_amount_declarations import amount, readers, stake_types, types_with

NAME = "without signal"
PROOFS_MAX = 50  # events that are named as proofs; the sums are of all
# The id of an alert is made of these events, so that alerts of earlier versions keep theirs. The others are its facts.
IDENTIFYING = (BetPlaced, BetRestaked, BetCorrected, SettlementCorrected, PaymentMade)


class OfflineMoney(msgspec.Struct):
    """Sums of a time without signal in minor units, and its first events.

    A correction counts with its change of the stake or of the win, with vouchers, whichever is larger. A bet that is
    taken back counts with its stake: it could be a bet that had lost.
    """

    stakes: int = 0
    corrections: int = 0
    payments: int = 0
    events: list[str] = []
    facts: list[str] = []


class SignalLosses(Watch):
    """One state a device."""

    name = "signal losses"
    state = OfflineMoney

    def handlers(self) -> Mapping[type[EventData], Handler]:
        moving = (*stake_types(), *types_with(("paid", "corrected")))
        return {**dict.fromkeys(moving, self._moved), DeviceReconnected: self._reconnected}

    def key(self, event: WatchedEvent) -> str | None:
        if isinstance(event.data, DeviceReconnected):
            return f"{property_of(event)}/{event.data.device}"
        envelope = event.envelope
        return f"{property_of(event)}/{envelope.actordevice}" if envelope.queued is True else None

    def _moved(self, state: OfflineMoney, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        staked, paid = (abs(amount(event.data, name)) for name in ("staked", "paid"))
        if "corrected" in readers(type(event.data)):
            won = abs(amount(event.data, "corrected") + amount(event.data, "promotional_stakes"))
            state.corrections += max(staked, won)
        else:
            state.stakes += staked
        state.payments += paid
        proofs = state.events if isinstance(event.data, IDENTIFYING) else state.facts
        if len(proofs) < PROOFS_MAX:
            proofs.append(event.id)
        return ()

    def _reconnected(
        self, state: OfflineMoney, event: WatchedEvent, _context: RuleContext
    ) -> Sequence[RaisedAlert] | None:
        if not state.events and not state.facts:
            return None
        figures: dict[str, Any] = {"stakes": state.stakes, "corrections": state.corrections, "payments": state.payments}
        device, total = event.data.device, sum(figures.values())
        alert = raised(NAME, event, *state.events, person=event.envelope.actor, device=device, sum=total, **figures)
        alert = msgspec.structs.replace(alert, facts=tuple(state.facts))
        state.stakes = state.corrections = state.payments = 0
        state.events, state.facts = [], []
        return (alert,)
