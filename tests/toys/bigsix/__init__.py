"""A game of our own, as docs/howto/add-a-game.md makes it: the big six, a wheel of fortune with fifty-four places."""
