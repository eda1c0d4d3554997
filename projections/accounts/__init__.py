"""The accountant's gaming day: tables by shift, boxes, slips, discrepancies, the cage, the close and late events."""

VERSION = 4  # counts up with every change of what an event does to the rows: a rebuild is due then
