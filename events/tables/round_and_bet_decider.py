"""Rounds, bets and payments of every game. Each game has its own bets and settlements."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import to_builtins
from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Full, Invalid, Refused
from events.rules.exact_amount_parsing import Amount
from events.tables.actions.round_action_structs import EndRound, MakePayment, OpenRound, PlaceBet, WithdrawBet
from events.tables.event_types.rounds import (
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundOpened,
)
from events.tables.event_types.session import Outcome
from events.tables.mispaid_round_lookup import mispaid_in, settled_as
from events.tables.table_session_state_structs import (
    Bet,
    BetSettlement,
    DueWinnings,
    Events,
    Evolver,
    Handler,
    Session,
    TableCase,
    name_in_day,
    paid_ahead,
    without,
)

# Irregularities by which a round ends.
OF_AN_END = ("round not ended", "round undecided", "card not drawn", "unpaid")
MAX_UNPAID = 1_000  # winnings of earlier rounds of a session
MAX_BETS = 400  # lying on one layout at a time; all of them settle in one transaction


def open_round(case: TableCase, data: OpenRound, *, without_bets: bool = False) -> Events:
    """Open the next round for bets. A dealer and a watching supervisor must be present.

    `without_bets`: the game has rounds without bets.
    """
    case.phase("idle")
    session = case.session
    if session.dealer is None or session.inspector is None:
        case.forbid("staff", Refused("house staff", coded("round-without-staff")))
    if session.minimum == 0:
        raise Refused("house limits", coded("limits-not-posted"))
    if not without_bets and (data.free or data.wanted_by):
        raise Refused(f"{session.ruleset} P", coded("round-needs-bets", game=session.game))
    place = {**session.where(), "round": session.round + 1}
    return [RoundOpened(**place, free=data.free, wanted_by=data.wanted_by)]


def round_opened(session: Session, event: RoundOpened) -> Session:
    return replace(
        session,
        round=event.round or 0,
        phase="open",
        used=frozenset(session.bets),
        settled=(),
        paid={},
        acted=(),
        due={},
        returned={},
    )


def new_bet(case: TableCase, data: PlaceBet, **fields: Any) -> BetPlaced:
    """The event for a bet that the game found lawful. Raises Refused for a name that is taken or too many bets."""
    session = case.session
    if data.bet in session.used:
        raise Refused("house bet", coded("bet-id-used", bet=data.bet))
    if len(session.bets) >= MAX_BETS:
        raise Full("house bet", coded("too-many-bets", most=MAX_BETS))
    return BetPlaced(**session.where(), **to_builtins(data), **fields)  # without defaults: the event has the same


def late_bet(case: TableCase, data: PlaceBet, refused: Refused) -> Events:
    """A bet that came too late: refused, or recorded as a fact and handed back at once. It is never played."""
    return handed_back(case, data, "late bet", refused, late=True)


def handed_back(case: TableCase, data: PlaceBet, kind: str, refused: Refused, **fields: Any) -> Events:
    """A stake that may not be played: refused, or recorded as a fact and handed back at once."""
    about = {"bet": data.bet, "seat": data.seat, "box": data.box, "player": data.player}
    case.forbid(kind, refused, **about, amount_minor=data.amount_minor)
    placed = new_bet(case, data, **fields)
    lies = bet_placed(case.session, placed)
    return [placed, settled(lies, lies.bets[placed.bet], "void", 0, placed.amount_minor)]


def bet_placed(session: Session, event: BetPlaced) -> Session:
    bet = Bet(
        event.bet,
        event.wager,
        event.amount_minor,
        event.player or "",
        event.seat,
        event.box,
        event.numbers,
        event.which,
        event.base,
        event.on_zero,
        event.after_win,
        event.working,
        event.number,
        commission=event.commission_minor,
        placed_in=session.round,
        voucher=event.amount_minor if event.tender == "promotional" else 0,
    )
    bets, taken = {**session.bets, bet.id: bet}, session.used | {bet.id}
    return replace(session, bets=bets, used=taken, float_minor=session.float_minor + event.commission_minor)


def withdraw_bet(case: TableCase, data: WithdrawBet) -> Events:
    """Take a bet back. Until "no more bets" a player may take back a bet of this round."""
    bet = find_bet(case.session, data.bet)
    if bet.placed_in != case.session.round:
        raise Refused(f"{case.session.game} B", coded("bet-plays-on", wager=bet.wager, bet=bet.id))
    return [withdrawn(case.session, bet)]


def withdrawn(session: Session, bet: Bet) -> BetWithdrawn:
    """The event of a bet that goes back to its player, its commission with it."""
    return BetWithdrawn(
        **session.where(),
        bet=bet.id,
        wager=bet.wager,
        amount_minor=bet.stake,
        commission_minor=bet.commission,
        player=bet.player,
        seat=bet.seat,
        box=bet.box,
    )


def bet_withdrawn(session: Session, event: BetWithdrawn) -> Session:
    left = without(session.bets, event.bet)
    returned_bet = {event.bet: session.bets[event.bet]} if event.bet in session.bets else {}
    float_minor = session.float_minor - event.commission_minor
    return replace(session, bets=left, returned={**session.returned, **returned_bet}, float_minor=float_minor)


def restaked(session: Session, event: BetRestaked) -> Session:
    """A bet grew or shrank."""
    bet = session.bets[event.bet]
    left, commission = min(bet.voucher, event.stake_minor), bet.commission + event.commission_minor
    now = replace(bet, stake=event.stake_minor, commission=commission, voucher=left)
    return replace(
        session, bets={**session.bets, bet.id: now}, float_minor=session.float_minor + event.commission_minor
    )


def restake(
    session: Session,
    bet: Bet,
    stake: int,
    reason: Literal["raised", "lowered", "pressed", "reduced"] | None = None,
    commission: int = 0,
) -> BetRestaked:
    """Return the event of a bet with another stake from now on; `commission` is the change of its commission."""
    return BetRestaked(
        **session.where(),
        bet=bet.id,
        wager=bet.wager,
        amount_minor=stake - bet.stake,
        stake_minor=stake,
        commission_minor=commission,
        reason=reason or ("raised" if stake > bet.stake else "lowered"),
        player=bet.player,
        seat=bet.seat,
        box=bet.box,
    )


def find_bet(session: Session, name: str) -> Bet:
    """Return the bet on the layout under this name. Raises Refused for an unknown one."""
    if name not in session.bets:
        raise Refused("house bet", coded("bet-not-on-layout", bet=name), field="data.bet")
    return session.bets[name]


def settled(
    session: Session,
    bet: Bet,
    outcome: Outcome,
    profit: Amount,
    returned_stake: Amount = 0,
    *,
    remaining: int = 0,
    progressive: str | None = None,
    deducted: Amount = 0,
    commission: int = 0,
    place: Mapping[str, Any] | None = None,
) -> BetSettled:
    """Return the settlement of a bet, after the house's rounding: the player's money is rounded down to the minor unit.

    `deducted`: the commission already deducted from the profit; `commission`: the money that changes hands separately.
    `place` is `session.where()`, if the caller has it.
    """
    got = profit + returned_stake if profit > 0 else returned_stake
    # Nearly every amount is an int. `isinstance` of a Fraction, an abstract base class, costs five times as much.
    lost_fraction = 0 if type(got) is int else got % 1
    profit_minor = int(profit - lost_fraction)
    settlement = BetSettled(
        **(place or session.where()),
        bet=bet.id,
        wager=bet.wager,
        outcome=outcome,
        amount_minor=bet.stake,
        profit_minor=profit_minor,
        returned_minor=int(returned_stake - lost_fraction) if profit <= 0 else int(returned_stake),
        player=bet.player,
        seat=bet.seat,
        box=bet.box,
        progressive=progressive,
    )
    if not (remaining or lost_fraction or deducted or commission or bet.voucher):  # nearly every bet
        return settlement
    return _with_rare_amounts(settlement, bet.voucher, remaining, lost_fraction, deducted, commission)


def _with_rare_amounts(
    settlement: BetSettled, voucher: int, remaining: int, lost_fraction: Amount, deducted: Amount, commission: int
) -> BetSettled:
    """Return the settlement with the amounts that nearly every bet leaves at zero."""
    return replace(
        settlement,
        remaining_minor=remaining,
        rounded_millionths=int(lost_fraction * 1_000_000),
        kept_millionths=int(deducted * 1_000_000),
        commission_minor=commission,
        promotional_minor=min(voucher, max(0, -settlement.profit_minor)),
    )


def bet_settled(session: Session, event: BetSettled) -> Session:
    bet = session.bets.get(event.bet)
    if bet is None:
        return session
    due, profit = session.due, event.profit_minor
    if profit > 0:
        before = due[bet.id].amount if bet.id in due else 0
        due = {**due, bet.id: DueWinnings(bet, before + profit)}
    settlements = session.settled if event.outcome == "void" else (*session.settled, BetSettlement(bet, event))
    returned = {**session.returned, bet.id: bet} if event.outcome == "void" else session.returned
    vouchers = session.settled_vouchers
    if bet.voucher:
        vouchers = {**vouchers, name_in_day(bet.id, event.round): min(bet.voucher, bet.stake)}
    return replace(
        session,
        returned=returned,
        float_minor=session.float_minor + event.commission_minor + max(0, -profit) - event.promotional_minor,
        due=due,
        bets=session.bets if event.remaining_minor else without(session.bets, bet.id),
        settled=settlements,
        settled_vouchers=vouchers,
    )


def make_payment(case: TableCase, data: MakePayment) -> Events:
    """Pay winnings once, and exactly; winnings left unpaid at the end of their round, later.

    A wrong payment that happened is a fact with an irregularity. So is its correction, by a payment or by taking money
    back (an amount below zero).
    """
    session = case.session
    due = (_due_winnings(session, data) if data.amount_minor >= 0 else None) or _nothing_due(case, data)
    judged(case, due, data.amount_minor)
    return [paid(session, due, data.amount_minor)]


def judged(case: TableCase, due: DueWinnings, amount: int) -> None:
    """Forbid a payment of any other amount than the one due: refused, or recorded with an irregularity."""
    if amount == 0:
        raise Invalid("data.amount_minor", coded("payment-of-nothing"))
    bet = due.bet
    if amount != due.amount:
        refused = Refused(
            "house payment", coded("payment-differs", due=due.amount, wager=bet.wager, bet=bet.id, paid=amount)
        )
        about = {"bet": bet.id, "seat": bet.seat, "box": bet.box, "player": bet.player}
        case.forbid("mispay", refused, **about, amount_minor=amount - due.amount)


def _due_winnings(session: Session, data: MakePayment) -> DueWinnings | None:
    """Return the bet's win in this round; else the amount that an earlier round left unpaid on it, the oldest first."""
    if data.bet in session.due and data.won_in in (None, session.round):
        return session.due[data.bet]
    late = (due for due in session.unpaid if due.bet.id == data.bet)
    return next((due for due in late if data.won_in in (None, due.won_in)), None)


