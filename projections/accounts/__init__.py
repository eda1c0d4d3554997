"""The accountant's gaming day: shifts, boxes, slips, discrepancies, the cage, what was closed and what came later."""

VERSION = 3  # counts up with every change of what an event does to the rows: a rebuild is due then
