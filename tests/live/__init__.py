"""Settlement cases at live tables: the API must give the same answers as `settle`, card by card.

To play generated cases, only one kind of one ruleset, or your own cases in the format of `settle`:

    .venv/bin/python -m tests.live --cases 20000 --seed 7
    .venv/bin/python -m tests.live --only craps-by:rolls
    .venv/bin/python -m tests.live --stdin < failed.jsonl

`live_table` is the house with its tables, reached in this process or over HTTP. A module for each game plays its
kinds of cases. `generate` makes cases. `playing_and_comparing_cases` plays them and compares the answers with those
of `settle`.
"""
