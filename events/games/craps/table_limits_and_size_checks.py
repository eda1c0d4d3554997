"""Sizes of craps bets: limits that the ruleset allows, derived limits, odds, commissions, presses."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, find, paid
from events.games.craps.lawful_bet_changes import BettingTable
from events.games.craps.ruleset import BetGroup, BetShape, CrapsRules, OddsLimit
from events.games.craps.ruleset import LimitRules as LimitRules
from events.rules.exact_amount_parsing import Amount, simple

Choice: TypeAlias = Literal["same", "press", "down"]
Band: TypeAlias = tuple[Amount, Amount]


class AllowedLimits(Struct, frozen=True):
    """Allowed limits of a table: its maximum, the band of each multiple chance's maximum, the place bets' maxima."""

    valid: bool
    table_max: int = 0
    multi: dict[str, Band] = {}
    place: dict[str, dict[int, Amount]] = {}


class TableLimits(Struct, frozen=True):
    """The limits in force at one table.

    `minimum`, and the `maximum` of the even chances. The house's maxima by group (of `Limits.multi`) or by bet (None:
    no maximum). `minima` of bets that have their own. `chip` is the table's smallest denomination, the unit of limits
    in chips.
    """

    minimum: int = 1
    maximum: int | None = None
    maxima: Mapping[str, int] = {}
    minima: Mapping[str, int] = {}
    chip: int = 1


class PressResult(Struct, frozen=True):
    """A winning place bet after the player's choice: its win, the stake left, the money in hand."""

    profit: Amount
    stake_after: Amount
    to_player: Amount


def limits(rules: CrapsRules, minimum: int, multiple: int) -> AllowedLimits:
    """Return the limits for a table's minimum and its maximum as a multiple of it. [craps-gr L.1, L.2, L.5, L.6]

    The limits are not valid outside the allowed multiples. Raises Invalid for a minimum that is not positive, Refused
    where the ruleset has no limits in figures.
    """
    data = _limit_rules(rules)
    if minimum <= 0:
        raise Invalid("minimum", coded("minimum-invalid", amount=str(minimum)))
    least, most = data.multiple
    if not least <= multiple <= most:
        return AllowedLimits(valid=False)
    maximum = minimum * multiple
    return AllowedLimits(
        valid=True,
        table_max=maximum,
        multi={name: _band(rules, data, group, maximum) for name, group in data.groups.items()},
        place={
            bet: {at: paid(maximum, percent, 100) for at, percent in by.items()} for bet, by in data.percent.items()
        },
    )


def odds_max(rules: CrapsRules, side: Literal["right", "wrong"], flat: Amount, number: int, chip: int = 1) -> Amount:
    """Return the largest odds on a flat bet. [craps-gr L.3-L.4, GRC-1; craps-by B.2, BYC-8]

    `chip` is the value of one chip, where the ruleset rounds up to whole chips.
    """
    limit = rules.data.odds_limits.get(side)
    if limit is None:
        raise rules.refused(rules.where("odds_side"), coded("no-odds-on-dont"))
    reference = _where(limit)
    if number not in (limit.percent or limit.next_multiple):
        raise rules.refused(reference, coded("not-a-point", point=str(number)))
    if flat <= 0:
        raise Invalid("flat", coded("amount-is-no-stake", amount=str(flat)))
    return _odds_of(limit, flat, number, chip)


def press(rules: CrapsRules, number: int, stake: int, choice: Choice) -> PressResult:
    """Return a place bet after its win: unchanged, pressed (doubled, the rest of the win paid) or down. [craps-by B.6]

    Raises Refused where the ruleset has no press or the number no place bet; Invalid for no stake or no choice.
    """
    if rules.data.press is None:
        raise rules.refused(rules.where("press"), coded("no-press"))
    shape = rules.bet(rules.data.press.bet)
    if number not in shape.odds:
        raise rules.refused(shape.where, coded("bet-not-on-number", wager=shape.name, number=number))
    if stake <= 0:
        raise Invalid("stake", coded("amount-is-no-stake", amount=str(stake)))
    profit = paid(stake, *shape.odds[number])
    if choice == "same":
        return PressResult(profit, stake, profit)
    if choice == "press":
        return PressResult(profit, 2 * stake, simple(profit - stake))
    if choice == "down":
        return PressResult(profit, 0, simple(profit + stake))
    raise Invalid("choice", coded("choice-needed"))


def combo(rules: CrapsRules, name: str, unit: int) -> dict[int, int]:
    """Return the place bets of a combination: outside, inside or across, 5 (on 6 and 8: 6) to a unit. [craps-by B.6]

    Raises Refused for an unknown combination, Invalid for a unit that is not positive.
    """
    combinations_by_name = rules.data.press.combinations if rules.data.press else {}
    if name not in combinations_by_name:
        raise rules.refused(rules.where("press"), coded("combination-unknown", name=name))
    if unit <= 0:
        raise Invalid("unit", coded("unit-invalid", unit=str(unit)))
    return {number: chips * unit for number, chips in combinations_by_name[name].items()}


