"""The progressive: its facts, the fold over them, what people may decide about it, and the service that keeps it.

Pure, without clock or store: `facts.py` says what can happen, `fold.py` keeps the state in order of position,
`level_locks.py` computes the locks, `decider.py` turns an action of people into events, `explain.py` shows how an
amount arose. With a store: `state_cache.py` follows the facts, `requests.py` holds what people ask against the roles of
now, `service.py` has the locks appended that are due, `history.py`, `whole_history.py` and `cycle.py` look back. The
append itself, with the store's lock held, is that of every kind judged so: `events/desk/locked_decisions.py`.
"""
