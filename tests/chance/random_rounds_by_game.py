"""One random round of each game, settled by its rules, with its theoretical win and variance."""

from functools import cache
from random import Random
from typing import Any

from events.games.baccarat import bet_results_per_outcome as coups
from events.games.baccarat import rules as baccarat
from events.games.baccarat.event_types import CoupEnded
from events.games.craps import bet_results_per_outcome as throws
from events.games.craps.craps_bet_struct_and_validity import CrapsBet as CrapsBet
from events.games.craps.event_types import DiceRolled
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import rules as craps_rules
from events.games.roulette import bet_results_per_outcome as spins
from events.games.roulette import rules as roulette
from events.games.roulette.event_types import BallLanded
from events.rules.bet_outcome_chance_structs import MICRO, house_gain
from events.tables.table_session_state_structs import Bet
from tests.chance import blackjack_basic_strategy
from tests.chance.round_with_theory import PACK, Play, RoundWithTheory, laid, mean_and_variance, session

WHERE: dict[str, Any] = {"pit": "main", "table": "T1", "gaming_day": "2026-11-20", "shift": "day", "ruleset": ""}
PASS, EIGHT = CrapsBet("pass", "pass", 1000), CrapsBet("eight", "place", 1200, 8)
SHOE = PACK * 8


def roulette_(random: Random) -> RoundWithTheory:
    """A number, a dozen and red together: one spin decides all."""
    theory, rules, rows = _spin()
    won = -sum(int(settled.profit) for settled in roulette.settle_spin(rules, random.randrange(37), rows))
    return RoundWithTheory(won, *theory)


@cache
def _spin() -> tuple[tuple[float, float], Any, list[roulette.RouletteBet]]:
    bets = [Bet("a", "straight", 100, "p", numbers=(7,)), Bet("b", "dozen", 500, "p", which=1)]
    bets += [Bet("c", "red", 1000, "p")]
    event = BallLanded(**WHERE, number=0, colour="green")
    decision = spins.decision(session("roulette-american"), event, {bet.id: bet for bet in bets})
    rows = [roulette.RouletteBet(bet.id, bet.wager, bet.stake, bet.numbers, which=bet.which) for bet in bets]
    return mean_and_variance(decision), roulette.rules("roulette-american"), rows


def baccarat_(random: Random) -> RoundWithTheory:
    """Play a coup with bets on banker, tie and a pair, from eight full packs."""
    theory, rules, rows = _coup()
    hands = baccarat.deal(random.sample(SHOE, 6))
    results = baccarat.settle_coup(rules, baccarat.coup(hands.player, hands.banker), rows)
    return RoundWithTheory(sum(house_gain(result.profit, result.returned) for result in results) / MICRO, *theory)


@cache
def _coup() -> tuple[tuple[float, float], baccarat.BaccaratRules, list[baccarat.BaccaratBet]]:
    bets = {"a": ("banker", 2000), "b": ("tie", 300), "c": ("player_pair", 100)}
    event = CoupEnded(**WHERE, player_total=1, banker_total=2, winner="banker")
    decision = coups.decision(session("baccarat"), event, laid(bets))
    rows = [baccarat.BaccaratBet(name, wager, stake) for name, (wager, stake) in bets.items()]
    return mean_and_variance(decision), baccarat.rules("baccarat"), rows


def craps(random: Random) -> RoundWithTheory:
    """A pass bet, and a place bet on 8 from its point on, until both are decided; throw by throw."""
    point, won, theory, variance = None, 0.0, 0.0, 0.0
    lying: tuple[CrapsBet, ...] = (PASS,)
    while lying:
        dice = (random.randrange(1, 7), random.randrange(1, 7))
        mean, spread, lies = _throw(point, lying, dice)
        after = roll(craps_rules("craps-by"), point, lying, dice)
        won += sum(house_gain(resolution.profit) for resolution in after.resolutions) / MICRO
        theory, variance = theory + mean - lies, variance + spread
        has_point = point is None and after.point_after is not None
        lying = (*after.bets, EIGHT) if has_point and PASS in after.bets and EIGHT not in after.bets else after.bets
        point = after.point_after
    return RoundWithTheory(won, theory, variance)


@cache
def _throw(point: int | None, lying: tuple[CrapsBet, ...], dice: Any) -> tuple[float, float, float]:
    """Return mean and variance of a throw, and the value of the bets that stay after it."""
    bets = {bet.id: Bet(bet.id, bet.type, bet.stake, "p", number=bet.number) for bet in lying}
    event = DiceRolled(**WHERE, dice=dice, total=sum(dice), point=point)
    decision = throws.decision(session("craps-by"), event, bets)
    assert decision.case is not None
    return (*mean_and_variance(decision), sum(risk.lies[decision.case] for risk in decision.risks) / MICRO)


GAMES: dict[str, Play] = {
    "roulette": roulette_,
    "baccarat": baccarat_,
    "craps": craps,
    "blackjack": blackjack_basic_strategy.main,
    "trilux": blackjack_basic_strategy.trilux,
    "blazing7s": blackjack_basic_strategy.blazing,
    "insurance": blackjack_basic_strategy.insurance,
}
