"""The kinds of cases of roulette: JSON in, the functions that settle at the table, JSON out."""

from typing import Any

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid
from events.games.cases import CaseInputs, Kinds, read
from events.games.roulette import en_prison_stake_results, stake_acceptance_and_payment_order
from events.games.roulette import rules as roulette
from events.games.roulette.layout import colour
from events.rules.exact_amount_parsing import parse, render, simple


class _Spin(Struct, frozen=True):
    number: int
    bets: list[roulette.RouletteBet]


class _EnPrison(Struct, frozen=True):
    type: str
    stake: int
    numbers: list[int]
    choices: list[en_prison_stake_results.Choice] = []
    last_coup: bool = False


class _Place(Struct, frozen=True):
    type: str
    numbers: tuple[int, ...] = ()
    which: int | None = None


class _SpinAccept(Struct, frozen=True):
    phase: stake_acceptance_and_payment_order.Phase
    how: stake_acceptance_and_payment_order.How
    by: str
    minimum: int | str
    max: int | str
    bet: _Place
    stake: int


class _SpinCheck(Struct, frozen=True):
    wheel: stake_acceptance_and_payment_order.Direction
    ball: stake_acceptance_and_payment_order.Direction
    revolutions: int
    object_in_wheel: bool = False


class _PayOrder(Struct, frozen=True):
    bets: list[stake_acceptance_and_payment_order.Payee]


class _TableCheck(Struct, frozen=True):
    minimum: int | str
    maxima: dict[str, int | str]


def spin(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _Spin)
    results = roulette.settle_spin(roulette.rules(ruleset), case.number, case.bets)
    return {
        "colour": colour(case.number),
        "results": [_result(result) for result in results],
        "net": render(sum((result.profit for result in results), start=0)),
    }


def _result(result: roulette.RouletteResult) -> dict[str, Any]:
    result_data: dict[str, Any] = {
        "bet": result.bet,
        "outcome": result.outcome,
        "profit": render(result.profit),
        "returned": render(result.returned),
    }
    return result_data | {"in_prison": result.in_prison} if result.outcome == "prison" else result_data


def en_prison(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """A stake followed through its spins: all of them must concern it, and every zero needs its choice."""
    case = read(inputs, _EnPrison)
    steps = _steps(ruleset, case)
    answer: dict[str, Any] = {"events": [step.event for step in steps]}
    last = steps[-1]
    if last.prison is not None:
        values = {"cash_value": last.prison.cash_value, "release_value": last.prison.release_value}
        return answer | {"state": "prison"} | {name: render(value) for name, value in values.items()}
    net = simple(last.returned - case.stake)
    return answer | {"state": "closed", "returned": render(last.returned), "net": render(net)}


def _steps(ruleset: str, case: _EnPrison) -> list[en_prison_stake_results.PrisonStep]:
    rule = roulette.rules(ruleset).even_chances_on_zero
    en_prison_stake_results.check_even_chance(ruleset, case.type)
    if case.stake < 1:
        raise Invalid("stake", coded("stake-not-positive"))
    if not case.numbers:
        raise Invalid("numbers", coded("spin-needed"))
    choices = iter(case.choices)
    steps: list[en_prison_stake_results.PrisonStep] = []
    for spun, number in enumerate(case.numbers, start=1):
        last_coup = case.last_coup and spun == len(case.numbers)
        choice = next(choices, None) if roulette.check_number(number) == 0 else None
        steps.append(_step(rule, case, steps, number, choice, last_coup=last_coup))
    return steps


def _step(
    rule: en_prison_stake_results.ZeroRule,
    case: _EnPrison,
    steps: list[en_prison_stake_results.PrisonStep],
    number: int,
    choice: str | None,
    *,
    last_coup: bool,
) -> en_prison_stake_results.PrisonStep:
    if not steps:
        return en_prison_stake_results.first_number(rule, case.type, case.stake, number, choice, last_coup=last_coup)
    if (held := steps[-1].prison) is None:
        raise Invalid("numbers", coded("stake-closed-by-spin", spin=len(steps)))
    return en_prison_stake_results.next_number(rule, held, number, choice, last_coup=last_coup)


def limits(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    bands = stake_acceptance_and_payment_order.limits(roulette.rules(ruleset), parse(inputs.get("minimum"), "minimum"))
    return {"bands": {name: [render(least), render(greatest)] for name, (least, greatest) in bands.items()}}


def table_check(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _TableCheck)
    maxima = {name: parse(amount, f"maxima.{name:.20}") for name, amount in case.maxima.items()}
    bad = stake_acceptance_and_payment_order.table_check(
        roulette.rules(ruleset), parse(case.minimum, "minimum"), maxima
    )
    return {"valid": not bad, "bad": bad}


def accept(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _SpinAccept)
    place = case.bet
    offer = stake_acceptance_and_payment_order.StakeOffer(
        place.type, case.stake, place.numbers, place.which, case.how, case.by
    )
    minimum, maximum = parse(case.minimum, "minimum"), parse(case.max, "max")
    taken = stake_acceptance_and_payment_order.accept(roulette.rules(ruleset), case.phase, offer, minimum, maximum)
    answer: dict[str, Any] = {"accepted": render(taken.accepted), "handed_back": render(taken.handed_back)}
    return answer | {"why": str(taken.why)} if taken.why else answer


def spin_check(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _SpinCheck)
    checked = stake_acceptance_and_payment_order.spin_check(
        roulette.rules(ruleset), case.wheel, case.ball, case.revolutions, object_in_wheel=case.object_in_wheel
    )
    return {"valid": checked.valid, "reasons": list(checked.reasons)}


def pay_order(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    return {"order": stake_acceptance_and_payment_order.pay_order(read(inputs, _PayOrder).bets)}


_KINDS: Kinds = {
    "spin": spin,
    "limits": limits,
    "table_check": table_check,
    "accept": accept,
    "spin_check": spin_check,
    "pay_order": pay_order,
}


def kinds(ruleset: str) -> Kinds:
    """Stakes go to prison only where the player has the choice."""
    has_prison = roulette.rules(ruleset).even_chances_on_zero.rule == "choice"
    return {**_KINDS, "en_prison": en_prison} if has_prison else _KINDS
