"""A word of the trade that people read, marked where it is declared: what collects texts for translators finds it by
this call (as `_`), and whoever shows it translates it then. Nothing here knows how."""


def marked(words: str) -> str:
    """The same words."""
    return words
