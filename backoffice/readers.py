"""Who may read what: the one seam between the pages and the people.

Everybody who reaches the pages may read them all: they listen on loopback only. When people log in, `reads` is where
their roles are looked at, what they looked at is logged, and nowhere else.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar, cast

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

What = Literal["floor", "tables", "progressives", "events", "health"]
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def reads(what: What) -> Callable[[View], View]:
    """Mark a view as a read of `what`: GET and HEAD only, and never kept by a cache (figures go stale)."""

    def decorate(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            response = view(request, *args, **kwargs)
            patch_cache_control(response, no_store=True)
            patch_vary_headers(response, ["HX-Request"])
            return response

        inner.reads = what  # type: ignore[attr-defined]  # for the test that no view forgot it
        return cast(View, require_safe(inner))

    return decorate
