"""The kinds of streams of every house, a module each: a decision meets other streams here."""
