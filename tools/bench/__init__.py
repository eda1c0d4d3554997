"""`./manage.py bench`: what fast means here, measured side by side with the peers in the same run.

Servers are started by `parts`, everything is played by `play`, what we compare with stands in `peers`, one module a
measurement names what it measures, and `report` prints it and writes docs/performance.md. The sides of a measurement
take turns (`measure.in_turn`), and medians are compared.
"""
