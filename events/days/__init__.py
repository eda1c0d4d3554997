"""The accountant's gaming days, PROPERTY/days/DAY: boxes are counted there, discrepancies explained."""
