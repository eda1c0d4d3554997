"""Hold of days whose boxes are counted: drop, win, handle, by month and by rule."""
