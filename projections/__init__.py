"""The read models: what anybody looks at, computed from the events and from nothing else.

A read model is a package: its tables, its projector, what reads it; `registry.py` names them all. `engine/` keeps
them up to date and builds them again. `books.py` reads the figures, `invariants.py` holds them against each other.
"""
