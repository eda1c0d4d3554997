"""The progressive: its facts, the fold over them, what people may decide about it, and the service that keeps it.

Pure, without clock or store: `facts.py` says what can happen, `fold.py` keeps the state in order of position,
`locks.py` computes the locks, `decider.py` turns an action of people into events, `explain.py` shows how an amount
arose. With a store: `service.py` follows the facts and appends under the lock, `history.py` and `life.py` read them.
"""
