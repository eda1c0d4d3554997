"""Drop, win and hold, handle and win by handle beside them, and what regulators ask of them."""
