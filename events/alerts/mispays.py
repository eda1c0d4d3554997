"""Mispays: what was paid on a bet is not what was due on it, at the end of its round.

All settlements that hold and all payments count, those of a later round for winnings that were left unpaid too. What
is put right before the round ends is none. A bet is judged once.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from events.alerts.watching import Around, Event, Handler, Raised, Watch, raised
from events.envelope import EventData
from events.tables.types.common import SessionClosed, SessionRolled
from events.tables.types.rounds import (
    BetSettled,
    PaymentMade,
    RoundEnded,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)

NAME = "mispay"
PROOFS_MAX = 50  # of one bet


class Owed(msgspec.Struct):
    """A bet on which paid and due differ by now; `events` are what changed either."""

    round: int
    bet: str
    wager: str
    due: int = 0
    paid: int = 0
    player: str | None = None
    dealer: str | None = None
    box: int | None = None
    seat: int | None = None
    events: list[str] = []
    is_raised: bool = False


class Owing(msgspec.Struct):
    """The bets of a session that differ, by ROUND/BET."""

    bets: dict[str, Owed] = {}


class Mispays(Watch):
    """One state a session."""

    name = "mispays"
    state = Owing

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {
            BetSettled: self._settled,
            SettlementVoided: self._voided,
            SettlementCorrected: self._corrected,
            PaymentMade: self._paid,
            RoundEnded: self._ended,
            RoundVoided: self._round_voided,
            **dict.fromkeys((SessionClosed, SessionRolled), self._closed),
        }

    def _settled(self, state: Owing, event: Event, _around: Around) -> tuple[()] | None:
        return _change(state, event, event.data.round, due=max(0, event.data.profit_minor))

    def _voided(self, state: Owing, event: Event, _around: Around) -> tuple[()] | None:
        return _change(state, event, event.data.round, due=-max(0, event.data.profit_minor))

    def _corrected(self, state: Owing, event: Event, _around: Around) -> tuple[()] | None:
        return _change(state, event, event.data.round, due=event.data.due_minor)

    def _paid(self, state: Owing, event: Event, _around: Around) -> tuple[()] | None:
        won_in = event.data.won_in
        return _change(state, event, event.data.round if won_in is None else won_in, paid=event.data.amount_minor)

    def _ended(self, state: Owing, event: Event, _around: Around) -> Sequence[Raised] | None:
        return _judge(event, state.bets.values()) if state.bets else None

    def _round_voided(self, state: Owing, event: Event, _around: Around) -> Sequence[Raised] | None:
        """What was not paid is not due any more; what was paid was due."""
        if not state.bets:
            return None
        kept = event.data.kept_bets
        state.bets = {key: one for key, one in state.bets.items() if one.round != event.data.round or one.bet in kept}
        return _judge(event, state.bets.values())

    def _closed(self, state: Owing, event: Event, _around: Around) -> Sequence[Raised] | None:
        if not state.bets:
            return None
        found = _judge(event, state.bets.values())
        state.bets = {}
        return found


def _change(state: Owing, event: Event, round_: int | None, due: int = 0, paid: int = 0) -> tuple[()] | None:
    if due == paid == 0:
        return None
    said = event.data
    key = f"{round_ or 0}/{said.bet}"
    one = state.bets.get(key) or Owed(round=round_ or 0, bet=said.bet, wager=said.wager)
    one.due += due
    one.paid += paid
    one.player, one.dealer = said.player or one.player, said.dealer or one.dealer
    one.box, one.seat = said.box, said.seat
    one.events = [*one.events, event.id][-PROOFS_MAX:]
    if one.due == one.paid:
        state.bets.pop(key, None)
    else:
        state.bets[key] = one
    return ()


def _judge(event: Event, bets: Iterable[Owed]) -> list[Raised]:
    """An alert each, but for those that were raised before."""
    found = []
    for one in bets:
        if not one.is_raised:
            one.is_raised = True
            found.append(_raise(event, one))
    return found


def _raise(event: Event, one: Owed) -> Raised:
    alert = raised(
        NAME,
        event,
        *one.events,
        once=f"{one.round}/{one.bet}",
        sum=one.paid - one.due,
        person=one.player,
        dealer=one.dealer,
        box=one.box,
        seat=one.seat,
        bet=one.bet,
        wager=one.wager,
        due=one.due,
        paid=one.paid,
    )
    return msgspec.structs.replace(alert, round=one.round)
