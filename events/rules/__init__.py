"""Rules that all games share: rulesets, cards, chips, chances, exact amounts, layouts."""
