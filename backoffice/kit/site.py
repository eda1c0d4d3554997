"""A site: pages, and all that follows from their declarations.

Pages and interface ask the declaration who may read them, in one place; when people log in, what they looked at is
logged here, and nowhere else.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, Protocol

import msgspec
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from backoffice.kit import answers
from backoffice.kit.page import Asked, Format, Page, Read, Words
from backoffice.kit.visit import Visit, sentence
from events.errors import Unknown

Answer = Callable[..., HttpResponseBase]


class Fresh(Protocol):
    """How old the figures are."""

    @property
    def token(self) -> str: ...
    @property
    def position(self) -> int: ...


class Source(msgspec.Struct, frozen=True):
    """What a site knows of its house: how fresh the figures are, up to which position all of them are, in which
    currency (where there is one only), and where its live process answers."""

    fresh: Callable[[], Fresh]
    position: Callable[[], int]
    currency: Callable[[], str]
    live: Callable[[HttpRequest], str]


class Entry(msgspec.Struct, frozen=True):
    """A line of the menu, for those who may read its page."""

    url: str
    words: Words
    key: str
    help: Words
    is_here: bool


class Site:
    """The pages under their addresses. What stands beside them: reads of the interface that have no page, addresses
    that need no figures (health)."""

    def __init__(
        self, pages: Iterable[Page], source: Source, *, reads: Iterable[Read] = (), plain: Iterable[URLPattern] = ()
    ) -> None:
        self.pages = tuple(pages)
        self.source = source
        self.plain = tuple(plain)
        self._reads = tuple((read, None) for read in reads)
        _check(self)

    @property
    def reads(self) -> tuple[Read, ...]:
        """What the interface answers with, in the order of the pages."""
        return tuple(read for read, _page in self._all_reads())

    @property
    def urls(self) -> list[URLPattern]:
        """The pages in all their forms."""
        return [*self.plain, *(pattern for page in self.pages for pattern in self._of(page))]

    @property
    def api(self) -> list[URLPattern]:
        """The figures for programs, below /api/v1/."""
        return [path(read.path, self._answered(read, page)) for read, page in self._all_reads()]

    def menu(self, request: HttpRequest, here: str) -> list[Entry]:
        """The entries that this reader may open."""
        return [
            Entry(reverse(page.name), page.menu.words, page.menu.key, page.menu.help, page.name == here)
            for page in self.pages
            if page.menu and page.readers(request)
        ]

    def around(self) -> dict[str, Any]:
        """What every page gets, looked up where it shows it. Amounts without a currency of their own have the digits
        of the house's."""
        return {"fresh": SimpleLazyObject(self.source.fresh), "currency": SimpleLazyObject(self.source.currency)}

    def _all_reads(self) -> list[tuple[Read, Page | None]]:
        return [*((page.read, page) for page in self.pages if page.read), *self._reads]

    def _of(self, page: Page) -> Iterator[URLPattern]:
        if page.sheet:  # before the page, whose last place would take the suffix for part of a name
            yield self._at(f"{page.path}.csv", page, answers.csv, f"{page.name}-csv")
        yield self._at(page.path, page, page.view or Visit.show, page.name)
        if page.follows:
            where = page.follows.path or f"{page.path}/live"
            yield self._at(where, page, _following(page.follows.template), f"{page.name}-live")
        for one in page.formats:
            yield self._at(f"{page.path}/{one.suffix}", page, _written(one), f"{page.name}-{one.suffix}")
        for other in page.also:
            yield self._at(other.path, page, other.view, other.name)

    def _at(self, where: str, page: Page, view: Callable[[Visit], HttpResponseBase], name: str) -> URLPattern:
        def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
            if not page.readers(request):
                raise PermissionDenied
            return view(Visit(self, page, request, places))

        return path(where, _only_read(inner), name=name)

    def _answered(self, read: Read, page: Page | None) -> Answer:
        readers = read.readers or (page.readers if page else None)
        query = read.query or (page.query if page else None)
        assert readers is not None

        def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
            if not readers(request):
                return answers.forbidden()
            position = self.source.position()  # before looking: everything up to here is in the answer
            if read.view:
                response = read.view(request)
            else:
                assert query is not None
                response = answers.looked_up(lambda: query(Asked(places, request.GET, drawn=False)))
            if response.status_code == 200:
                response.headers["Pitledger-Position"] = str(position)
            return response

        return _only_read(inner)


def _only_read(view: Answer) -> Answer:
    """GET and HEAD only, and never kept by a cache: figures go stale."""

    @wraps(view)
    def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
        response = view(request, **places)
        patch_cache_control(response, no_store=True)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return require_safe(inner)


def _following(template: str) -> Callable[[Visit], HttpResponseBase]:
    def inner(visit: Visit) -> HttpResponse:
        return HttpResponse(status=204) if visit.has_seen_all else visit.show(template)

    return inner


def _written(form: Format) -> Callable[[Visit], HttpResponseBase]:
    def inner(visit: Visit) -> HttpResponse:
        try:
            return answers.file(form.write(visit.asked))
        except Unknown as error:
            raise Http404(sentence(str(error))) from error

    return inner


def _is_rule(given: object) -> bool:
    return callable(given)


def _check(site: Site) -> None:
    """A house with a page that nobody thought through does not start."""
    if wrong := [*_unfinished(site)] or [*_doubled(site)]:
        raise ImproperlyConfigured("; ".join(wrong))


def _unfinished(site: Site) -> Iterator[str]:
    for page in site.pages:
        if not _is_rule(page.readers):
            yield f"the page {page.name}: nobody says who may read it"
        if bool(page.query) == bool(page.view):
            yield f"the page {page.name}: a query or a view"
    for read, of in site._all_reads():
        if not _is_rule(read.readers or (of.readers if of else None)):
            yield f"{read.name} in the interface: nobody says who may read it"
        if not (read.query or read.view or (of and of.query)):
            yield f"{read.name} in the interface: a query or a view"


def _doubled(site: Site) -> Iterator[str]:
    said: Mapping[str, Iterable[str]] = {
        "name": (pattern.name or "" for pattern in site.urls),
        "path": (str(pattern.pattern) for pattern in site.urls),
        "path in the interface": (str(pattern.pattern) for pattern in site.api),
        "key": (page.menu.key for page in site.pages if page.menu),
    }
    for what, values in said.items():
        yield from (f"the {what} {value!r} twice" for value, times in Counter(values).items() if times > 1)
