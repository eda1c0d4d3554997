"""The kinds of cases of the big six: JSON in, the functions that settle, JSON out, with the clauses of each bet."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from events.games.cases import CaseInputs, Kinds, read
from events.games.clauses import Pages
from tests.toys.bigsix.rules import check_symbol, check_turns, profit, rules


class _Bet(Struct, frozen=True):
    id: str
    symbol: str
    stake: int


class _Spin(Struct, frozen=True):
    symbol: str
    turns: int
    bets: list[_Bet]


def spin(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Return the win or loss of every bet of a spin."""
    case, game = read(inputs, _Spin), rules(ruleset)
    check_turns(game, case.turns)
    for symbol in (case.symbol, *(bet.symbol for bet in case.bets)):
        check_symbol(game, symbol)
    results = [{"id": bet.id, "profit": profit(game, case.symbol, bet.symbol, bet.stake)} for bet in case.bets]
    return {"results": results}


def kinds(ruleset: str) -> Kinds:
    """Return the kinds of cases, the same for every wheel."""
    rules(ruleset)
    return {"spin": spin}


def explain_spin(opened: Pages, inputs: Mapping[str, Any], _result: Mapping[str, Any]) -> list[str]:
    """The clause of every bet."""
    return [f"{bet['id']}: {opened.of_bet(bet['symbol'])}" for bet in inputs["bets"]]


EXPLAIN = {"spin": explain_spin}
