"""One spin: 37 numbers, each as likely as the others, decide all bets on the cloth."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from events.games.roulette import rules as roulette
from events.games.roulette.en_prison_stake_results import Choice, Prison, next_number
from events.games.roulette.event_types import BallLanded
from events.games.roulette.layout import NUMBERS
from events.games.roulette.par import worth
from events.rules.bet_outcome_chance_structs import ChanceDecision, Chances, Risk, house_gain, micro, sure
from events.rules.exact_amount_parsing import simple
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.table_session_state_structs import Bet, Session

_Case = tuple[int, int]  # gain of the house, and the remaining part on the cloth
_Place = tuple[str, tuple[int, ...], int | None, Choice | None]  # kind, numbers, which, wish at zero


def decision(session: Session, event: BallLanded, bets: Mapping[str, Bet]) -> ChanceDecision:
    """Return the results of these bets for every number. A zero counts by the player's wish, or as for a player without
    one."""
    risks = tuple(_risk(session.plays, bet, event.last_coup) for bet in bets.values())
    return ChanceDecision(weights=(1,) * len(NUMBERS), risks=risks, case=event.number)


def _risk(plays: TakenRuleset, bet: Bet, last_coup: bool) -> Risk:
    place = (bet.wager, bet.numbers, bet.which, bet.on_zero)
    cases = _cases(plays, place, bet.stake, bet.zeros, last_coup)
    lies = tuple(lying for _, lying in cases)
    return Risk(
        bet=bet.id,
        wager=bet.wager,
        player=bet.player,
        stake=bet.stake,
        gains=tuple(sure(gain) for gain, _ in cases),
        lies=lies if any(lies) else (),
    )


@lru_cache(maxsize=10_000)
def _cases(plays: TakenRuleset, place: _Place, stake: int, zeros: int, last_coup: bool) -> tuple[_Case, ...]:
    game = roulette.rules(plays)
    if zeros:
        return tuple(_prisoner(game, place, Prison(place[0], stake, zeros), number, last_coup) for number in NUMBERS)
    return tuple(_laid(game, place, stake, number, last_coup) for number in NUMBERS)


def _laid(game: roulette.RouletteRules, place: _Place, stake: int, number: int, last_coup: bool) -> _Case:
    wager, numbers, group, on_zero = place
    laid = roulette.RouletteBet("", wager, stake, numbers, group, on_zero=on_zero)
    result = roulette.settle_bet(game, number, laid, last_coup=last_coup)
    if result.outcome != "prison":
        return house_gain(result.profit, result.returned), 0
    return _held(game, Prison(wager, stake, 1))


def _prisoner(game: roulette.RouletteRules, place: _Place, held: Prison, number: int, last_coup: bool) -> _Case:
    zero = game.even_chances_on_zero
    step = next_number(zero, held, number, place[3] or zero.unasked, last_coup=last_coup)
    if step.prison is not None:
        return _held(game, step.prison)
    return house_gain(simple(Fraction(step.returned) - held.initial), step.returned), 0


def _held(game: roulette.RouletteRules, held: Prison) -> _Case:
    """Return the house's gain from a stake that stays en prison: the stake less its value to the player."""
    lying = micro(held.initial - worth(game.even_chances_on_zero, held))
    return lying, lying


CHANCES = Chances(deciding=(BallLanded,), decision=decision)
