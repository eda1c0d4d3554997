"""Roulette as a procedure: open, spinning, no more bets, settled. The winning bets are in `rules.py`."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import asdict, replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Refused
from events.games.roulette import colour_chips_decider, half_or_prison_at_zero
from events.games.roulette import rules as roulette
from events.games.roulette import wheel_state_and_personal_limits as roulette_wheel
from events.games.roulette.action_structs import CallOffSpin, LandBall, LaunchBall
from events.games.roulette.event_types import BallLanded, BallLaunched, SpinCalledOff
from events.games.roulette.half_or_prison_at_zero import settle_prisoner, take_out
from events.games.roulette.layout import colour
from events.games.roulette.stake_acceptance_and_payment_order import (
    Payee,
    StakeOffer,
    Work,
    accept,
    check_staff,
    pay_order,
    spin_check,
    table_check,
)
from events.games.roulette.wheel_state_and_personal_limits import (
    NO_MAXIMUM,
    least_maximum,
    maximum_of,
    minimum_of,
    wheel_of,
)
from events.tables import late_bet_change_decider, round_and_bet_decider, session_opening_and_closing_decider
from events.tables.actions.round_action_structs import (
    CloseBets,
    CorrectBet,
    MakePayment,
    OpenRound,
    PlaceBet,
    WithdrawBet,
)
from events.tables.actions.session_action_structs import PostLimits
from events.tables.bet_corrections import correcting
from events.tables.event_types.rounds import BetsClosed, BetSettled, RoundVoided
from events.tables.round_and_bet_decider import late_bet, make_payment, new_bet, settled
from events.tables.table_session_state_structs import Bet, Events, Evolver, Handler, Session, TableCase


def open_round(case: TableCase, data: OpenRound) -> Events:
    """Open a round. After the last coup of the day no further one is played (ROU-4)."""
    if wheel_of(case.session).last_coup:
        refused = Refused(f"{case.session.ruleset} B", coded("last-coup-played"), source="002 §6b", reading="ROU-4")
        case.forbid("after the last coup", refused)
    return round_and_bet_decider.open_round(case, data)


def place_bet(case: TableCase, data: PlaceBet) -> Events:
    """Place a bet until "no more bets", also while the ball runs (P.3); by the croupier on a place of the layout
    (P.7).
    """
    session = case.session
    case.phase("open", "spinning", "no_more_bets", "settled")
    rules = roulette.rules(session.plays)
    bet = roulette.RouletteBet(data.bet, data.wager, data.amount_minor, data.numbers, data.which, on_zero=data.on_zero)
    roulette.check_bet(rules, bet)
    phase: Any = "no_more_bets" if session.phase == "settled" else session.phase
    lying = sum(
        [
            other.stake
            for other in session.bets.values()
            if other.numbers == data.numbers  # the part that differs most often comes first
            and other.player == data.player
            and other.wager == data.wager
            and other.which == data.which
            and not other.zeros
        ]
    )
    offer = StakeOffer(data.wager, data.amount_minor, data.numbers, data.which, by="croupier")
    maximum = maximum_of(session, data.player, data.wager) or NO_MAXIMUM
    if session.posts.get("assistant") == case.who.person:
        _check_assistant(case, "bet")
    minimum = minimum_of(session, data.player, data.wager)
    acceptance = accept(rules, phase, offer, minimum, maximum, lying=lying)
    if acceptance.why is not None and phase == "no_more_bets":
        return late_bet(case, data, acceptance.why)
    if acceptance.why is not None:
        kind = "over maximum" if acceptance.accepted else "late or bad bet"
        case.forbid(
            kind, acceptance.why, bet=data.bet, player=data.player, seat=data.seat, amount_minor=data.amount_minor
        )
    return [new_bet(case, data)]


def _check_assistant(case: TableCase, work: Work) -> None:
    """An assistant only gathers and sorts colour chips (P.6)."""
    try:
        check_staff(roulette.rules(case.session.plays), "assistant", work)
    except Refused as refused:
        case.forbid("staff", refused)


def post_limits(case: TableCase, data: PostLimits) -> Events:
    """Post limits. Each posted maximum is in its band (L.)."""
    bad = table_check(roulette.rules(case.session.plays), data.minimum_minor, data.maxima_minor)
    if outside := [name for name in bad if name in data.maxima_minor]:
        message = coded("maxima-outside-bands", bets=outside)
        case.forbid("posted limits", Refused(f"{case.session.ruleset} L", message, source="002 §7b", reading="ROU-14"))
    return session_opening_and_closing_decider.post_limits(case, data)


def take_back(case: TableCase, data: WithdrawBet) -> Events:
    """A bet of this spin may be taken back until "no more bets"; later it is a fact with an irregularity (P.3)."""
    if (prisoner := case.session.bets.get(data.bet)) is not None and prisoner.zeros:
        return take_out(case, prisoner)
    if (late := late_bet_change_decider.taken_back(case, data.bet)) is not None:
        return late
    case.phase("open", "spinning", "no_more_bets")
    if case.session.phase == "no_more_bets":
        bet = round_and_bet_decider.find_bet(case.session, data.bet)
        refused = Refused(f"{case.session.ruleset} P.3", coded("no-more-bets"), source="002 §1")
        case.forbid("late change", refused, bet=bet.id, player=bet.player, amount_minor=bet.stake)
    return round_and_bet_decider.withdraw_bet(case, data)


def pay(case: TableCase, data: MakePayment) -> Events:
    """Pay a bet, by the croupier only (P.6)."""
    if case.session.posts.get("assistant") == case.who.person:
        _check_assistant(case, "pay")
    return make_payment(case, data)


def launch_ball(case: TableCase, data: LaunchBall) -> Events:
    """The ball runs against the wheel; the wheel turns the other way than the time before (P.1, ROU-9)."""
    case.phase("open")
    name = case.session.ruleset
    if data.wheel == data.ball:
        case.forbid("no spin", Refused(f"{name} P.2", coded("ball-with-wheel"), source="002 §1"))
    if data.wheel == wheel_of(case.session).turned:
        refused = Refused(f"{name} P.1", coded("wheel-same-direction"), source="002 §1", reading="ROU-9")
        case.forbid("wheel direction", refused)
    return [BallLaunched(**case.session.where(), wheel=data.wheel, ball=data.ball)]


def ball_launched(session: Session, event: BallLaunched) -> Session:
    return replace(session, phase="spinning", play=replace(wheel_of(session), turned=event.wheel, ball=event.ball))


def call_off_spin(case: TableCase, data: CallOffSpin) -> Events:
    """Call "no spin": stop, and throw again (P.2). The bets stay unchanged."""
    case.phase("spinning", "no_more_bets")
    return [SpinCalledOff(**case.session.where(), reason=data.reason)]


def spin_called_off(session: Session, event: SpinCalledOff) -> Session:
    return replace(session, phase="open", play=replace(wheel_of(session), turned=None, ball=None))


def close_bets(case: TableCase, data: CloseBets) -> Events:
    """ "No more bets", while the ball is about to fall (P.3)."""
    if case.session.phase == "open" and case.action.intent == "fact":
        refused = Refused(f"{case.session.ruleset} P.3", coded("ball-not-running"), source="002 §1")
        case.forbid("order of work", refused)
    else:
        case.phase("spinning")
    return [BetsClosed(**case.session.where())]


def land_ball(case: TableCase, data: LandBall) -> Events:
    """Record the number. It decides every bet at once (P.4, P.8); the amounts due follow from the rules alone."""
    early = ("open", "spinning") if case.action.intent == "fact" else ("spinning",)
    if case.session.phase in early:
        refused = Refused(f"{case.session.ruleset} P.3", coded("no-more-bets-not-called"), source="002 §1")
        case.forbid("bets not closed", refused)
    else:
        case.phase("no_more_bets")
    _check_turns(case, data)
    session = case.session
    place, rules = session.where(), roulette.rules(session.plays)
    landed = BallLanded(**place, **asdict(data), colour=_colour(data.number))
    rooms = _rooms(session)
    results = {bet.id: _settle(session, rules, bet, rooms[bet.id], data, place) for bet in session.bets.values()}
    return [landed, *_in_order(session, results)]


def _check_turns(case: TableCase, data: LandBall) -> None:
    """A spin of fewer than four turns is no spin (P.2)."""
    wheel = wheel_of(case.session)
    if data.revolutions is None or wheel.turned is None or wheel.ball is None:
        return
    rules = roulette.rules(case.session.plays)
    if reasons := spin_check(rules, wheel.turned, wheel.ball, data.revolutions).reasons:
        case.forbid("no spin", Refused(f"{rules.name} P.2", coded("no-spin", reasons=reasons), source="002 §1"))


def _rooms(session: Session) -> dict[str, int | None]:
    """Return the room of each bet below its place's maximum, in the order in which they were laid (I.2, ROU-6)."""
    bets = session.bets.values()
    if sum([bet.stake for bet in bets]) <= least_maximum(session):  # no stake is over a limit, on any place
        return {bet.id: maximum_of(session, bet.player, bet.wager) for bet in bets}
    lying: dict[tuple[object, ...], int] = {}
    rooms: dict[str, int | None] = {}
    for bet in bets:
        room = maximum_of(session, bet.player, bet.wager)
        if room is not None and not bet.zeros:
            place = (bet.player, bet.wager, bet.numbers, bet.which)
            before = lying.get(place, 0)
            lying[place] = before + bet.stake
            room = max(0, room - before)
        rooms[bet.id] = room
    return rooms


