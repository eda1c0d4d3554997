"""The kinds of cases of baccarat: JSON in, the functions that settle at the table, JSON out."""

from typing import Any, Literal

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid
from events.games.baccarat import rules as baccarat
from events.games.baccarat import table_procedure_and_limit_rules
from events.games.cases import CaseInputs, Kinds, read
from events.rules import cards
from events.rules.exact_amount_parsing import render

_VARIANTS = {"commission": "baccarat", "no_commission": "baccarat-no-commission"}


class _Round(Struct, frozen=True):
    shoe: list[str]
    bets: list[baccarat.BaccaratBet]
    variant: Literal["commission", "no_commission"] | None = None


class _DealCheck(Struct, frozen=True):
    deals: list[table_procedure_and_limit_rules.DealtCard]


class _MaxDifference(Struct, frozen=True):
    max_difference: int
    bets: list[baccarat.BaccaratBet]


class _TableMax(Struct, frozen=True):
    maxima: dict[str, int]
    bets: list[baccarat.BaccaratBet]


class _Turn(Struct, frozen=True):
    by: str
    type: str
    stake: int


class _Reveal(Struct, frozen=True):
    bets: list[_Turn]


class _Accept(Struct, frozen=True):
    phase: table_procedure_and_limit_rules.Phase
    operation: table_procedure_and_limit_rules.Operation


def round_(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _Round)
    game = _game(ruleset, case.variant)
    shoe = cards.check_all(case.shoe, "shoe")
    if any(shoe.count(card) > game.packs for card in set(shoe)):
        raise Invalid("shoe", coded("shoe-cards-too-often", packs=game.packs, times=game.packs))
    hands = baccarat.deal(shoe)
    end = baccarat.coup(hands.player, hands.banker)
    results = baccarat.settle_coup(game, end, case.bets)
    return {
        "player": list(hands.player),
        "banker": list(hands.banker),
        "player_total": end.player_total,
        "banker_total": end.banker_total,
        "winner": end.winner,
        "natural": end.natural,
        "player_pair": end.player_pair,
        "banker_pair": end.banker_pair,
        "used": hands.used,
        "results": [{"bet": r.bet, "outcome": r.outcome, "profit": render(r.profit)} for r in results],
        "net": render(sum((r.profit for r in results), start=0)),
    }


def _game(ruleset: str, variant: str | None) -> baccarat.BaccaratRules:
    """The ruleset itself; a case of `baccarat` may name the other variant of the house's, of another none."""
    game = baccarat.rules(ruleset)
    if variant is None or variant == game.variant:
        return game
    if ruleset != "baccarat":
        raise Invalid("variant", coded("variant-unknown", ruleset=ruleset, variant=variant))
    return baccarat.rules(_VARIANTS[variant])


def deal_check(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    deals = read(inputs, _DealCheck).deals
    cards.check_all([dealt.card for dealt in deals], "deals")
    checked = table_procedure_and_limit_rules.deal_check(deals)
    return {
        "valid": checked.valid,
        "complete": checked.complete,
        "error_at": checked.error_at,
        "void": not checked.valid,
    }


def max_difference(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _MaxDifference)
    difference = table_procedure_and_limit_rules.max_difference(case.max_difference, case.bets)
    return {
        "difference": difference.difference,
        "exceeded": difference.exceeded,
        "heavier": difference.heavier,
        "factor": render(difference.factor),
        "stakes": {bet: render(stake) for bet, stake in difference.stakes.items()},
    }


def table_max(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _TableMax)
    totals = table_procedure_and_limit_rules.table_max(case.maxima, case.bets)
    return {name: {"total": of.total, "within": of.within} for name, of in totals.items()}


def burn(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    burnt = table_procedure_and_limit_rules.burn(cards.check(inputs.get("card")))
    return {"face_up": burnt.face_up, "face_down": burnt.face_down, "total": burnt.total}


def reveal(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    bets = [
        baccarat.BaccaratBet(str(at), bet.type, bet.stake, bet.by) for at, bet in enumerate(read(inputs, _Reveal).bets)
    ]
    return dict(table_procedure_and_limit_rules.reveal(bets))


def accept(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _Accept)
    refused = table_procedure_and_limit_rules.accept(baccarat.rules(ruleset), case.phase, case.operation)
    return {"accepted": True} if refused is None else {"accepted": False, "why": str(refused)}


_KINDS: Kinds = {
    "round": round_,
    "deal_check": deal_check,
    "max_difference": max_difference,
    "table_max": table_max,
    "burn": burn,
    "reveal": reveal,
    "accept": accept,
}


def kinds(ruleset: str) -> Kinds:
    """The same for all of the game's rulesets."""
    baccarat.rules(ruleset)
    return _KINDS
