"""The cyclic garbage collector, for work that makes objects by the thousand and no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Objects made, and collections of the generation before, until the next collection; Python's own are 700, 10, 10.
RARELY = (50_000, 20, 100)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect garbage rarely during the block, and existing objects never.

    Unreferenced objects are freed at once all the same; cycles stay longer. It applies to the whole process.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
