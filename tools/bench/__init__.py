"""`./manage.py bench`: performance goals, measured side by side with the peers in the same run.

`measurement_servers` starts the servers, `generated_roulette_actions` plays the rounds, and `compared_event_stores` has
the compared software. One module a measurement names its figures, and `benchmark_report_formats` prints them and writes
docs/performance.md. The sides of a measurement take turns (`turns_medians_and_percentiles.in_turn`), and medians are
compared.
"""
