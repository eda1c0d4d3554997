"""The read cache of one answer: the answer reads each of its sources once.

The cache ends with its block and is of one thread. It holds nothing secret: keys and roles are always read again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Results = dict[Callable[[], Any], Any]
_results: ContextVar[Results | None] = ContextVar("read_cache", default=None)


@contextmanager
def cache_reads() -> Iterator[None]:
    """Let `read_once` read once, also in nested blocks. The block neither writes nor waits for a write: it would not
    see it.
    """
    if is_caching():
        yield
        return
    token = _results.set({})
    try:
        yield
    finally:
        _results.reset(token)


def is_caching() -> bool:
    """Return whether `cache_reads` is in force."""
    return _results.get() is not None


def read_once(read: Callable[[], T]) -> T:
    """Return the result of `read`: within `cache_reads` that of its first call."""
    results = _results.get()
    if results is None:
        return read()
    if read not in results:
        results[read] = read()
    result: T = results[read]
    return result
