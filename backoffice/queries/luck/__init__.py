"""What the bets of a gaming day won beside what they had to bring, and how rare that is: from the events."""
