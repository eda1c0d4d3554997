"""Craps, Greek and Belarusian: one set of functions, driven by the ruleset's data.

    rules = craps.rules("craps-gr")
    table = craps.place(rules, craps.Table(), craps.Bet("a", "pass", 10))
    table, outcome = craps.throw(rules, table, (2, 4))     # the point is 6
    most = craps.odds_max(rules, "right", 10, 6)

`craps_rules` reads the data and a house's settings, `craps_bets` says what a bet is, `craps_rolls` what a throw does
to it, `craps_betting` what may be made, taken down and switched, `craps_limits` how large it may be, `craps_throws`
which throws count and who throws. Everything is pure; what a rule forbids raises `Refused` with its clause.
"""

from events.games.craps_bets import Bet, commission, lay, lie, win
from events.games.craps_betting import (
    Table,
    after_win,
    check_point,
    may_place,
    may_remove,
    may_switch,
    no_roll,
    offer_dice,
    place,
    remove,
    restake,
    switch,
    throw,
)
from events.games.craps_limits import (
    Limits,
    Pressed,
    TableLimits,
    check_size,
    check_table,
    combo,
    limits,
    odds_max,
    press,
)
from events.games.craps_rolls import Dice, Outcome, Resolution, next_point, roll
from events.games.craps_rules import POINTS, Rules, Settings, rules
from events.games.craps_throws import (
    Die,
    Throw,
    Turn,
    check_dice,
    check_shooter,
    missing_staff,
    next_shooter,
    pay_order,
    throw_check,
)

__all__ = [
    "POINTS",
    "Bet",
    "Dice",
    "Die",
    "Limits",
    "Outcome",
    "Pressed",
    "Resolution",
    "Rules",
    "Settings",
    "Table",
    "TableLimits",
    "Throw",
    "Turn",
    "after_win",
    "check_dice",
    "check_point",
    "check_shooter",
    "check_size",
    "check_table",
    "combo",
    "commission",
    "lay",
    "lie",
    "limits",
    "may_place",
    "may_remove",
    "may_switch",
    "missing_staff",
    "next_point",
    "next_shooter",
    "no_roll",
    "odds_max",
    "offer_dice",
    "pay_order",
    "place",
    "press",
    "remove",
    "restake",
    "roll",
    "rules",
    "switch",
    "throw",
    "throw_check",
    "win",
]
