"""The kinds of cases of craps: JSON in, the functions that settle at the table, JSON out."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec
from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid, PitledgerError
from events.games.cases import CaseInputs, Kinds, read
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, lie
from events.games.craps.craps_bet_struct_and_validity import commission as craps_commission
from events.games.craps.lawful_bet_changes import BettingTable, check_point, no_roll, offer_dice, place, remove, switch
from events.games.craps.lawful_bet_changes import throw as craps_throw
from events.games.craps.roll_results import Resolution, ThrowOutcome
from events.games.craps.ruleset import CrapsRules, CrapsSettings
from events.games.craps.ruleset import rules as craps_rules
from events.games.craps.table_limits_and_size_checks import combo as craps_combo
from events.games.craps.table_limits_and_size_checks import limits as craps_limits
from events.games.craps.table_limits_and_size_checks import odds_max as craps_odds_max
from events.games.craps.table_limits_and_size_checks import press as craps_press
from events.games.craps.throw_validity_and_next_shooter import Throw, next_shooter, throw_check
from events.rules.exact_amount_parsing import render


class _Rolls(Struct, frozen=True):
    bets: list[CrapsBet]
    rolls: list[tuple[int, int]]
    point: int | None = None
    options: CrapsSettings = CrapsSettings()


class _Session(Struct, frozen=True):
    events: list[dict[str, Any]]
    point: int | None = None
    bets: list[CrapsBet] = []
    options: CrapsSettings = CrapsSettings()


class _Working(Struct, frozen=True):
    bet: str
    on: bool


class _Limits(Struct, frozen=True):
    minimum: int
    multiple: int


class _OddsMax(Struct, frozen=True):
    flat: int
    number: int
    side: Literal["right", "wrong"]


class _Press(Struct, frozen=True):
    number: int
    stake: int
    choice: Literal["same", "press", "down"]


class _Combo(Struct, frozen=True):
    name: str
    unit: int


class _Shooter(Struct, frozen=True):
    seats: list[str]
    current: str | None = None
    dice_pass: bool = False
    declines: list[str] = []


def rolls(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Settle throw after throw on the given bets."""
    case = read(inputs, _Rolls)
    rules = craps_rules(ruleset, case.options)
    table = BettingTable(check_point(case.point), lie(rules, case.point, case.bets))
    answers = []
    for dice in case.rolls:
        table, outcome = craps_throw(rules, table, dice)
        answers.append(_outcome(outcome))
    return {"rolls": answers, "on_table": _ids(table)}


