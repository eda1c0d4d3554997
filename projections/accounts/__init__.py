"""The accountant's gaming day: shifts, boxes, slips, discrepancies, the cage, what was closed and what came later."""
