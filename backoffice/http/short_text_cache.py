"""Cache for functions of a text that clients send.

Clients repeat the same short texts. Of a long one, a client could send so many that the cache fills the memory.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

ENTRIES = 256
LENGTH_MAX = 1_000  # characters of a text that is kept

P = ParamSpec("P")
T = TypeVar("T")


def cached_for_short_texts(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Cache the last results for texts up to LENGTH_MAX. An error is no result."""
    cached = lru_cache(maxsize=ENTRIES)(function)

    @wraps(function)
    def result(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > LENGTH_MAX:
            return function(text, *args, **kwargs)
        return cached(text, *args, **kwargs)  # type: ignore[arg-type]  # P cannot say that arguments are hashable

    return result
