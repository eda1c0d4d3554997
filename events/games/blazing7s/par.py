"""Par sheet of blazing7s: the odds of every hand, counted through `blazing7s.classify`, and where the stakes go."""

from functools import cache

from events.games.blazing7s import rules as blazing7s
from events.games.blazing7s.rules import CLASSES, BlazingRules, classify
from events.games.blazing7s.stake_split_for_par_sheet import PlayAssumptions, fixed_return, funding
from events.games.par import Edge, ParLine
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


def _shoes(rules: BlazingRules) -> range:
    return range(rules.packs[0], rules.packs[1] + 1)
