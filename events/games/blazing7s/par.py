"""Par sheet of blazing7s: the odds of every hand, counted through `blazing7s.classify`, and where the stakes go; also
under other settings than those of the ruleset.

A progressive stake goes to fixed pays, pools, seeds, envy and the house (BLZ-1), on average. Each rate is a setting of
its own. The house keeps the remainder, and the sheet warns when that is less than the house means to withhold.
"""

from decimal import Decimal
from fractions import Fraction
from functools import cache

import msgspec
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid
from events.games.blazing7s import rules as blazing7s
from events.games.blazing7s.rules import (
    CLASSES,
    LEVELS,
    PPM,
    BlazingRules,
    Level,
    LevelSettings,
    classify,
    refused,
    settle_fixed,
)
from events.games.par import Edge, ParLine, ParSheet, WhatIf
from events.rules.bonus_hand_counts_by_packs import all_ways, counts, probability
from events.rules.taken_ruleset_version_struct import Numbers


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


@cache
def edges(ruleset: Numbers) -> list[Edge]:
    """Return the house's share of a stake before meters, seeds and envy, for each shoe."""
    rules = blazing7s.rules(ruleset)
    return [edge_of(rules, packs) for packs in _shoes(rules)]


def lines(ruleset: Numbers) -> list[ParLine]:
    """The odds of each hand, then where 100 % of the stake goes with the ruleset's settings, for each shoe."""
    rules = blazing7s.rules(ruleset)
    return [line for packs in _shoes(rules) for line in lines_of(rules, packs)]


def edge_of(rules: BlazingRules, packs: int) -> Edge:
    """The edge of one shoe."""
    return Edge(
        rules.name,
        "blazing7s",
        1 - fixed_return(rules, packs),
        1 - probability(classify, packs, "none"),
        f"{packs} packs, fixed pays {rules.basis} 1",
        note="meters, seeds and envy apart",
    )


def lines_of(rules: BlazingRules, packs: int, play: PlayAssumptions | None = None) -> list[ParLine]:
    """The lines of one shoe, under these settings and this play. Raises Refused for another number of packs."""
    sheet = funding(rules, packs, play)
    return [
        *(ParLine(f"{packs} packs: {hand}", probability(classify, packs, hand), "of the bets") for hand in CLASSES),
        *(ParLine(f"{packs} packs: {row.label}", row.share, row.note) for row in sheet.rows),
        *(ParLine(f"{packs} packs: warning", sheet.house, warning) for warning in sheet.warnings),
    ]


def for_packs(ruleset: Numbers, packs: int) -> ParSheet:
    """The sheet of one shoe. Raises Refused for another number of packs than is played."""
    return what_if_sheet(ruleset, packs, WhatIf())


def what_if_sheet(ruleset: Numbers, packs: int | None, what_if: WhatIf) -> ParSheet:
    """The sheet under these settings, for one shoe or all. Raises Invalid."""
    rules = _changed(blazing7s.rules(ruleset), what_if)
    default = PlayAssumptions()
    play = PlayAssumptions(
        bets_a_round=default.bets_a_round if what_if.bets_a_round is None else what_if.bets_a_round,
        high_share=default.high_share if what_if.high_share is None else what_if.high_share,
    )
    shoes = _shoes(rules) if packs is None else [packs]
    lines = tuple(line for shoe in shoes for line in lines_of(rules, shoe, play))
    return ParSheet(str(ruleset), tuple(edge_of(rules, shoe) for shoe in shoes), lines)


def _shoes(rules: BlazingRules) -> range:
    return range(rules.packs[0], rules.packs[1] + 1)


def _changed(rules: BlazingRules, what_if: WhatIf) -> BlazingRules:
    if what_if.stakes is not None and not 0 < what_if.stakes[0] <= what_if.stakes[1]:
        raise Invalid("stakes", coded("stakes-needed"))
    if what_if.bets_a_round is not None and what_if.bets_a_round < 1:
        raise Invalid("bets-a-round", coded("bets-a-round-needed"))
    named = {*what_if.feed, *what_if.reserve, *what_if.seed}
    if unknown := named - rules.levels.keys():
        raise Invalid("level", coded("level-unknown-use", level=min(unknown), levels=list(rules.levels)))
    levels = {name: _level(level, name, what_if) for name, level in rules.levels.items()}
    return replace(
        rules,
        levels=levels,
        basis=what_if.basis or rules.basis,
        stakes=what_if.stakes or rules.stakes,
        withhold_ppm=rules.withhold_ppm if what_if.withhold is None else _ppm("withhold", what_if.withhold),
        envy_to_winner=rules.envy_to_winner if what_if.envy_to_winner is None else what_if.envy_to_winner,
    )


def _level(level: LevelSettings, name: Level, what_if: WhatIf) -> LevelSettings:
    return LevelSettings(
        seed=what_if.seed.get(name, level.seed),
        feed_ppm=_ppm("feed", what_if.feed[name]) if name in what_if.feed else level.feed_ppm,
        reserve_ppm=_ppm("reserve", what_if.reserve[name]) if name in what_if.reserve else level.reserve_ppm,
    )


def _ppm(field: str, rate: Fraction) -> int:
    millionths = rate * PPM
    if millionths.denominator != 1:
        raise Invalid(field, coded("rate-not-whole-ppm", rate=str(rate)))
    return millionths.numerator
