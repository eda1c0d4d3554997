"""Roulette as a procedure: open, spinning, no more bets, settled. What wins is `events/games/roulette`'s business."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.errors import Refused
from events.games import roulette
from events.games.roulette_layout import colour
from events.games.roulette_prison import Prison, next_number
from events.games.roulette_table import Offer, Payee, Work, accept, check_staff, pay_order, spin_check, table_check
from events.tables import actions as do
from events.tables import house, rounds
from events.tables import types as was
from events.tables.corrections import correcting
from events.tables.rounds import late_bet, make_payment, new_bet, settled
from events.tables.state import Bet, Case, Events, Evolver, Handler, Play, Session

NO_MAXIMUM = 10**12  # where none is posted for a kind of bet


class Wheel(Play, frozen=True, kw_only=True, tag="roulette"):
    """Which way the wheel was turned last: it turns the other way each time (P.1). `ball` is this spin's."""

    turned: Literal["cw", "ccw"] | None = None
    ball: Literal["cw", "ccw"] | None = None


def new_play() -> Wheel:
    """A wheel that has not turned today."""
    return Wheel()


def place_bet(case: Case, data: do.PlaceBet) -> Events:
    """Until "no more bets", also while the ball runs (P.3); by the croupier on a place of the layout (P.7)."""
    session = case.session
    case.phase("open", "spinning", "no_more_bets")
    rules = roulette.rules(session.ruleset)
    bet = roulette.Bet(data.bet, data.wager, data.amount_minor, data.numbers, data.which, on_zero=data.on_zero)
    roulette.check_bet(rules, bet)
    phase: Any = session.phase
    lying = sum(
        [
            other.stake
            for other in session.bets.values()
            if other.numbers == data.numbers  # what differs most often comes first
            and other.player == data.player
            and other.wager == data.wager
            and other.which == data.which
            and not other.zeros
        ]
    )
    offer = Offer(data.wager, data.amount_minor, data.numbers, data.which, by="croupier")
    maximum = session.maxima.get(data.wager, NO_MAXIMUM)
    if session.posts.get("assistant") == case.who.person:
        _check_assistant(case, "bet")
    minimum = session.minima.get(data.wager, session.minimum)
    found = accept(rules, phase, offer, minimum, maximum, lying=lying)
    if found.why is not None and phase == "no_more_bets":
        return late_bet(case, data, found.why)
    if found.why is not None:
        kind = "over maximum" if found.accepted else "late or bad bet"
        case.forbid(kind, found.why, bet=data.bet, player=data.player, seat=data.seat, amount_minor=data.amount_minor)
    return [new_bet(case, data)]


def _check_assistant(case: Case, work: Work) -> None:
    """An assistant only gathers and sorts colour chips (P.6)."""
    try:
        check_staff(roulette.rules(case.session.ruleset), "assistant", work)
    except Refused as refused:
        case.forbid("staff", refused)


def post_limits(case: Case, data: do.PostLimits) -> Events:
    """Each posted maximum lies in its band (L.)."""
    bad = table_check(roulette.rules(case.session.ruleset), data.minimum_minor, data.maxima_minor)
    if outside := [name for name in bad if name in data.maxima_minor]:
        message = f"outside their bands: {', '.join(outside)}"
        case.forbid("posted limits", Refused(f"{case.session.ruleset} L", message, source="002 §7b", reading="ROU-14"))
    return house.post_limits(case, data)


def take_back(case: Case, data: do.WithdrawBet) -> Events:
    """A bet of this spin may be taken back until "no more bets"; later it is a fact with an irregularity (P.3)."""
    case.phase("open", "spinning", "no_more_bets")
    if case.session.phase == "no_more_bets":
        bet = rounds.find_bet(case.session, data.bet)
        refused = Refused(f"{case.session.ruleset} P.3", "no more bets: what lies there plays", source="002 §1")
        case.forbid("late change", refused, bet=bet.id, player=bet.player, amount_minor=bet.stake)
    return rounds.withdraw_bet(case, data)


def pay(case: Case, data: do.MakePayment) -> Events:
    """By the croupier only (P.6)."""
    if case.session.posts.get("assistant") == case.who.person:
        _check_assistant(case, "pay")
    return make_payment(case, data)


def launch_ball(case: Case, data: do.LaunchBall) -> Events:
    """The ball runs against the wheel; the wheel turns the other way than the time before (P.1, ROU-9)."""
    case.phase("open")
    name = case.session.ruleset
    if data.wheel == data.ball:
        case.forbid("no spin", Refused(f"{name} P.2", "the ball runs with the wheel: no spin", source="002 §1"))
    if data.wheel == case.session.play.turned:
        refused = Refused(f"{name} P.1", "the wheel turns against the time before", source="002 §1", reading="ROU-9")
        case.forbid("wheel direction", refused)
    return [was.BallLaunched(**case.session.where(), wheel=data.wheel, ball=data.ball)]


def ball_launched(session: Session, event: was.BallLaunched) -> Session:
    return replace(session, phase="spinning", play=Wheel(turned=event.wheel, ball=event.ball))


def call_off_spin(case: Case, data: do.CallOffSpin) -> Events:
    """No spin: stop, and throw again (P.2). The bets lie as they lay."""
    case.phase("spinning", "no_more_bets")
    return [was.SpinCalledOff(**case.session.where(), reason=data.reason)]


def spin_called_off(session: Session, event: was.SpinCalledOff) -> Session:
    return replace(session, phase="open", play=Wheel())


def close_bets(case: Case, data: do.CloseBets) -> Events:
    """ "No more bets", while the ball is about to fall (P.3)."""
    case.phase("spinning")
    return [was.BetsClosed(**case.session.where())]