def _nothing_due(case: TableCase, data: MakePayment) -> DueWinnings:
    """Return nothing due, for a payment on a bet of this round without a win, or paid already: it may be reported, not
    asked.

    So may a correction of an earlier round's payment.
    """
    session, name = case.session, data.bet
    if case.action.intent != "ask" and (before := mispaid_in(session, data)) is not None:
        bet = settled_as(case.context.dealt, name)
        if bet is not None:
            return DueWinnings(bet, 0, before)
    if case.action.intent == "ask":
        raise Refused("house payment", coded("payment-not-due", bet=name), field="data.bet")
    if data.won_in not in (None, session.round):
        return DueWinnings(unknown_bet(name), 0, min(data.won_in, session.round) or None)
    known_bet = session.paid.get(name) or next(
        (settlement.bet for settlement in session.settled if settlement.bet.id == name), None
    )
    return DueWinnings(known_bet or session.returned.get(name) or session.bets.get(name) or unknown_bet(name), 0)


def unknown_bet(name: str) -> Bet:
    """Return a stand-in for a bet that was paid but never recorded: its place and its player are not known."""
    return Bet(name, "unknown", 0, "")


def paid(
    session: Session, due: DueWinnings, amount: int, of: int | None = None, reason: str | None = None
) -> PaymentMade:
    """Return the event of winnings paid for the amount due, or for a part `of` it; `reason`: it is recorded late."""
    bet = due.bet
    return PaymentMade(
        **session.where(),
        bet=bet.id,
        wager=bet.wager,
        amount_minor=amount,
        due_minor=due.amount if of is None else of,
        player=bet.player or None,
        seat=bet.seat,
        box=bet.box,
        won_in=due.won_in,
        reason=reason,
        after_close=session.status != "open",
    )


