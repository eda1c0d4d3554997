"""The progressive: its facts, the fold over them, the decisions of people, and the maintenance of its locks.

Pure, without clock or store: `fact_structs.py` has the facts, `fold.py` keeps the state in order of position,
`hit_locks_of_a_level.py` computes the locks. `decider.py` turns an action of people into events, and
`hit_amount_explanation.py` shows how an amount was calculated. With a store: `progressive_state_following_store.py`
follows the facts, `request_authority_checks.py` checks requests against the present roles, and
`due_lock_and_lapse_appending.py` has due locks appended. `history_reader.py`, `full_history_for_reports.py` and
`share_amount_explained_from_store.py` read the past. The append itself, with the store's lock held, is the same for
every such kind: `events/desk/locked_decisions.py`.
"""
