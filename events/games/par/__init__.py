"""Par sheets: the exact odds of every bet, computed by the same functions that settle it at the table.

A game (`events/rules/game_declaration_and_registry.py`) gives the `edges` of its rulesets and, where
more must be shown than edges (where a progressive stake goes), `lines`.
"""

from fractions import Fraction
from typing import Literal

import msgspec

from events.error_codes import coded
from events.errors import Unknown
from events.rules.game_declaration_and_registry import game_of, installed
from events.rules.taken_ruleset_version_struct import Numbers


class Edge(msgspec.Struct, frozen=True):
    """The house's advantage on one bet: its average gain, as a share of the stake.

    `condition` tells several edges of a bet apart (a number, a rule in force; "" for a single one). `per` names the
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
    """All that can be said exactly about one ruleset."""

    ruleset: str
    edges: tuple[Edge, ...]
    lines: tuple[ParLine, ...] = ()


def sheet(ruleset: Numbers) -> ParSheet:
    """The par sheet of a ruleset, whose name begins with its game's. Raises Unknown."""
    if (game := installed().get(game_of(str(ruleset)))) is None:
        raise Unknown(coded("par-sheet-unknown", ruleset=str(ruleset), games=list(installed())))
    return ParSheet(str(ruleset), tuple(game.edges(ruleset)), tuple(game.lines(ruleset)) if game.lines else ())
