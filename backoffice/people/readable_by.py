"""Roles that may read: the rules of the pages.

People who count a drawer or a drop must not know its expected content: `cage` and `count` read neither floor nor
tables. An administrator grants roles and reads no money; a dealer reads the signs, and their own table at the
terminal.
"""

from backoffice.kit.readers import roles

# What tables have won and lost, and every event behind it.
TABLES = roles("inspector", "pit boss", "accountant", "progressive manager", "surveillance")
# Meters and hits: a person who turns a key of a progressive sees what it is turned for.
PROGRESSIVES = roles(
    "inspector", "pit boss", "cage", "count", "accountant", "progressive manager", "surveillance", "security"
)
ACCOUNTING = roles("count", "accountant", "progressive manager", "surveillance")
# A table as who leads it does its work, and whoever takes its box away: no money that the tray or the box should hold.
PIT = roles("inspector", "pit boss", "security", "count")
# Drop boxes and their counts: no one of the pit or of surveillance counts (WA 610).
COUNTING = roles("count", "accountant")
# The cage: what it has counted, the slips it has issued; and a slip on paper, for a person who signs it.
CAGE = roles("cage", "accountant")
SLIPS = roles("cage", "accountant", "inspector", "pit boss", "security")
# The settings of the house and its chips: who asks for a change or agrees to it.
HOUSE = roles("accountant", "cage", "progressive manager", "security", "surveillance")
# The gaming day as it is closed: its figures hold what counters must not know before.
DAYS = roles("accountant", "surveillance")
# Cash by player, for a person who does the work of a compliance officer: no one who takes or gives that cash.
CASH = roles("accountant", "surveillance")
# What a person of surveillance must look at: it may be about a person who works on the floor.
WATCH = roles("surveillance")
# Whether history is what it was: what does not hold names events and amounts.
HISTORY = roles("accountant", "progressive manager", "surveillance")
# What is owed against what is funded, and what other parameters would have done.
FUNDS = roles("accountant", "progressive manager")
# What players see on the casino floor.
SIGNS = roles(
    "dealer", "inspector", "pit boss", "cage", "count", "accountant", "progressive manager", "surveillance", "security",
    displays=True,
)  # fmt: skip
# How the house runs: no money and no people.
SYSTEM = roles("administrator")
