"""The read models: the tables behind pages and reports, computed from the events only.

A read model is a package: its tables, its projector, its queries; `registry.py` names them all. `engine/` keeps them up
to date and builds them again. `figures_of_all_read_models_with_digest.py` reads the figures, `invariants.py` compares
them.
"""
