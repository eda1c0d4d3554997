"""Results of dealers and players over time: against theory, against colleagues, by hour, with whom, round by round."""
