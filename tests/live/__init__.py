"""Settlement cases played at live tables: what `settle` answers, the action interface must answer, card by card.

    .venv/bin/python -m tests.live --cases 20000 --seed 7          # as many generated cases as you like
    .venv/bin/python -m tests.live --only craps-by:rolls           # one kind of one ruleset
    .venv/bin/python -m tests.live --stdin < failed.jsonl           # cases of your own, as `settle` takes them

`table` is the house with its tables, reached in this process or over HTTP; a module a game plays its kinds of cases;
`generate` makes cases; `play` brings both together and holds the answers against `settle`'s.
"""