def session(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Make, take down and switch bets between throws. A forbidden change is not accepted and changes nothing."""
    case = read(inputs, _Session)
    rules = craps_rules(ruleset, case.options)
    table = BettingTable(check_point(case.point), lie(rules, case.point, case.bets))
    answers = []
    for event in case.events:
        table, answer = _step(rules, table, event)
        answers.append(answer)
    return {"events": answers, "on_table": _ids(table)}


def limits(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """The band of every maximum that a minimum and a multiple allow."""
    case = read(inputs, _Limits)
    allowed = craps_limits(craps_rules(ruleset), case.minimum, case.multiple)
    if not allowed.valid:
        return {"valid": False}
    places = {bet: {str(at): render(most) for at, most in by.items()} for bet, by in allowed.place.items()}
    multi = {name: [render(least), render(most)] for name, (least, most) in allowed.multi.items()}
    return {"valid": True, "table_max": allowed.table_max, "multi": multi, **places}


def odds_max(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Return the largest odds: an amount, or whole chips where the ruleset counts so."""
    case = read(inputs, _OddsMax)
    rules = craps_rules(ruleset)
    most = render(craps_odds_max(rules, case.side, case.flat, case.number))
    return {"odds" if rules.data.odds_limits[case.side].next_multiple else "odds_max": most}


def press(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """A winning place bet after the player's choice."""
    case = read(inputs, _Press)
    done = craps_press(craps_rules(ruleset), case.number, case.stake, case.choice)
    return {
        "profit": render(done.profit),
        "stake_after": render(done.stake_after),
        "to_player": render(done.to_player),
    }


def combo(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """The place bets of a named combination."""
    case = read(inputs, _Combo)
    return {"bets": {str(number): stake for number, stake in _combo(ruleset, case).items()}}


def throw(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Return whether a throw counts, and why not."""
    reasons = throw_check(craps_rules(ruleset), read(inputs, Throw))
    return {"valid": not reasons, "reasons": reasons}


def shooter(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Return the shooter."""
    case = read(inputs, _Shooter)
    turn = next_shooter(case.seats, case.current, case.declines, dice_pass=case.dice_pass)
    if turn.shooter is None:
        return {"shooter": None}
    return {"shooter": turn.shooter, "line_bet_needed": turn.line_bet_needed}


def _combo(ruleset: str, case: _Combo) -> dict[int, int]:
    return craps_combo(craps_rules(ruleset), case.name, case.unit)


_Step = tuple[BettingTable, dict[str, Any]]


def _step(rules: CrapsRules, table: BettingTable, event: dict[str, Any]) -> _Step:
    step_names = [name for name in _STEPS if name in event]
    if len(step_names) != 1:
        raise Invalid("events", coded("step-needed", steps=list(_STEPS)))
    return _STEPS[step_names[0]](rules, table, event[step_names[0]])


def _place(rules: CrapsRules, table: BettingTable, inputs: Any) -> _Step:
    try:
        after = place(rules, table, _convert(inputs, CrapsBet))
    except PitledgerError:
        return table, {"accepted": False}
    bet = next(bet for bet in after.bets if bet.id == inputs["id"])
    commission = craps_commission(rules, bet)
    return after, {"accepted": True, **({"commission": render(commission)} if commission else {})}


def _remove(rules: CrapsRules, table: BettingTable, inputs: Any) -> _Step:
    try:
        after, returned = remove(rules, table, _convert(inputs, str))
    except PitledgerError:
        return table, {"accepted": False}
    return after, {"accepted": True, "returned": render(returned)}


def _working(rules: CrapsRules, table: BettingTable, inputs: Any) -> _Step:
    try:
        wish = _convert(inputs, _Working)
        return switch(rules, table, wish.bet, wish.on), {"accepted": True}
    except PitledgerError:
        return table, {"accepted": False}


def _offer_dice(rules: CrapsRules, table: BettingTable, inputs: Any) -> _Step:
    return offer_dice(table) if inputs else table, {}


def _no_roll(rules: CrapsRules, table: BettingTable, inputs: Any) -> _Step:
    return no_roll(table), {"void": True, "point_after": table.point, "on_table": _ids(table)}


def _roll(rules: CrapsRules, table: BettingTable, inputs: Any) -> _Step:
    after, outcome = craps_throw(rules, table, _convert(inputs, tuple[int, int]))
    return after, _outcome(outcome)


_STEPS: dict[str, Callable[[CrapsRules, BettingTable, Any], _Step]] = {
    "place": _place,
    "remove": _remove,
    "working": _working,
    "offer_dice": _offer_dice,
    "no_roll": _no_roll,
    "roll": _roll,
}


def _convert(inputs: Any, shape: Any) -> Any:
    try:
        return msgspec.convert(inputs, shape)
    except msgspec.ValidationError as error:
        raise Invalid("events", coded("case-invalid", why=str(error))) from error


def _outcome(outcome: ThrowOutcome) -> dict[str, Any]:
    return {
        "total": outcome.total,
        "come_out": outcome.come_out,
        "point_after": outcome.point_after,
        "seven_out": outcome.seven_out,
        "resolutions": [_resolution(done) for done in outcome.resolutions],
    }


def _resolution(done: Resolution) -> dict[str, Any]:
    answer: dict[str, Any] = {"bet": done.bet, "outcome": done.outcome, "profit": render(done.profit)}
    if done.number is not None:
        answer["number"] = done.number
    if done.commission:
        answer["commission"] = render(done.commission)
    return answer


def _ids(table: BettingTable) -> list[str]:
    return [bet.id for bet in table.bets]


def kinds(ruleset: str) -> Kinds:
    """Return the kinds of cases of a ruleset: those that it has figures or words for."""
    data = craps_rules(ruleset).data
    answers: list[Any] = [rolls, session, odds_max, throw, shooter]
    if data.limits is not None:
        answers.append(limits)
    if data.press is not None:
        answers += [press, combo]
    return {answer.__name__: answer for answer in answers}
