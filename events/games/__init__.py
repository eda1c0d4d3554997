"""The games, a package each: pure rules and procedure, numbers (`rulesets/`) and clauses (`books/`) as data.

`cases`, `clauses` and `par` are what all games share: settlement cases, why a result is what it is, exact odds.
"""
