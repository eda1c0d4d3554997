"""A bet from the log: on the layout of the running round, or as its round settled and paid it.

It is shown before and after to the person who corrects it, pays it late or voids its round.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from events import catalogue
from events.envelope import AnyEnvelope, EventData
from events.tables.actions.round_action_structs import CorrectBet
from events.tables.event_types.rounds import (
    BetCorrected,
    BetInstructed,
    BetPlaced,
    BetRestaked,
    BetSettled,
    PaymentMade,
    SettlementCorrected,
    SettlementVoided,
)
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound

LAYS: tuple[type[EventData], ...] = (BetPlaced, BetRestaked, BetInstructed, BetCorrected)
SETTLES: tuple[type[EventData], ...] = (BetSettled, SettlementVoided, SettlementCorrected)
CORRECTED_FIELDS = tuple(name for name in CorrectBet.__struct_fields__ if name not in ("bet", "reason", "amount_minor"))


class SettledBet(msgspec.Struct, frozen=True):
    """Settlement of a bet in a round, as corrected since. Amounts in minor units, `profit_minor` is the player's."""

    bet: str
    wager: str
    round: int
    player: str | None
    seat: int | None
    box: int | None
    stake_minor: int
    profit_minor: int
    paid_minor: int

    @property
    def where(self) -> str:
        """Return the bet's place, in words."""
        if self.box is not None:
            return _("round %(round)d, box %(box)d") % {"round": self.round, "box": self.box}
        if self.seat is not None:
            return _("round %(round)d, seat %(seat)d") % {"round": self.round, "seat": self.seat}
        return _("round %d") % self.round


def correctable_fields(stream: str, bet: str) -> dict[str, Any]:
    """Return the recorded fields that `bet.correct` can change of a bet; {} for a bet that was never placed.

    The last bet of that name: the log is read backwards until it was placed.
    """
    changes: list[Any] = []
    for data in _backwards(stream, LAYS):
        if data.bet == bet:
            changes.append(data)
            if isinstance(data, BetPlaced):
                return _as_it_lies(changes[::-1])
    return {}


def _as_it_lies(changes: list[Any]) -> dict[str, Any]:
    now: dict[str, Any] = {}
    for data in changes:
        if isinstance(data, BetInstructed):
            now |= {"on_zero": data.on_zero} if data.on_zero is not None else {}
            continue
        now["amount_minor"] = data.amount_minor if isinstance(data, BetPlaced) else data.stake_minor
        if isinstance(data, BetPlaced | BetCorrected):
            now |= {name: getattr(data, name) for name in CORRECTED_FIELDS}
    return now


def settled_bet(stream: str, number: int, bet: str) -> SettledBet | None:
    """Return the bet as round `number` settled it, with later corrections; None where it did not."""
    events = [event for event in _of_round(stream, number) if event.data.bet == bet]
    settlements: list[AnyEnvelope] = []
    for event in events:
        if isinstance(event.data, BetSettled):
            settlements.append(event)
        elif isinstance(event.data, SettlementVoided) and settlements:
            settlements.pop()
    if not settlements:
        return None
    last, data = settlements[-1].id, settlements[-1].data
    corrections = [
        event.data for event in events if isinstance(event.data, SettlementCorrected) and event.data.corrects == last
    ]
    stake, profit = data.amount_minor, data.profit_minor
    if corrections:
        stake, profit = corrections[-1].stake_minor, corrections[-1].profit_minor
    paid = sum(_payments_for_bet(stream, number, bet))
    return SettledBet(bet, data.wager, number, data.player, data.seat, data.box, stake, profit, paid)


def _of_round(stream: str, number: int) -> Iterator[AnyEnvelope]:
    """Yield the settlements of a round, in the order of the events."""
    types = [shape.TYPE for shape in SETTLES]
    rows = EventLog.objects.filter(stream=stream, round=number, type__in=types).order_by("version")
    return (catalogue.decode(kind, bytes(raw)) for kind, raw in rows.values_list("type", "raw"))


def _payments_for_bet(stream: str, number: int, bet: str) -> Iterator[int]:
    """Yield the payments for a bet, in its round or later."""
    began = PlayedRound.objects.filter(id=f"{stream}#{number}").values_list("position", flat=True).first()
    rows = EventLog.objects.filter(stream=stream, type=PaymentMade.TYPE, position__gt=began or 0)
    for raw in rows.values_list("raw", flat=True):
        data = catalogue.decode(PaymentMade.TYPE, bytes(raw)).data
        won_in = data.round if data.won_in is None else data.won_in
        if (data.bet, won_in) == (bet, number):
            yield data.amount_minor


def _backwards(stream: str, types: tuple[type[EventData], ...]) -> Iterator[Any]:
    rows = EventLog.objects.filter(stream=stream, type__in=[shape.TYPE for shape in types]).order_by("-version")
    for kind, raw in rows.values_list("type", "raw").iterator():
        yield catalogue.decode(kind, bytes(raw)).data


def round_amounts(stream: str, number: int) -> Mapping[str, int]:
    """Return a round's stakes and payments; {} for a round that was not opened."""
    row = PlayedRound.objects.filter(id=f"{stream}#{number}").first()
    if row is None:
        return {}
    return {"bets": row.bets, "stakes_minor": row.stakes_minor, "paid_minor": row.paid_minor}
