"""What every page gets: its title's place in the menu, and how old the figures are."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.utils.functional import SimpleLazyObject

from backoffice.queries import currencies
from backoffice.queries.freshness import freshness


def render(request: HttpRequest, template: str, *, here: str = "", status: int = 200, **context: Any) -> HttpResponse:
    """A page of the house. `here` is the menu's entry that it belongs to.

    Amounts without a currency of their own have the digits of the house's, where it has one only.
    """
    currency = SimpleLazyObject(_currency)  # most pages say theirs
    given = {"here": here, "fresh": freshness(), "currency": currency, **context}
    return render_template(request, template, given, status=status)


def _currency() -> str:
    return currencies.only(currencies.by_place())


def has_seen_all(request: HttpRequest) -> bool:
    """Whether a page that follows shows everything already: then 204 and no work."""
    return bool(request.GET.get("seen")) and request.GET["seen"] == freshness().token
