"""Shares of a progressive stake, on average: fixed pays, pools, seeds, envy, house (BLZ-1).

Each rate is a setting of its own. The house keeps the remainder, and the sheet warns when that is less than the house
means to withhold.
"""

from decimal import Decimal
from fractions import Fraction

import msgspec

from events.error_codes import coded
from events.games.blazing7s.rules import LEVELS, PPM, BlazingRules, Level, classify, refused, settle_fixed
from events.games.par import ParLine
from events.rules.bonus_hand_counts_by_packs import all_ways, counts, probability


class PlayAssumptions(msgspec.Struct, frozen=True):
    """Assumptions about the players: bets a round, each of another player, and the share laid at the high stake."""

    bets_a_round: Fraction = Fraction(4)
    high_share: Fraction = Fraction(1, 2)


class Funding(msgspec.Struct, frozen=True):
    """Shares of the stake that sum to 1, the house's remainder, and warnings about sums that do not add up.

    `meter_when_hit`: minor units in each meter when it is won, on average; `bets_between_hits`: the average number of
    bets.
    """

    rows: tuple[ParLine, ...]
    house: Fraction
    warnings: tuple[str, ...]
    meter_when_hit: dict[str, Fraction]
    bets_between_hits: dict[str, Fraction]


def funding(rules: BlazingRules, packs: int, play: PlayAssumptions | None = None) -> Funding:
    """The sheet for one shoe. Raises Refused for another number of packs.

    Each hit is taken to need a seed of its own, which is a little too much where two share a meter. A reserve pays its
    level's seeds as far as its rate reaches, the house the rest.
    """
    if not rules.packs[0] <= packs <= rules.packs[1]:
        raise refused("P.1", coded("packs-outside-range", least=rules.packs[0], most=rules.packs[1], packs=packs), "L9")
    play = play or PlayAssumptions()
    odds = {level: probability(classify, packs, level) for level in LEVELS}
    stake = _mean(play, rules.stakes)
    rows = [
        ParLine(
            "fixed pays", fixed_return(rules, packs), f"{', '.join(map(str, rules.pays.values()))} {rules.basis} 1"
        ),
        *_pools(rules),
        ParLine("seeds", _seeds(rules, odds, stake), "paid by the house, beyond what the reserves pay"),
        ParLine("envy", _envy(rules, odds, play) / stake, f"{play.bets_a_round} bets a round"),
    ]
    house = 1 - sum((row.share for row in rows), start=Fraction(0))
    return Funding(
        (*rows, ParLine("house", house, f"means to withhold {percent(Fraction(rules.withhold_ppm, PPM))}")),
        house,
        tuple(_warnings(rules, rows[0].share, house)),
        {
            level: level_rules.seed + Fraction(level_rules.feed_ppm, PPM) * stake / odds[level]
            for level, level_rules in rules.levels.items()
        },
        {level: 1 / odds[level] for level in LEVELS},
    )


def fixed_return(rules: BlazingRules, packs: int) -> Fraction:
    """Return the average payout of the fixed pays for each unit collected (BLZ-2: N + 1 with "to", N with "for")."""
    paid = sum(
        ways * settle_fixed(rules, hand_class, 1)[1]
        for hand_class, ways in counts(classify, packs).items()
        if hand_class not in LEVELS
    )
    return Fraction(paid, all_ways(packs))


def percent(share: Fraction) -> str:
    """A share in words, to a hundredth of a per cent."""
    return f"{Decimal(round(share * 10_000)) / 100:.2f} %"


def _mean(play: PlayAssumptions, columns: tuple[int, int]) -> Fraction:
    low, high = columns
    return low + (high - low) * play.high_share


def _pools(rules: BlazingRules) -> list[ParLine]:
    rows = []
    for level in LEVELS:
        level_rules = rules.levels[level]
        rows.append(ParLine(f"{level} meter", Fraction(level_rules.feed_ppm, PPM)))
        if level_rules.reserve_ppm:
            rows.append(ParLine(f"{level} reserve", Fraction(level_rules.reserve_ppm, PPM), "pays the next seed"))
    return rows


def _seeds(rules: BlazingRules, odds: dict[Level, Fraction], stake: Fraction) -> Fraction:
    """Return the house's cost to restart the meters, as a share of the stake."""
    due = Fraction(0)
    for level, level_rules in rules.levels.items():
        due += max(Fraction(0), odds[level] * level_rules.seed / stake - Fraction(level_rules.reserve_ppm, PPM))
    return due


def _envy(rules: BlazingRules, odds: dict[Level, Fraction], play: PlayAssumptions) -> Fraction:
    """Return the envy due for one bet, in minor units: for each hit, the columns of all other players."""
    others = play.bets_a_round - (0 if rules.envy_to_winner else 1)
    return sum((odds[level] * others * _mean(play, rules.envy[level]) for level in LEVELS), start=Fraction(0))


def _warnings(rules: BlazingRules, fixed_share: Fraction, house: Fraction) -> list[str]:
    contribution = sum(level_rules.feed_ppm + level_rules.reserve_ppm for level_rules in rules.levels.values())
    withhold = Fraction(rules.withhold_ppm, PPM)
    warnings = [
        f"the {name}, {percent(Fraction(rate, PPM))}, is not within {percent(Fraction(band[0], PPM))} to "
        f"{percent(Fraction(band[1], PPM))}"
        for name, rate, band in (
            ("contribution rate", contribution, rules.contribution_band_ppm),
            ("rate withheld", rules.withhold_ppm, rules.withhold_band_ppm),
        )
        if not band[0] <= rate <= band[1]
    ]
    promised = fixed_share + Fraction(contribution, PPM) + withhold
    if promised > 1:
        warnings.append(f"fixed pays, pools and the house's share are {percent(promised)} of the stakes")
    if house < withhold:
        warnings.append(
            f"after seeds and envy the house is left with {percent(house)}, not the {percent(withhold)} withheld"
        )
    return warnings
