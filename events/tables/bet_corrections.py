"""Corrections of a recorded bet on the layout: a further event, which names the corrected one.

The bet is judged like a new bet in its place. A settled bet is corrected when its round is over
(`events/tables/settlement_corrections.py`).
"""

from typing import Any, TypeVar

from msgspec.structs import replace

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.tables import late_bet_change_decider
from events.tables.actions.round_action_structs import CorrectBet, PlaceBet
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetSettled
from events.tables.round_and_bet_decider import find_bet
from events.tables.table_session_state_structs import Bet, Events, Evolver, Handler, Session, TableCase, without

T = TypeVar("T")


def correcting(place: Handler) -> Handler:
    """Return the handler of `bet.correct` for a game that takes bets by `place`."""

    def correct(case: TableCase, data: CorrectBet) -> Events:
        session, correction = case.session, late_bet_change_decider.corrected(case, data)
        if correction is None:
            case.phase("open", "spinning", "no_more_bets", "dice_offered")
            find_bet(session, data.bet)
        corrects = case.action.corrects or ""
        if not corrects.startswith(f"{session.stream}@"):
            raise Invalid("corrects", coded("corrects-foreign-event", stream=session.stream))
        if correction is not None:
            return correction
        bet = find_bet(session, data.bet)
        if late_bet_change_decider.in_play(session, bet):
            raise Refused("house correction", coded("bet-in-play", wager=bet.wager, bet=bet.id), field="data.bet")
        put = _as_laid(bet, data)
        as_if = replace(
            session, bets=without(session.bets, bet.id), used=session.used - {bet.id}, phase=_open_phase(session)
        )
        try:
            events = place(TableCase(as_if, case.action, case.who, case.irregularities, context=case.context), put)
        except (
            Refused
        ) as refused:  # the rules forbid the corrected bet: a fact is recorded, and the bet stays unchanged
            case.forbid("bet changed", refused, bet=bet.id, player=bet.player, amount_minor=put.amount_minor)
            return []
        if any(
            isinstance(event, BetSettled) for event in events
        ):  # the corrected bet would be returned, so the bet stays unchanged
            return []
        laid = next(event for event in events if isinstance(event, BetPlaced))
        return [_corrected(session, bet, laid, corrects, data.reason)]

    return correct


def _open_phase(session: Session) -> str:
    """Return the phase in which the bet was laid, before "no more bets"."""
    return "open" if session.phase in ("no_more_bets", "dice_offered") else session.phase


def _new_or_old(new: T | None, old: T) -> T:
    return old if new is None else new


def _as_laid(bet: Bet, data: CorrectBet) -> PlaceBet:
    return PlaceBet(
        bet=bet.id,
        wager=_new_or_old(data.wager, bet.wager),
        amount_minor=_new_or_old(data.amount_minor, bet.stake),
        player=_new_or_old(data.player, bet.player),
        seat=_new_or_old(data.seat, bet.seat),
        box=_new_or_old(data.box, bet.box),
        numbers=_new_or_old(data.numbers, bet.numbers),
        which=_new_or_old(data.which, bet.which),
        number=_new_or_old(data.number, bet.number),
        on_zero=_new_or_old(data.on_zero, bet.on_zero),
        base=bet.base,
        after_win=bet.after_win,
        working=bet.working,
    )


def _corrected(session: Session, bet: Bet, placed: BetPlaced, corrects: str, reason: str) -> BetCorrected:
    fields: dict[str, Any] = {
        name: getattr(placed, name)
        for name in (
            *("bet", "wager", "player", "seat", "box", "numbers", "which"),
            *("number", "base", "on_zero", "after_win", "working"),
        )
    }
    return BetCorrected(
        **session.where(),
        **fields,
        corrects=corrects,
        reason=reason,
        amount_minor=placed.amount_minor - bet.stake,
        stake_minor=placed.amount_minor,
        commission_minor=placed.commission_minor - bet.commission,
        wager_before=bet.wager,
        stake_before_minor=bet.stake,
        commission_before_minor=bet.commission,
    )


def corrected_voucher(voucher: int, stake_before: int, stake: int) -> int:
    """Return the part of a corrected stake that is a voucher: all of it if all was, else no more than before."""
    return stake if voucher == stake_before else min(voucher, stake)


def bet_corrected(session: Session, event: BetCorrected) -> Session:
    """Correct the bet in its place."""
    bet = session.bets[event.bet]
    now = replace(
        bet,
        wager=event.wager,
        stake=event.stake_minor,
        player=event.player or "",
        seat=event.seat,
        box=event.box,
        numbers=event.numbers,
        which=event.which,
        number=event.number,
        base=event.base,
        on_zero=event.on_zero,
        after_win=event.after_win,
        working=event.working,
        commission=bet.commission + event.commission_minor,
        voucher=corrected_voucher(bet.voucher, bet.stake, event.stake_minor),
    )
    return replace(
        session, bets={**session.bets, bet.id: now}, float_minor=session.float_minor + event.commission_minor
    )


EVOLVERS: dict[type[EventData], Evolver] = {BetCorrected: bet_corrected}
