"""The cage: one stream a gaming day, PROPERTY/cage/DAY. It counts, changes chips and money, and issues the slips."""
