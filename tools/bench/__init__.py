"""`./manage.py bench`: performance goals, measured side by side with the peers in the same run.

`parts` starts the servers, `play` plays the rounds, `peers` has the compared software. One module a measurement names
its figures, and `report` prints them and writes docs/performance.md. The sides of a measurement take turns
(`measure.in_turn`), and medians are compared.
"""
