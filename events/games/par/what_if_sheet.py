"""A par sheet for one shoe, or of a progressive under other settings than its ruleset's."""

from fractions import Fraction
from typing import Literal

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.games.par import ParSheet, sheet
from events.rules.game_declaration_and_registry import of_ruleset
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.event_types.progressive import Level


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """Other settings of a progressive; settings that are None or not named stay unchanged. Rates are shares of a stake,
    amounts in minor units.
    """

    basis: Literal["to", "for"] | None = None
    stakes: tuple[int, int] | None = None
    withhold: Fraction | None = None
    feed: dict[Level, Fraction] = {}
    reserve: dict[Level, Fraction] = {}
    seed: dict[Level, int] = {}
    envy_to_winner: bool | None = None
    bets_a_round: Fraction | None = None
    high_share: Fraction | None = None


def tailored(ruleset: Numbers, packs: int | None = None, what_if: WhatIf | None = None) -> ParSheet:
    """The sheet for so many packs and these settings. Raises Unknown, Invalid, or Refused for other packs."""
    game = of_ruleset(str(ruleset))
    if what_if is not None and what_if != WhatIf():
        if game.supposing is None:
            raise Invalid("settings", coded("par-without-progressive", ruleset=str(ruleset)))
        return _sheet(game.supposing(ruleset, packs, what_if))
    if packs is None:
        return sheet(ruleset)
    return _sheet(game.for_packs(ruleset, packs)) if game.for_packs else _one_shoe(sheet(ruleset), packs)


def _sheet(par_sheet: ParSheet) -> ParSheet:
    return par_sheet


def _one_shoe(par_sheet: ParSheet, packs: int) -> ParSheet:
    """Return the part of a sheet for one shoe, and the part for no shoe in particular."""
    wanted = f"{packs} packs"
    if not any(wanted in edge.condition for edge in par_sheet.edges):
        raise Invalid("packs", coded("par-packs-unknown", ruleset=par_sheet.ruleset, packs=packs))
    return ParSheet(
        par_sheet.ruleset,
        tuple(edge for edge in par_sheet.edges if "packs" not in edge.condition or wanted in edge.condition),
        tuple(line for line in par_sheet.lines if wanted in line.label),
    )
