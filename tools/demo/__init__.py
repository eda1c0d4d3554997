"""A small casino's gaming day, played through the public action interface by invented dealers and players."""