def payment_made(session: Session, event: PaymentMade) -> Session:
    """Note a payment. The payment stays, even if a void takes back its win."""
    if excess := event.amount_minor - event.due_minor:
        session = replace(session, ahead=paid_ahead(session, event.bet, event.won_in or session.round, excess))
    if event.won_in is not None:
        return _paid_late(session, event)
    due = session.due.get(event.bet)
    left = due.amount - event.due_minor if due else 0
    return replace(
        session,
        due={**session.due, event.bet: DueWinnings(due.bet, left)} if due and left else without(session.due, event.bet),
        float_minor=session.float_minor - (0 if event.after_close else event.amount_minor),
        paid={**session.paid, event.bet: Bet(event.bet, event.wager, 0, event.player or "", event.seat, event.box)},
    )


def _paid_late(session: Session, event: PaymentMade) -> Session:
    left = [due for due in session.unpaid if (due.bet.id, due.won_in) != (event.bet, event.won_in)]
    out = 0 if event.after_close else event.amount_minor  # a counted tray keeps its counted amount
    return replace(session, unpaid=tuple(left), float_minor=session.float_minor - out)


def end_round(case: TableCase, data: EndRound) -> Events:
    """The round is over when everything due is paid. A round without a decision can be ended, too."""
    session = case.session
    if session.phase not in ("idle", "settled"):
        message = coded("round-undecided", action=EndRound.TYPE, phase=session.phase)
        return end_undecided_round(case, Refused(f"{session.game} phase", message), "round undecided")
    case.phase("settled")
    return finish(case)