def check_table(rules: CrapsRules, table: TableLimits) -> None:
    """Check that a casino's limits keep to the ruleset. Raises Refused with the clause, or Invalid for an impossible
    limit."""
    if table.minimum <= 0 or (table.maximum is not None and table.maximum < table.minimum):
        raise Invalid("limits", coded("limits-invalid"))
    if rules.data.limits is None or table.maximum is None:
        return
    allowed = rules.data.limits.multiple
    if not allowed[0] * table.minimum <= table.maximum <= allowed[1] * table.minimum:
        raise rules.refused(
            rules.where("table_maximum"), coded("table-maximum-band", least=allowed[0], most=allowed[1])
        )
    for name, chosen in table.maxima.items():
        if name in rules.data.limits.groups:
            least, most = _band(rules, rules.data.limits, rules.data.limits.groups[name], table.maximum)
            if not least <= chosen <= most:
                raise rules.refused(
                    rules.where("win_band"), coded("win-maximum-band", wager=name, minimum=least, maximum=most)
                )


def check_size(rules: CrapsRules, limits: TableLimits, table: BettingTable, bet: CrapsBet, already: Amount = 0) -> None:
    """Check that a bet keeps to the table's limits; `already` is its player's stake on the same place.

    Raises Refused: under the minimum, over the maximum, odds over their flat bet's, no whole multiple of chips. Odds
    have no minimum of their own.
    """
    shape = rules.bet(bet.type)
    chips = shape.rule.multiple_of.get(bet.number or 0)
    if chips and bet.stake % (chips * limits.chip):
        raise not_in_multiples(rules, shape, bet.number or 0, limits.chip)
    reference = rules.where("table_maximum")
    if shape.rule.form == "odds":
        base = find(table.bets, bet.base or "")
        most: Amount | None = odds_max(rules, shape.rule.side, base.stake, bet.number or 0, limits.chip)
        reference = _where(rules.data.odds_limits[shape.rule.side])
    else:
        most = _maximum(rules, limits, shape, bet)
        least = limits.minima.get(bet.type, limits.minimum)
        if bet.stake + already < least:
            raise rules.refused(reference, coded("stake-under-minimum", stake=bet.stake, minimum=least))
    if most is not None and bet.stake + already > most:
        raise rules.refused(
            reference, coded("stake-over-maximum", stake=simple(bet.stake + already), maximum=most, wager=bet.type)
        )


def not_in_multiples(rules: CrapsRules, shape: BetShape, number: int, chip: int) -> Refused:
    """Return the refusal of a stake that is no whole multiple of the bet's chips, each worth `chip`."""
    chips = shape.rule.multiple_of[number]
    message = coded("stake-not-in-multiples", wager=shape.name, number=number, chips=chips, chip=chip)
    return rules.refused(shape.where, message)


def _where(limit: OddsLimit) -> str:
    return f"{limit.clause}|{limit.source}|{limit.reading}"


def _maximum(rules: CrapsRules, limits: TableLimits, shape: BetShape, bet: CrapsBet) -> Amount | None:
    """Return the bet's maximum: the casino's own, else the ruleset's by the table's, else the table's."""
    if bet.type in limits.maxima:
        return limits.maxima[bet.type]
    data = rules.data.limits
    if data is None or limits.maximum is None:
        return limits.maximum
    for name, group in data.groups.items():
        if bet.type in group.bets and (shape.rule.form != "hardway" or bet.number in group.numbers):
            return limits.maxima.get(name, _band(rules, data, group, limits.maximum)[1])
    percent = data.percent.get(bet.type, {}).get(bet.number or 0, 100)
    return paid(limits.maximum, percent, 100)


def _band(rules: CrapsRules, data: LimitRules, group: BetGroup, maximum: int) -> Band:
    """Return the band of stakes: from a win like the even chances' maximum to three times that."""
    profit, per = rules.bet(group.bets[0]).odds[group.numbers[0]]
    low, high = data.win_band
    return paid(low * maximum, per, profit), paid(high * maximum, per, profit)


def _odds_of(limit: OddsLimit, flat: Amount, number: int, chip: int) -> Amount:
    if limit.percent:
        return paid(flat, limit.percent[number], 100)
    step = limit.next_multiple[number] * chip
    return -(-Fraction(flat) // step) * step


def _limit_rules(rules: CrapsRules) -> LimitRules:
    if rules.data.limits is None:
        raise rules.refused(rules.where("table_maximum"), coded("no-limits-in-figures"))
    return rules.data.limits
