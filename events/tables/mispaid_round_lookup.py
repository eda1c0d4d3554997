"""Wrong payments of an earlier round, to be corrected in a later one."""

from collections.abc import Iterable

from events.envelope import AnyEnvelope
from events.tables.actions.round_action_structs import MakePayment
from events.tables.event_types.rounds import BetSettled
from events.tables.table_session_state_structs import Bet, Session


def mispaid_in(session: Session, data: MakePayment) -> int | None:
    """The earlier round in which too little was paid on the bet, where more is paid now; or too much, where some is
    taken back. The last such round, where none is named and no bet of this round has that name."""
    if data.won_in is None and data.bet in session.used:
        return None
    mispaid = [
        int(round_)
        for (bet, _, round_), difference in (
            (name.rpartition("#"), difference) for name, difference in session.ahead.items()
        )
        if bet == data.bet and difference * data.amount_minor < 0
    ]
    return max(
        (
            round_number
            for round_number in mispaid
            if round_number != session.round and data.won_in in (None, round_number)
        ),
        default=None,
    )


def settled_as(dealt: Iterable[AnyEnvelope], name: str) -> Bet | None:
    """The bet as these events of its round settled it last; None where they did not."""
    settled = [
        settlements.data
        for settlements in dealt
        if isinstance(settlements.data, BetSettled) and settlements.data.bet == name
    ]
    if not settled:
        return None
    last = settled[-1]
    return Bet(last.bet, last.wager, 0, last.player or "", last.seat, last.box)
