"""A par sheet for one shoe, or of a progressive under other settings than its ruleset's."""

from fractions import Fraction
from typing import Literal

import msgspec
from msgspec.structs import replace

from events.errors import Invalid
from events.games.baccarat import par
from events.games.baccarat import rules as baccarat
from events.games.blazing7s import par as blazing7s_par
from events.games.blazing7s import rules as blazing7s
from events.games.blazing7s.funding import Play
from events.games.blazing7s.rules import PPM, Level, LevelSettings, Rules
from events.games.par import Sheet, sheet
from events.rulesets import game_of

MOST_PACKS = 16


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """Other settings of a progressive; what is None or not named stays. Rates are shares of a stake, amounts in minor
    units."""

    basis: Literal["to", "for"] | None = None
    stakes: tuple[int, int] | None = None
    withhold: Fraction | None = None
    feed: dict[Level, Fraction] = {}
    reserve: dict[Level, Fraction] = {}
    seed: dict[Level, int] = {}
    envy_to_winner: bool | None = None
    bets_a_round: Fraction | None = None
    high_share: Fraction | None = None


def tailored(ruleset: str, packs: int | None = None, what_if: WhatIf | None = None) -> Sheet:
    """The sheet for so many packs and these settings. Raises Unknown, Invalid, or Refused for other packs."""
    game = game_of(ruleset)
    if what_if is not None and what_if != WhatIf():
        if game != "blazing7s":
            raise Invalid("settings", f"rates, seeds and stakes are a progressive's; {ruleset} has none")
        return _progressive(ruleset, packs, what_if)
    if packs is None:
        return sheet(ruleset)
    if game == "baccarat":
        return _baccarat(ruleset, packs)
    if game == "blazing7s":
        return _progressive(ruleset, packs, WhatIf())
    return _one_shoe(sheet(ruleset), packs)


def _baccarat(ruleset: str, packs: int) -> Sheet:
    if not 1 <= packs <= MOST_PACKS:
        raise Invalid("packs", f"1 to {MOST_PACKS}")
    return Sheet(ruleset, tuple(par.edges_of(replace(baccarat.rules(ruleset), packs=packs))))


def _one_shoe(found: Sheet, packs: int) -> Sheet:
    """What a sheet says of one shoe, and of no shoe in particular."""
    wanted = f"{packs} packs"
    if not any(wanted in edge.condition for edge in found.edges):
        raise Invalid("packs", f"{found.ruleset} has no odds for {packs} packs")
    return Sheet(
        found.ruleset,
        tuple(edge for edge in found.edges if "packs" not in edge.condition or wanted in edge.condition),
        tuple(line for line in found.lines if wanted in line.label),
    )


def _progressive(ruleset: str, packs: int | None, what_if: WhatIf) -> Sheet:
    rules = _changed(blazing7s.rules(ruleset), what_if)
    default = Play()
    play = Play(
        bets_a_round=default.bets_a_round if what_if.bets_a_round is None else what_if.bets_a_round,
        high_share=default.high_share if what_if.high_share is None else what_if.high_share,
    )
    shoes = range(rules.packs[0], rules.packs[1] + 1) if packs is None else [packs]
    lines = tuple(line for shoe in shoes for line in blazing7s_par.lines_of(rules, shoe, play))
    return Sheet(ruleset, tuple(blazing7s_par.edge_of(rules, shoe) for shoe in shoes), lines)


def _changed(rules: Rules, what_if: WhatIf) -> Rules:
    if what_if.stakes is not None and not 0 < what_if.stakes[0] <= what_if.stakes[1]:
        raise Invalid("stakes", "a low and a high stake, both positive")
    if what_if.bets_a_round is not None and what_if.bets_a_round < 1:
        raise Invalid("bets-a-round", "at least one bet")
    named = {*what_if.feed, *what_if.reserve, *what_if.seed}
    if unknown := named - rules.levels.keys():
        raise Invalid("level", f"there is no level {min(unknown)}; there are: {', '.join(rules.levels)}")
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
        raise Invalid(field, f"{rate} is no whole number of millionths of a stake")
    return millionths.numerator
