"""The games: pure rules, one module a game, exact amounts, no I/O. `rulesets/` holds their numbers as data."""
