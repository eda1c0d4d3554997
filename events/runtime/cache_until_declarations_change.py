"""Values derived from declarations: computed once, and again when a declaration has come or gone."""

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_caches: list[Callable[[], None]] = []


def cached_until_forgotten(function: Callable[P, T]) -> Callable[P, T]:
    """Like `functools.cache`, until `forget`."""
    cached = cache(function)
    _caches.append(cached.cache_clear)
    return cast("Callable[P, T]", cached)


def forget() -> None:
    """Drop the derived values after a change of a declaration."""
    for clear in _caches:
        clear()
