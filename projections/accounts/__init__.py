"""The accountant's gaming day: tables by shift, boxes, slips, discrepancies, the cage, the close and late events."""

VERSION = 4  # increases with every change of an event's effect on the rows: a rebuild is then necessary
