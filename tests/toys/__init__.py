"""Small things of our own, declared as a casino would declare them: what a how-to says is done here."""
