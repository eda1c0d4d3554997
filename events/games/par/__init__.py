"""Par sheets: the exact odds of every bet, computed by the same functions that settle it at the table.

A game (`events/rules/game_declaration_and_registry.py`) gives the `edges` of its rulesets and, where
more must be shown than edges (where a progressive stake goes), `lines`. A sheet is also made for one shoe, and of a
progressive under other settings than its ruleset's (`sheet_for`).
"""

from fractions import Fraction
from typing import Literal

import msgspec

from events.error_codes import coded
from events.errors import Invalid, Unknown
from events.rules.game_declaration_and_registry import game_of, installed, of_ruleset
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.event_types.progressive import Level


class Edge(msgspec.Struct, frozen=True):
    """The house's advantage on one bet: its average gain, as a share of the stake.

    `condition` distinguishes several edges of a bet (a number, a rule in force; "" for a single one). `per` names the
    base of the share: the "stake" as laid, the "decided" stakes without pushes, or the whole "outlay" of stake and
    commission. `hit` is the probability that the bet wins. A negative edge is the player's advantage.
    """

    ruleset: str
    bet: str
    edge: Fraction
    hit: Fraction
    condition: str = ""
    per: Literal["stake", "decided", "outlay"] = "stake"
    note: str = ""


class ParLine(msgspec.Struct, frozen=True):
    """One more figure of a sheet: a share of the stake, or of the quantity in `note`."""

    label: str
    share: Fraction
    note: str = ""


class ParSheet(msgspec.Struct, frozen=True):
    """All exact figures of one ruleset."""

    ruleset: str
    edges: tuple[Edge, ...]
    lines: tuple[ParLine, ...] = ()


def sheet(ruleset: Numbers) -> ParSheet:
    """The par sheet of a ruleset, whose name begins with its game's. Raises Unknown."""
    if (game := installed().get(game_of(str(ruleset)))) is None:
        raise Unknown(coded("par-sheet-unknown", ruleset=str(ruleset), games=list(installed())))
    return ParSheet(str(ruleset), tuple(game.edges(ruleset)), tuple(game.lines(ruleset)) if game.lines else ())


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


def sheet_for(ruleset: Numbers, packs: int | None = None, what_if: WhatIf | None = None) -> ParSheet:
    """The sheet for so many packs and these settings. Raises Unknown, Invalid, or Refused for other packs."""
    game = of_ruleset(str(ruleset))
    if what_if is not None and what_if != WhatIf():
        if game.supposing is None:
            raise Invalid("settings", coded("par-without-progressive", ruleset=str(ruleset)))
        changed: ParSheet = game.supposing(ruleset, packs, what_if)
        return changed
    if packs is None:
        return sheet(ruleset)
    if game.for_packs is None:
        return _one_shoe(sheet(ruleset), packs)
    of_shoe: ParSheet = game.for_packs(ruleset, packs)
    return of_shoe


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
