"""Roles that may read: the rules of the pages.

People who count a drawer or a drop must not know its expected content: `cage` and `count` read neither floor nor
tables. An administrator grants roles and reads no money; a dealer reads the signs, and their own table at the
terminal.
"""

from backoffice.kit.reader_and_read_rule_types import roles

# Wins and losses of tables, and every event behind them.
TABLES = roles("inspector", "pit boss", "accountant", "progressive manager", "surveillance")
# Meters and hits: a person who turns a key of a progressive sees its figures.
PROGRESSIVES = roles(
    "inspector", "pit boss", "cage", "count", "accountant", "progressive manager", "surveillance", "security"
)
ACCOUNTING = roles("count", "accountant", "progressive manager", "surveillance")
# A table for the people who lead it or remove its box: without the expected money of tray or box.
PIT = roles("inspector", "pit boss", "security", "count")
# Drop boxes and their counts: no one of the pit or of surveillance counts (WA 610).
COUNTING = roles("count", "accountant")
# The cage: its counts and its slips; and a slip on paper, for a person who signs it.
CAGE = roles("cage", "accountant")
SLIPS = roles("cage", "accountant", "inspector", "pit boss", "security")
# The settings of the house and its chips: people who request or approve a change.
HOUSE = roles("accountant", "cage", "progressive manager", "security", "surveillance")
# The gaming day at its close: its figures contain amounts that counters must not know before.
DAYS = roles("accountant", "surveillance")
# Cash by player, for a person who does the work of a compliance officer: no one who takes or gives that cash.
CASH = roles("accountant", "surveillance")
# Alerts for people of surveillance: they may concern a person who works on the floor.
WATCH = roles("surveillance")
# The same on a wall: also a screen that a person of surveillance set up.
WALLS = roles("surveillance", walls=True)
# Drawn inspections, once they are public, and their findings.
INSPECTIONS = roles("inspector", "pit boss", "accountant", "surveillance", "security")
# Integrity of the history: its findings name events and amounts.
HISTORY = roles("accountant", "progressive manager", "surveillance")
# Liability against funds, and the effect of other parameters.
FUNDS = roles("accountant", "progressive manager")
# Signs for players on the casino floor.
SIGNS = roles(
    "dealer", "inspector", "pit boss", "cage", "count", "accountant", "progressive manager", "surveillance", "security",
    displays=True,
)  # fmt: skip
# How the house runs: no money and no people.
SYSTEM = roles("administrator")
