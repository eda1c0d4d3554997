"""Drop, win and hold, handle and win / handle beside them, and the regulators' rules about them."""
