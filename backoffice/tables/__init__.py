"""Tables on the pages: floor, pit, a table's gaming day, assignments."""
