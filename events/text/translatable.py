"""A word of the trade that people read, marked at its declaration: the collector of texts for translators finds it by
this call (as `_`), and the code that shows it translates it. Nothing here translates."""


def marked(words: str) -> str:
    """The same words."""
    return words
