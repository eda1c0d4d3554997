"""The games, a package each: pure rules and procedure, numbers (`rulesets/`) and clauses (`books/`) as data.

`cases`, `clauses` and `par` serve all games: settlement cases, clauses behind a result, exact odds.
"""