def bets_closed(session: Session, event: was.BetsClosed) -> Session:
    return replace(session, phase="no_more_bets")


def land_ball(case: Case, data: do.LandBall) -> Events:
    """The number decides every bet at once (P.4, P.8); what is due on each follows from the rules alone."""
    if case.session.phase == "spinning":
        refused = Refused(f"{case.session.ruleset} P.3", '"no more bets" was not called', source="002 §1")
        case.forbid("bets not closed", refused)
    else:
        case.phase("no_more_bets")
    _check_turns(case, data)
    session = case.session
    where, rules = session.where(), roulette.rules(session.ruleset)
    landed = was.BallLanded(
        **where,
        number=data.number,
        colour=_colour(data.number),
        last_coup=data.last_coup,
        revolutions=data.revolutions,
    )
    rooms = _rooms(session)
    results = {bet.id: _settle(session, rules, bet, rooms[bet.id], data, where) for bet in session.bets.values()}
    return [landed, *_in_order(session, results)]


def _check_turns(case: Case, data: do.LandBall) -> None:
    """A spin of fewer than four turns is no spin (P.2)."""
    wheel = case.session.play
    if data.revolutions is None or wheel.turned is None or wheel.ball is None:
        return
    rules = roulette.rules(case.session.ruleset)
    if reasons := spin_check(rules, wheel.turned, wheel.ball, data.revolutions).reasons:
        case.forbid("no spin", Refused(f"{rules.name} P.2", f"no spin: {', '.join(reasons)}", source="002 §1"))


def _rooms(session: Session) -> dict[str, int | None]:
    """How much of each bet its place's maximum leaves room for, in the order in which they were laid (I.2, ROU-6)."""
    bets, maxima = session.bets.values(), session.maxima
    if sum([bet.stake for bet in bets]) <= min(maxima.values(), default=0):  # whatever lies where, nothing is over
        return {bet.id: maxima.get(bet.wager) for bet in bets}
    lying: dict[tuple[object, ...], int] = {}
    rooms: dict[str, int | None] = {}
    for bet in bets:
        room = maxima.get(bet.wager)
        if room is not None and not bet.zeros:
            place = (bet.player, bet.wager, bet.numbers, bet.which)
            before = lying.get(place, 0)
            lying[place] = before + bet.stake
            room = max(0, room - before)
        rooms[bet.id] = room
    return rooms


def _in_order(session: Session, results: Mapping[str, was.BetSettled]) -> Events:
    """Losing bets first, then the others in the order of payment (P.5)."""
    lost: Events = [result for result in results.values() if result.profit_minor < 0]
    if len(lost) == len(results):
        return lost
    paid = [Payee(bet.id, bet.wager, bet.player) for bet in session.bets.values() if results[bet.id].profit_minor >= 0]
    return [*lost, *(results[name] for name in pay_order(paid))]


def _colour(number: int) -> Literal["red", "black", "green"]:
    found = colour(number)
    return "red" if found == "red" else "black" if found == "black" else "green"


def _settle(
    session: Session, rules: roulette.Rules, bet: Bet, maximum: int | None, data: do.LandBall, where: dict[str, Any]
) -> was.BetSettled:
    if bet.zeros:
        return _settle_prisoner(session, bet, rules, data)
    if maximum == 0:  # all of it is excess
        return settled(session, bet, "push", 0, bet.stake)
    laid = roulette.Bet(bet.id, bet.wager, bet.stake, bet.numbers, bet.which, maximum=maximum, on_zero=bet.on_zero)
    result = roulette.settle_bet(rules, data.number, laid, last_coup=data.last_coup)
    back, stays = result.returned, result.in_prison
    return settled(session, bet, result.outcome, result.profit, back, remaining=stays, where=where)


def _settle_prisoner(session: Session, bet: Bet, rules: roulette.Rules, data: do.LandBall) -> was.BetSettled:
    """A stake en prison: freed, lost, cashed, or held once more (B, ROU-1 to ROU-4)."""
    zero = rules.even_chances_on_zero
    held = Prison(bet.wager, bet.stake, bet.zeros)
    step = next_number(zero, held, data.number, bet.on_zero or zero.unasked, last_coup=data.last_coup)
    if step.prison is not None:
        return settled(session, bet, "prison", 0, remaining=bet.stake)
    outcome: was.Outcome = "released" if step.event == "released" else "half" if step.returned else "lose"
    return settled(session, bet, outcome, step.returned - bet.stake, step.returned)


def ball_landed(session: Session, event: was.BallLanded) -> Session:
    return replace(session, phase="settled")


def imprisoned(session: Session, event: was.BetSettled) -> Session:
    """A stake that stays en prison has seen one more zero; an excess over the maximum went back."""
    bet = session.bets.get(event.bet)
    if bet is None or event.outcome != "prison":
        return session
    held = replace(bet, zeros=bet.zeros + 1, stake=event.remaining_minor)
    return replace(session, bets={**session.bets, bet.id: held})


HANDLERS: Mapping[type[ActionData], Handler] = {
    do.PostLimits: post_limits,
    do.PlaceBet: place_bet,
    do.CorrectBet: correcting(place_bet),
    do.MakePayment: pay,
    do.WithdrawBet: take_back,
    do.LaunchBall: launch_ball,
    do.CallOffSpin: call_off_spin,
    do.CloseBets: close_bets,
    do.LandBall: land_ball,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    was.BallLaunched: ball_launched,
    was.SpinCalledOff: spin_called_off,
    was.BetsClosed: bets_closed,
    was.BallLanded: ball_landed,
    was.BetSettled: imprisoned,
}
