"""Mispays: the payment of a bet differs from the amount due, at the end of its round.

All settlements that hold and all payments count, those of a later round too. A correction before the round ends makes
it none. A payment after the table has closed is judged at once, for no round ends any more. A bet is raised once. A
void takes back every settlement of its round: each of its payments was paid with nothing due. A lost stake that its
player took back was paid with nothing due, and is a late change as well.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of, raised
from events.alerts.irregularity_event_alerts import UNPAID, irregularity_alert
from events.envelope import EventData
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from events.tables.event_types.session import IrregularityRecorded, SessionClosed, SessionRolled
from events.tables.moved_amount_declarations import amount, types_with

NAME = "mispay"
PROOFS_MAX = 50  # of one bet


class OwedBet(msgspec.Struct):
    """A bet whose paid and due amounts differ, that was paid in the current round, or whose difference was raised.

    `events` changed either amount since they were last equal. `before` are the events up to then.
    """

    round: int  # 0: of no round
    bet: str
    wager: str
    due: int = 0
    paid: int = 0
    player: str | None = None
    dealer: str | None = None
    box: int | None = None
    seat: int | None = None
    events: list[str] = []
    before: list[str] = []
    is_raised: bool = False


class OwingBets(msgspec.Struct):
    """The bets of a session by ROUND/BET: differing or raised ones, and those of the current round. Tells if the
    session ended.

    `ended` is the last action that ended a round with a difference.
    """

    bets: dict[str, OwedBet] = {}
    is_over: bool = False
    ended: str = ""


class Mispays(Watch):
    """One state a session."""

    name = "mispays"
    state = OwingBets

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {
            **dict.fromkeys(types_with(("due",)), self._due),
            **dict.fromkeys(types_with(("paid",)), self._paid),
            IrregularityRecorded: self._irregular,
            RoundEnded: self._ended,
            RoundVoided: self._round_voided,
            **dict.fromkeys((SessionClosed, SessionRolled), self._closed),
        }

    def _due(self, state: OwingBets, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        return _change(state, event, event.data.round, due=amount(event.data, "due"))

    def _paid(self, state: OwingBets, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert] | None:
        data = event.data
        round_ = data.round if data.won_in is None else data.won_in
        changed = _change(state, event, round_, paid=amount(data, "paid"))
        bet = state.bets.get(_key(round_, data.bet))
        return _judge(event, [bet]) if state.is_over and bet is not None else changed

    def _irregular(self, state: OwingBets, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        """Raise an irregularity. An unpaid amount before the round ends may still be paid."""
        is_early = event.data.kind == UNPAID and state.ended != action_of(event)
        return (irregularity_alert(event, context),) if is_early else None

    def _ended(self, state: OwingBets, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert] | None:
        if not state.bets:
            return None
        if any(_is_mispaid(bet) for bet in state.bets.values()):
            state.ended = action_of(event)
        return _judge_all(state, event)

    def _round_voided(
        self, state: OwingBets, event: WatchedEvent, _context: RuleContext
    ) -> Sequence[RaisedAlert] | None:
        """Take back every settlement of the round: nothing is due, so every payment was wrong.

        Older versions left the settlement of a paid win in force (docs/adr/0123).
        """
        if not state.bets:
            return None
        for bet in state.bets.values():
            if bet.round == event.data.round:
                bet.due, bet.events, bet.before = 0, [*bet.before, *bet.events][-PROOFS_MAX:], []
        return _judge_all(state, event)

    def _closed(self, state: OwingBets, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        state.is_over = True
        return _judge_all(state, event)


def _change(state: OwingBets, event: WatchedEvent, round_: int | None, due: int = 0, paid: int = 0) -> tuple[()] | None:
    if due == paid == 0:
        return None
    data = event.data
    key = _key(round_, data.bet)
    owed_bet = state.bets.get(key) or OwedBet(round=round_ or 0, bet=data.bet, wager=data.wager)
    owed_bet.due += due
    owed_bet.paid += paid
    owed_bet.player, owed_bet.dealer = data.player or owed_bet.player, data.dealer or owed_bet.dealer
    owed_bet.box, owed_bet.seat = data.box, data.seat
    owed_bet.events = [*owed_bet.events, event.id][-PROOFS_MAX:]
    if not _is_mispaid(owed_bet) and not owed_bet.is_raised:
        owed_bet.events, owed_bet.before = [], [*owed_bet.before, *owed_bet.events][-PROOFS_MAX:]
    state.bets[key] = owed_bet
    return ()


def _key(round_: int | None, bet: str) -> str:
    return f"{round_ or 0}/{bet}"


def _judge_all(state: OwingBets, event: WatchedEvent) -> list[RaisedAlert]:
    """Return an alert for each bet that differs; equal ones are not examined again."""
    alerts = _judge(event, state.bets.values())
    state.bets = {key: bet for key, bet in state.bets.items() if bet.is_raised or _is_mispaid(bet)}
    return alerts


def _is_mispaid(bet: OwedBet) -> bool:
    return bet.paid != bet.due


def _judge(event: WatchedEvent, bets: Iterable[OwedBet]) -> list[RaisedAlert]:
    """An alert each, but for those that were raised before."""
    alerts = []
    for owed in bets:
        if not owed.is_raised and _is_mispaid(owed):
            owed.is_raised = True
            alerts.append(_raise(event, owed))
    return alerts


def _raise(event: WatchedEvent, owed_bet: OwedBet) -> RaisedAlert:
    alert = raised(
        NAME,
        event,
        *owed_bet.events,
        once=f"{owed_bet.round}/{owed_bet.bet}",
        sum=owed_bet.paid - owed_bet.due,
        person=owed_bet.player,
        dealer=owed_bet.dealer,
        box=owed_bet.box,
        seat=owed_bet.seat,
        bet=owed_bet.bet,
        wager=owed_bet.wager,
        due=owed_bet.due,
        paid=owed_bet.paid,
    )
    return msgspec.structs.replace(alert, round=owed_bet.round or None)
