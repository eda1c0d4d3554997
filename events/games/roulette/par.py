"""Exact odds of roulette: each bet settled on each of the 37 numbers; stakes en prison followed to their end."""

from fractions import Fraction
from functools import cache

from events.games.par import Edge
from events.games.roulette import rules as roulette
from events.games.roulette.en_prison_stake_results import Choice, Prison, ZeroRule, next_number
from events.games.roulette.layout import EVEN_CHANCES, NUMBERS, TYPES, Place, places, touches_zero
from events.rules.taken_ruleset_version_struct import Numbers

_CONDITIONS: dict[Choice, str] = {"half": "always half", "prison": "always en prison"}


def edges(ruleset: Numbers) -> list[Edge]:
    """The edge of every type of bet; for French even chances of both choices at zero. Raises Unknown."""
    game = roulette.rules(ruleset)
    sheet: list[Edge] = []
    for name in TYPES:
        if name in EVEN_CHANCES and game.even_chances_on_zero.rule == "choice":
            sheet += [_edge(game, name, choice) for choice in _CONDITIONS]
        else:
            sheet.append(_edge(game, name))
    return sheet


def _edge(game: roulette.RouletteRules, name: str, choice: Choice | None = None) -> Edge:
    bet = _sample(game, name, choice)
    results = [roulette.settle_bet(game, number, bet) for number in NUMBERS]
    lost = sum(_loss(game, bet, result) for result in results)
    hits = sum(result.outcome == "win" for result in results)
    return Edge(
        ruleset=game.name,
        bet=name,
        edge=Fraction(lost, len(results)) / bet.stake,
        hit=Fraction(hits, len(results)),
        condition=_CONDITIONS[choice] if choice else "",
        note="half or quarter or eighth at each zero, the same choice every time" if choice == "prison" else "",
    )


def _sample(game: roulette.RouletteRules, name: str, choice: Choice | None) -> roulette.RouletteBet:
    """A stake on any place of the type: all places of a type cover equally many numbers."""
    numbers = next(numbers for numbers in places(name) if game.zero_places or not touches_zero(name, Place(numbers)))
    if name in ("column", "dozen"):
        return roulette.RouletteBet(name, name, 1, which=1)
    return roulette.RouletteBet(name, name, 1, numbers=() if name in EVEN_CHANCES else numbers, on_zero=choice)


def _loss(game: roulette.RouletteRules, bet: roulette.RouletteBet, result: roulette.RouletteResult) -> Fraction:
    """Return the bank's average gain once this number has fallen."""
    if result.outcome != "prison":
        return Fraction(-result.profit)
    held = Prison(bet.type, result.in_prison, zeros=1)
    return result.in_prison - worth(game.even_chances_on_zero, held)


@cache
def worth(rule: ZeroRule, held: Prison) -> Fraction:
    """Return the average return of a stake left en prison at every zero."""
    back = Fraction(0)
    for number in NUMBERS:
        step = next_number(rule, held, number, "prison")
        back += worth(rule, step.prison) if step.prison else Fraction(step.returned)
    return back / len(NUMBERS)