def _in_order(session: Session, results: Mapping[str, BetSettled]) -> Events:
    """Losing bets first, then the others in the order of payment (P.5)."""
    lost: Events = [result for result in results.values() if result.profit_minor < 0]
    if len(lost) == len(results):
        return lost
    paid = [Payee(bet.id, bet.wager, bet.player) for bet in session.bets.values() if results[bet.id].profit_minor >= 0]
    return [*lost, *(results[name] for name in pay_order(paid))]


def _colour(number: int) -> Literal["red", "black", "green"]:
    name = colour(number)
    return "red" if name == "red" else "black" if name == "black" else "green"


def _settle(
    session: Session,
    rules: roulette.RouletteRules,
    bet: Bet,
    maximum: int | None,
    data: LandBall,
    place: dict[str, Any],
) -> BetSettled:
    if bet.zeros:
        return settle_prisoner(session, bet, rules, data)
    if maximum == 0:  # all of it is excess
        return settled(session, bet, "push", 0, bet.stake)
    laid = roulette.RouletteBet(
        bet.id, bet.wager, bet.stake, bet.numbers, bet.which, maximum=maximum, on_zero=bet.on_zero
    )
    result = roulette.settle_bet(rules, data.number, laid, last_coup=data.last_coup)
    back, stays = result.returned, result.in_prison
    return settled(session, bet, result.outcome, result.profit, back, remaining=stays, place=place)


def ball_landed(session: Session, event: BallLanded) -> Session:
    return replace(session, phase="settled", play=replace(wheel_of(session), last_coup=event.last_coup))


def voided(session: Session, event: RoundVoided) -> Session:
    """A last coup that is void was none."""
    return replace(session, play=replace(wheel_of(session), last_coup=False))


HANDLERS: Mapping[type[ActionData], Handler] = {
    **roulette_wheel.HANDLERS,
    **half_or_prison_at_zero.HANDLERS,
    **colour_chips_decider.HANDLERS,
    PostLimits: post_limits,
    OpenRound: open_round,
    PlaceBet: place_bet,
    CorrectBet: correcting(place_bet),
    MakePayment: pay,
    WithdrawBet: take_back,
    LaunchBall: launch_ball,
    CallOffSpin: call_off_spin,
    CloseBets: close_bets,
    LandBall: land_ball,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    **roulette_wheel.EVOLVERS,
    **half_or_prison_at_zero.EVOLVERS,
    **colour_chips_decider.EVOLVERS,
    BallLaunched: ball_launched,
    SpinCalledOff: spin_called_off,
    BetsClosed: lambda session, event: replace(session, phase="no_more_bets"),
    BallLanded: ball_landed,
    RoundVoided: voided,
}
