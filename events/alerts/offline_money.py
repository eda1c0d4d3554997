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
from events.tables.moved_amount_declarations import amount

NAME = "without signal"
PROOFS_MAX = 50  # events that are named as proofs; the sums are of all
STAKES = (BetPlaced, BetRestaked)
CORRECTIONS = (BetCorrected, SettlementCorrected)


class OfflineMoney(msgspec.Struct):
    """Sums of a time without signal in minor units, and its first events.

    A correction counts with its change of the stake or of the win, with vouchers, whichever is larger.
    """

    stakes: int = 0
    corrections: int = 0
    payments: int = 0
    events: list[str] = []


class SignalLosses(Watch):
    """One state a device."""

    name = "signal losses"
    state = OfflineMoney

    def handlers(self) -> Mapping[type[EventData], Handler]:
        moved: tuple[type[EventData], ...] = (*STAKES, *CORRECTIONS, PaymentMade)
        return {**dict.fromkeys(moved, self._moved), DeviceReconnected: self._reconnected}

    def key(self, event: WatchedEvent) -> str | None:
        if isinstance(event.data, DeviceReconnected):
            return f"{property_of(event)}/{event.data.device}"
        envelope = event.envelope
        return f"{property_of(event)}/{envelope.actordevice}" if envelope.queued is True else None

    def _moved(self, state: OfflineMoney, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        staked, paid = (abs(amount(event.data, name)) for name in ("staked", "paid"))
        if isinstance(event.data, CORRECTIONS):
            won = abs(amount(event.data, "corrected") + amount(event.data, "promotional_stakes"))
            state.corrections += max(staked, won)
        else:
            state.stakes += staked
            state.payments += paid
        if len(state.events) < PROOFS_MAX:
            state.events.append(event.id)
        return ()

    def _reconnected(
        self, state: OfflineMoney, event: WatchedEvent, _context: RuleContext
    ) -> Sequence[RaisedAlert] | None:
        if not state.events:
            return None
        figures: dict[str, Any] = {"stakes": state.stakes, "corrections": state.corrections, "payments": state.payments}
        proofs, total = tuple(state.events), sum(figures.values())
        state.stakes = state.corrections = state.payments = 0
        state.events = []
        device = event.data.device
        return (raised(NAME, event, *proofs, person=event.envelope.actor, device=device, sum=total, **figures),)
