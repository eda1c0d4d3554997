"""Par sheet of blazing7s: the odds of every hand, counted through `blazing7s.classify`, and where the stakes go; also
under other settings than those of the ruleset."""

from fractions import Fraction
from functools import cache

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid
from events.games.blazing7s import rules as blazing7s
from events.games.blazing7s.rules import CLASSES, PPM, BlazingRules, Level, LevelSettings, classify
from events.games.blazing7s.stake_split_for_par_sheet import PlayAssumptions, fixed_return, funding
from events.games.par import Edge, ParLine, ParSheet, WhatIf
from events.rules.bonus_hand_counts_by_packs import probability
from events.rules.taken_ruleset_version_struct import Numbers


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
    return supposing(ruleset, packs, WhatIf())


def supposing(ruleset: Numbers, packs: int | None, what_if: WhatIf) -> ParSheet:
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
