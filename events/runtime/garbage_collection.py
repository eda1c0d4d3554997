"""The cyclic garbage collector: seldom for work that makes no cycles, briefly in interactive processes."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Objects made, and collections of the generation before, until the next collection; Python's own are 700, 10, 10.
RARELY = (50_000, 20, 100)
BRIEFLY = (1_000, 20, 100)  # a collection of 50,000 objects in cycles stops all threads for 50 ms, of 1,000 for one


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


def collect_briefly() -> None:
    """Make each collection short from now on: of few new objects, and never of existing ones.

    For a process that has loaded its program and answers people, with a framework whose requests make cycles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*BRIEFLY)
