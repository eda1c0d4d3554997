"""Zero at a French wheel: a player's choice for an even chance, before the ball falls and when zero has fallen.

At every zero the player has the same choice, half back or the whole en prison (002 §6b). An earlier wish holds when
zero falls; a later one replaces it, until the round has ended. `ball.land` settles by the wish, so another choice takes
that settlement back, or settles the stake that it left en prison.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.roulette import rules as roulette
from events.games.roulette.action_structs import LandBall
from events.games.roulette.en_prison_stake_results import Choice, Prison, next_number
from events.games.roulette.wheel_state_and_personal_limits import wheel_of
from events.tables.actions.round_action_structs import InstructBet
from events.tables.event_types.rounds import BetInstructed, BetSettled
from events.tables.round_and_bet_decider import find_bet, settled
from events.tables.table_session_state_structs import Bet, BetSettlement, Events, Evolver, Handler, Session, TableCase
from events.tables.voided_rounds_and_days_decider import taken_back

SOURCE = "002 §6b"


def instruct(case: TableCase, data: InstructBet) -> Events:
    """Half or prison: for the next zero, or for the one that has just fallen."""
    session, rules = case.session, roulette.rules(case.session.plays)
    if data.on_zero is None or data.working is not None or data.after_win is not None:
        raise Invalid("data", coded("on-zero-only"))
    if session.phase == "settled":
        return _choose(case, data.bet, data.on_zero)
    bet = find_bet(session, data.bet)
    roulette.check_choice(rules, bet.wager)
    return [_instructed(session, bet, data.on_zero)]


def _instructed(session: Session, bet: Bet, choice: Choice) -> BetInstructed:
    return BetInstructed(
        **session.where(), bet=bet.id, wager=bet.wager, on_zero=choice, player=bet.player, seat=bet.seat
    )


def instructed(session: Session, event: BetInstructed) -> Session:
    bet = session.bets.get(event.bet)
    if bet is None or event.on_zero is None:
        return session
    return replace(session, bets={**session.bets, bet.id: replace(bet, on_zero=event.on_zero)})


# --- zero has fallen ------------------------------------------------------------------------------------------


def _choose(case: TableCase, name: str, choice: Choice) -> Events:
    """The answer to the zero of this spin. Raises Refused where it gave no choice."""
    session = case.session
    settlement = next((settlement for settlement in reversed(session.settled) if settlement.bet.id == name), None)
    if settlement is None or settlement.event.outcome not in ("half", "prison"):
        raise Refused(f"{session.ruleset} B", coded("zero-gave-no-choice", bet=name), source=SOURCE)
    instruction = _instructed(session, settlement.bet, choice)
    if choice == settlement.event.outcome:
        return [instruction]
    if choice == "half":
        return [instruction, cashed(session, find_bet(session, name))]
    return [taken_back(session, settlement), instruction, *_imprisoned_anew(case, settlement)]


def _imprisoned_anew(case: TableCase, settlement: BetSettlement) -> Events:
    """The settlement of a stake that was halved and is left en prison after all."""
    session, bet = case.session, settlement.bet
    if wheel_of(session).last_coup:
        message = coded("no-prison-after-last-coup")
        raise Refused(f"{session.ruleset} B", message, source=SOURCE, reading="ROU-4")
    if any(before.bet.id == bet.id and before.event.outcome == "prison" for before in session.settled):
        return []  # the zero that is counted: a stake taken back was the choice after it
    stays = bet.stake if bet.zeros else _in_play(settlement.event)
    return [settled(session, bet, "prison", 0, bet.stake - stays, remaining=stays)]


def _in_play(settled_bet: BetSettled) -> int:
    """Return the halved part of a stake; an excess over the maximum was not halved. Half of it was lost, before the
    rounding."""
    return int(-2 * (settled_bet.profit_minor + Fraction(settled_bet.rounded_millionths, 1_000_000)))


def cashed(session: Session, bet: Bet) -> BetSettled:
    """Return the settlement of a stake en prison that its player takes at its present value: 1/2, 1/4, 1/8 (ROU-2)."""
    worth = Prison(bet.wager, bet.stake, bet.zeros).cash_value
    return settled(session, bet, "half", worth - bet.stake, worth)


def take_out(case: TableCase, bet: Bet) -> Events:
    """A stake en prison is taken back: when zero has fallen that is the choice of half, else it plays on."""
    if case.session.phase != "settled":
        refused = Refused(f"{case.session.ruleset} B", coded("prison-cashed-on-zero"), source=SOURCE)
        case.forbid("late change", refused, bet=bet.id, player=bet.player, amount_minor=bet.stake)
        return [cashed(case.session, bet)]
    return _choose(case, bet.id, "half")


# --- the ball lands -------------------------------------------------------------------------------------------


def settle_prisoner(session: Session, bet: Bet, rules: roulette.RouletteRules, data: LandBall) -> BetSettled:
    """A stake en prison: freed, lost, cashed, or held once more (B, ROU-1 to ROU-4)."""
    zero = rules.even_chances_on_zero
    held = Prison(bet.wager, bet.stake, bet.zeros)
    step = next_number(zero, held, data.number, bet.on_zero or zero.unasked, last_coup=data.last_coup)
    if step.prison is not None:
        return settled(session, bet, "prison", 0, remaining=bet.stake)
    outcome: Literal["released", "half", "lose"]
    outcome = "released" if step.event == "released" else "half" if step.returned else "lose"
    return settled(session, bet, outcome, step.returned - bet.stake, step.returned)


def imprisoned(session: Session, event: BetSettled) -> Session:
    """A stake that stays en prison has seen one more zero; an excess over the maximum went back."""
    bet = session.bets.get(event.bet)
    if bet is None or event.outcome != "prison":
        return session
    held = replace(bet, zeros=bet.zeros + 1, stake=event.remaining_minor)
    return replace(session, bets={**session.bets, bet.id: held})


HANDLERS: Mapping[type[ActionData], Handler] = {InstructBet: instruct}
EVOLVERS: Mapping[type[EventData], Evolver] = {BetInstructed: instructed, BetSettled: imprisoned}
