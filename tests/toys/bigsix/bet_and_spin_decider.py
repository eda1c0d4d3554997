"""A wheel of fortune as a procedure: open, no more bets, settled."""

from collections.abc import Mapping

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.errors import Refused
from events.tables import round_and_bet_decider
from events.tables.actions.round_action_structs import CloseBets, CorrectBet, PlaceBet
from events.tables.bet_corrections import correcting
from events.tables.event_types.rounds import BetsClosed, BetSettled
from events.tables.table_session_state_structs import Bet, Events, Evolver, GamePlay, Handler, Session, TableCase
from events.tables.terminal_snapshot import Playing
from tests.toys.bigsix.action_structs import StopWheel
from tests.toys.bigsix.event_types import WheelStopped
from tests.toys.bigsix.rules import check_symbol, check_turns, profit, rules


class Fortune(GamePlay, frozen=True, kw_only=True, tag="bigsix"):
    """The symbol at which the wheel last stopped."""

    symbol: str | None = None


class FortuneShown(Playing, frozen=True, kw_only=True, omit_defaults=True, tag="bigsix"):
    """The symbol at which the wheel last stopped, as shown to readers."""

    symbol: str | None = None


def terminal_state(session: Session) -> FortuneShown:
    """Return the state of the wheel in the session."""
    return FortuneShown(symbol=session.play.symbol)


def place_bet(case: TableCase, data: PlaceBet) -> Events:
    """Place a bet on a symbol, within the posted limits, until the wheel is spun."""
    session = case.session
    case.phase("open", "no_more_bets")
    check_symbol(rules(session.plays), data.wager)
    if session.phase == "no_more_bets":
        return round_and_bet_decider.late_bet(
            case, data, Refused(f"{session.ruleset} P.1", "the wheel turns", source="NJ 8.3")
        )
    if data.amount_minor > session.maxima.get(data.wager, data.amount_minor):
        about = {"bet": data.bet, "player": data.player, "amount_minor": data.amount_minor}
        case.forbid("over maximum", Refused("house limits", f"{data.wager} is taken up to the posted limit"), **about)
    return [round_and_bet_decider.new_bet(case, data)]


def close_bets(case: TableCase, data: CloseBets) -> Events:
    """The dealer spins the wheel."""
    case.phase("open")
    return [BetsClosed(**case.session.where())]


def bets_closed(session: Session, event: BetsClosed) -> Session:
    return replace(session, phase="no_more_bets")


def stop_wheel(case: TableCase, data: StopWheel) -> Events:
    """Settle every bet by the symbol. A spin of too few turns is refused, or is a fact with an irregularity."""
    session, game = case.session, rules(case.session.plays)
    case.phase("no_more_bets")
    check_symbol(game, data.symbol)
    try:
        check_turns(game, data.turns)
    except Refused as refused:
        case.forbid("no spin", refused)
    stopped = WheelStopped(**session.where(), symbol=data.symbol, turns=data.turns)
    return [stopped, *(_settle(session, bet, data.symbol) for bet in session.bets.values())]


def _settle(session: Session, bet: Bet, symbol: str) -> BetSettled:
    won = profit(rules(session.plays), symbol, bet.wager, bet.stake)
    return round_and_bet_decider.settled(session, bet, "win" if won > 0 else "lose", won, bet.stake if won > 0 else 0)


def wheel_stopped(session: Session, event: WheelStopped) -> Session:
    return replace(session, phase="settled", play=Fortune(symbol=event.symbol))


HANDLERS: Mapping[type[ActionData], Handler] = {
    PlaceBet: place_bet,
    CorrectBet: correcting(place_bet),
    CloseBets: close_bets,
    StopWheel: stop_wheel,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {BetsClosed: bets_closed, WheelStopped: wheel_stopped}
