"""The progressive: a pure fold over positioned facts, its decider, its events. No I/O, no clock, no float.

`facts.py` says what can happen, `fold.py` keeps the state in order of position, `locks.py` computes the locks,
`decider.py` turns an action of people into events, `explain.py` shows how an amount arose.
"""
