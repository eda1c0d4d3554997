"""Drop, win and hold, with handle and win / handle, and the regulators' rules about them."""
