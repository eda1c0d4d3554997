"""Drop, win, hold and handle of days whose boxes are counted, from one row a table and gaming day."""
