"""Drop, win and hold, handle and win by handle beside them, and the regulators' rules about them."""
