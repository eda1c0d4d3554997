"""The layouts of the report, by number, and the rules that each of them was the first to have.

A closed day is computed again by the rules of the layout that it was closed with (docs/adr/0101).
"""

BUYINS_BY_BOX = 3  # a buy-in over the box of an earlier shift is compared with that box
CAGE_FROM_OPENING = 3  # the cage's expected figures begin with its opening count
VARIANCE_BY_REASON = 3  # the journal posts a paid variance by its reason
CURRENCY_ALWAYS = 3  # the property's currency, also before a table has opened
REASON_IN_ANY_SCRIPT = 4  # the account of a paid variance has the letters of its reason in any script
LAST = 4
