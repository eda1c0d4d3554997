"""The progressive: its facts, the fold over them, the decisions of people, and the service of its locks.

Pure, without clock or store: `facts.py` has the facts, `fold.py` keeps the state in order of position, `level_locks.py`
computes the locks. `decider.py` turns an action of people into events, and `explain.py` shows how an amount was
calculated. With a store: `state_cache.py` follows the facts, `requests.py` checks requests against the present roles,
and `service.py` has due locks appended. `history.py`, `whole_history.py` and `cycle.py` read the past. The append
itself, with the store's lock held, is the same for every such kind: `events/desk/locked_decisions.py`.
"""
