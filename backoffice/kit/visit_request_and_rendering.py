"""A visit to a page: the request, and its answer."""

from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.kit.access_log_rules import AccessLogEntry
from backoffice.kit.page_declaration import Act, Page, PageRequest
from backoffice.kit.page_frame import FiguresAge, PageFrame
from backoffice.kit.reader_and_read_rule_types import Reader


class Visit:
    """A request to a page of a site. Views get it instead of Django's request."""

    def __init__(
        self,
        frame: PageFrame,
        page: Page,
        request: HttpRequest,
        places: dict[str, Any],
        reader: Reader,
        log_entry: AccessLogEntry,
    ) -> None:
        self.frame = frame
        self.looking = log_entry
        self.page = page
        self.request = request
        self.reader = reader
        self.page_request = PageRequest(places, request.GET, reader=reader)

    def place(self, name: str) -> Any:
        """Return a part of the path."""
        return self.page_request.places[name]

    def render(self, template: str = "", *, status: int = 200, **context: Any) -> HttpResponse:
        """Render a template with the common context of every page: the page, the menu, the age of figures, the
        currency.
        """
        values = {**self.frame.context(), **self._page_frame(), **context}
        response = render_template(self.request, template or self.page.template, values, status=status)
        response.content = self.frame.closed.remove_links(response.content, self.reader)
        return response

    @cache_reads()
    def show(self, template: str = "") -> HttpResponse:
        """Render the page by its declaration."""
        return self.render(template, **self._query_context())

    def query_without(self, name: str) -> str:
        """The query string without a parameter that counts once only."""
        parameters = self.request.GET.copy()
        parameters.pop(name, None)
        return parameters.urlencode()

    @property
    def buttons(self) -> list[Act]:
        """Return the page's actions that its reader may send."""
        return [act for act in self.page.acts if act.is_offered and act.open_to.admits(self.reader)]

    @property
    def has_seen_all(self) -> bool:
        """Return whether the page shows the latest figures already: then 204 and no work."""
        return self._seen == self.fresh.token

    @property
    def has_seen_figures(self) -> bool:
        """Return whether only the age of the figures has changed: then the answer is that alone."""
        return self._seen.partition("~")[0] == self.fresh.figures

    def how_old(self) -> HttpResponse:
        """Answer with the age of the figures alone; the figures on the page stay."""
        response = self.render("pages/parts/fresh.html", oob=True)
        response.headers["HX-Reswap"] = "none"
        return response

    @cached_property
    def fresh(self) -> FiguresAge:
        """Return the age of the figures when the request began."""
        return self.frame.services.fresh()

    @property
    def _seen(self) -> str:
        return self.request.GET.get("seen") or ""

    def _query_context(self) -> dict[str, Any]:
        assert self.page.query is not None, f"the page {self.page.name} has a view of its own"
        result = self.looking.at(self.page.query(self.page_request))
        add_context = self.page.add_context
        return {self.page.shown_as: result, **(add_context(self, result) if add_context else {})}

    def _page_frame(self) -> dict[str, Any]:
        context = {
            "page": self.page,
            "fresh": SimpleLazyObject(lambda: self.fresh),
            "menu": self.frame.menu(self.reader, self.page.place),
            "reader": self.reader,
            "here": self._page_address,
            "base": self.request.build_absolute_uri("/"),
            "buttons": self.buttons,
            "action_forms": self.frame.forms,
            "places": self.page_request.places,
            "finds_events": self.frame.closed.is_open_to("/events", self.reader),
        }
        return context | ({"sheet_url": self._sheet_url()} if self.page.sheet else {})

    @property
    def _page_address(self) -> str:
        """Return the address that people see: the page's, where only a part of it is requested."""
        return str(self.request.GET.get("here") or self.request.path)

    def _sheet_url(self) -> str:
        query = self.request.GET.urlencode()
        url = reverse(f"{self.page.name}-csv", kwargs=dict(self.page_request.places))
        return f"{url}?{query}" if query else url