def end_undecided_round(case: TableCase, refused: Refused, kind: str = "card not drawn") -> Events:
    """End a round before it was decided. Its unsettled bets go back to their players."""
    case.forbid(kind, refused)
    session = case.session
    round_bets = [bet for bet in session.bets.values() if bet.placed_in == session.round]
    back = [settled(session, bet, "void", 0, bet.stake, commission=-bet.commission) for bet in round_bets]
    return [*back, *finish(case)]


def finish(case: TableCase) -> Events:
    """End a round that has nothing more to decide. An amount still due is a fact with an irregularity."""
    for due in case.session.due.values():
        refused = Refused(
            "house payment", coded("payment-still-due", due=due.amount, wager=due.bet.wager, bet=due.bet.id)
        )
        case.forbid("unpaid", refused, bet=due.bet.id, player=due.bet.player, amount_minor=due.amount)
    if len(case.session.unpaid) + len(case.session.due) > MAX_UNPAID:
        raise Full("house payment", coded("too-many-unpaid", most=MAX_UNPAID))
    return [RoundEnded(**case.session.where(), progressive=case.session.progressive)]


def round_ended(session: Session, event: RoundEnded) -> Session:
    """End the round. Amounts due stay due; payments are known until the next round, in case they are paid twice."""
    late = [DueWinnings(due.bet, due.amount, session.round) for due in session.due.values()]
    return replace(session, phase="idle", due={}, unpaid=(*session.unpaid, *late))


HANDLERS: dict[type[ActionData], Handler] = {
    OpenRound: open_round,
    WithdrawBet: withdraw_bet,
    MakePayment: make_payment,
    EndRound: end_round,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    RoundOpened: round_opened,
    BetPlaced: bet_placed,
    BetWithdrawn: bet_withdrawn,
    BetRestaked: restaked,
    BetSettled: bet_settled,
    PaymentMade: payment_made,
    RoundEnded: round_ended,
}
