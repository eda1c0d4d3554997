"""A site: pages, and the addresses, rules and views made from their declarations.

The declaration of a page gives its readers, for page and interface (`access_denied_answers.py` answers others).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, wraps
from typing import Any

import msgspec
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.kit import access_denied_answers, file_download_or_background_job, response_builders
from backoffice.kit.access_log_rules import AccessLogEntry, AccessLogRule, part_of
from backoffice.kit.forbidden_link_removal import ClosedLinks
from backoffice.kit.form_address_and_permission import ActionForms, form_address, form_name
from backoffice.kit.page_declaration import Act, Endpoint, Format, Page, PageAddress, PageRequest
from backoffice.kit.page_frame import PageFrame, PageServices
from backoffice.kit.reader_and_read_rule_types import Reader, ReadRule, answering, with_read_rule
from backoffice.kit.unique_parameters import invalid_answer
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.error_code_sentences import error_sentence
from events.error_codes import coded
from events.errors import Defect, Invalid, Retry, Unknown
from events.streams.problem_details import problem_about

Answer = Callable[..., HttpResponseBase]
Show = Callable[[Visit], HttpResponseBase]


class SiteServices(msgspec.Struct, frozen=True):
    """Dependencies of a site: the services of its pages, and those of the site alone.

    `position` is that of the figures. The reader of a page comes from `visitor`, of the API from `caller`. `perform`
    answers with the form of an action.
    """

    pages: PageServices
    position: Callable[[], int]
    visitor: Callable[[HttpRequest], Reader]
    caller: Callable[[HttpRequest], Reader]
    perform: Callable[[Visit, Act], HttpResponse]


class Site:
    """The pages under their addresses, with endpoints of the interface that have no page, and addresses without
    figures.
    """

    def __init__(
        self,
        pages: Iterable[Page],
        source: SiteServices,
        *,
        endpoints: Iterable[Endpoint] = (),
        plain: Iterable[URLPattern] = (),
    ) -> None:
        self.pages = tuple(pages)
        self.source = source
        self.plain = tuple(plain)
        self._endpoints = tuple((endpoint, None) for endpoint in endpoints)
        _check(self)

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return the endpoints of the API, in the order of the pages."""
        return tuple(endpoint for endpoint, _page in self._all_endpoints())

    @property
    def rules(self) -> list[tuple[Endpoint, ReadRule]]:
        """The endpoints, each with who may ask it."""
        return [(endpoint, _rule(endpoint, page)) for endpoint, page in self._all_endpoints()]

    @property
    def urls(self) -> list[URLPattern]:
        """The pages in all their forms."""
        return [*self.plain, *(pattern for page in self.pages for pattern in self._page_patterns(page))]

    @property
    def api(self) -> list[URLPattern]:
        """The figures for programs, below /api/v1/."""
        return [path(endpoint.path, self._answered(endpoint, page)) for endpoint, page in self._all_endpoints()]

    @cached_property
    def frame(self) -> PageFrame:
        """Return the frame of its pages."""
        return PageFrame(self.pages, ClosedLinks(self.urls), ActionForms(self.pages), self.source.pages)

    def _all_endpoints(self) -> list[tuple[Endpoint, Page | None]]:
        return [*((page.endpoint, page) for page in self.pages if page.endpoint), *self._endpoints]

    def _page_patterns(self, page: Page) -> Iterator[URLPattern]:
        an_export = AccessLogRule(self.source.pages.views.EXPORT)
        if page.sheet:  # before the page, whose last place would take the suffix for part of a name
            yield self._pattern_at(
                f"{page.path}.csv", page, file_download_or_background_job.csv, f"{page.name}-csv", looks=an_export
            )
        show = page.view or Visit.show
        yield self._pattern_at(
            page.path, page, _show_age(show) if page.says_its_age else show, page.name, looks=page.looks
        )
        if page.follows:
            where = page.follows.path or f"{page.path}/live"
            live, name = _following(page.follows.template), f"{page.name}-live"
            yield self._pattern_at(where, page, live, name, looks=part_of(page.looks))
        for form in page.formats:
            where, name = f"{page.path}/{form.suffix}", f"{page.name}-{form.suffix}"
            yield self._pattern_at(where, page, _in_format(form), name, looks=an_export)
        for address in page.also:
            yield self._further_address(page, address)
        for act in page.acts:
            yield self._action_pattern(page, act)

    def _pattern_at(
        self,
        where: str,
        page: Page,
        view: Show,
        name: str,
        *,
        rule: ReadRule | None = None,
        looks: AccessLogRule | None = None,
    ) -> URLPattern:
        rule = rule or page.open_to
        return path(where, with_read_rule(_only_read(self._open(page, rule, view, looks)), rule, page.lists), name=name)

    def _further_address(self, page: Page, address: PageAddress) -> URLPattern:
        if not address.does:
            return self._pattern_at(
                address.path, page, address.view, address.name, rule=address.open_to, looks=address.looks
            )
        rule = address.open_to or page.open_to
        view = with_read_rule(_accept_posts(self._open(page, rule, address.view, address.looks)), rule, page.lists)
        return path(address.path, view, name=address.name)

    def _action_pattern(self, page: Page, act: Act) -> URLPattern:
        """The form of an action, open to a person who may send it."""
        view = self._open(page, act.open_to, lambda visit: self.source.perform(visit, act))
        return path(
            form_address(page, act),
            with_read_rule(_accept_posts(view), act.open_to, act.lists),
            name=form_name(page, act),
        )

    def _open(self, page: Page, rule: ReadRule, view: Show, looks: AccessLogRule | None = None) -> Answer:
        """Return a view for the readers that the rule admits, recorded first where that is declared."""
        services = self.source.pages

        def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
            reader = self.source.visitor(request)
            if not rule.admits(reader, places):
                return access_denied_answers.at_a_page(
                    request, reader, rule, services.refusals, {"menu": self.frame.menu(reader)}
                )
            log_entry = AccessLogEntry(services.views, looks, request, reader)
            visit = Visit(self.frame, page, request, places, reader, log_entry)
            try:
                with answering(reader):
                    answer = view(visit)
            except Unknown as error:
                raise Http404(error_sentence(error)) from error
            except Invalid as error:
                return invalid_answer(request, error)
            except Defect as error:
                return render(request, "500.html", {"reason": error_sentence(error)}, status=500)
            return _written_down(visit.looking, answer)

        return inner

    def _answered(self, endpoint: Endpoint, page: Page | None) -> Answer:
        open_to = _rule(endpoint, page)
        query = endpoint.query or (page.query if page else None)
        looks = endpoint.looks or (page.looks if page else None)
        services = self.source.pages

        def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
            reader = self.source.caller(request)
            if not open_to.admits(reader, places):
                return access_denied_answers.at_the_interface(request, reader, open_to, services.refusals)
            log_entry = AccessLogEntry(services.views, looks, request, reader)
            position = self.source.position()  # before looking: everything up to here is in the answer
            if endpoint.view:
                response = endpoint.view(request)
            else:
                assert query is not None
                page_request = PageRequest(places, request.GET, drawn=False, reader=reader)
                with answering(reader), cache_reads():
                    response = response_builders.looked_up(lambda: log_entry.at(query(page_request)))
            if response.status_code == 200:
                response.headers["Pitledger-Position"] = str(position)
            return _written_down(log_entry, response)

        return with_read_rule(_only_asked(inner), open_to, endpoint.lists)


def _only_read(view: Answer) -> Answer:
    """GET and HEAD only, and never kept by a cache: figures go stale."""
    return require_safe(cache_control(no_store=True)(vary_on_headers("HX-Request")(view)))


def _only_asked(view: Answer) -> Answer:
    """Return the view as a read-only endpoint: other methods get problem details, and no page about forms."""
    read = _only_read(view)

    @wraps(view)
    def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
        if request.method in ("GET", "HEAD"):
            return read(request, **places)
        response = response_builders.problem(problem_about(405, "Only read", coded("address-read-only")))
        response.headers["Allow"] = "GET, HEAD"
        return response

    return csrf_exempt(inner)


def _accept_posts(view: Answer) -> Answer:
    """GET and POST, and never kept by a cache."""
    return require_http_methods(["GET", "HEAD", "POST"])(cache_control(no_store=True)(view))


def _show_age(view: Show) -> Show:
    """A page shows the age of its figures: the age before the query, and never less."""

    def inner(visit: Visit) -> HttpResponseBase:
        _ = visit.fresh
        return view(visit)

    return inner


def _in_format(form: Format) -> Show:
    return lambda visit: file_download_or_background_job.form(visit, form)


def _following(template: str) -> Callable[[Visit], HttpResponseBase]:
    def inner(visit: Visit) -> HttpResponse:
        if visit.has_seen_all:
            return HttpResponse(status=204)
        return visit.how_old() if visit.has_seen_figures else visit.show(template)

    return inner


def _written_down(looking: AccessLogEntry, answer: HttpResponseBase) -> HttpResponseBase:
    """Record the answer in the access log, or refuse it if that fails."""
    try:
        return looking.log_answer(answer)
    except (Defect, Retry) as error:
        return response_builders.not_shown(error)


def _rule(endpoint: Endpoint, page: Page | None) -> ReadRule:
    """Return its own rule, or that of its page; `_check` guarantees one."""
    rule = endpoint.open_to or (page.open_to if page else None)
    assert rule is not None
    return rule


def _is_rule(value: object) -> bool:
    return isinstance(value, ReadRule)


def _check(site: Site) -> None:
    """A house with a page that no one thought through does not start."""
    if wrong := [*_unfinished(site)] or [*_doubled(site)]:
        raise ImproperlyConfigured("; ".join(wrong))


def _unfinished(site: Site) -> Iterator[str]:
    for page in site.pages:
        if not _is_rule(page.open_to):
            yield f"the page {page.name}: no read rule"
        if bool(page.query) == bool(page.view):
            yield f"the page {page.name}: a query or a view"
    for endpoint, of in site._all_endpoints():
        if not _is_rule(endpoint.open_to or (of.open_to if of else None)):
            yield f"{endpoint.name} in the interface: no read rule"
        if not (endpoint.query or endpoint.view or (of and of.query)):
            yield f"{endpoint.name} in the interface: a query or a view"


def _doubled(site: Site) -> Iterator[str]:
    names: Mapping[str, Iterable[str]] = {
        "name": (pattern.name or "" for pattern in site.urls),
        "path": (str(pattern.pattern) for pattern in site.urls),
        "path in the interface": (str(pattern.pattern) for pattern in site.api),
        "key": (page.menu.key for page in site.pages if page.menu),
    }
    for kind, values in names.items():
        yield from (f"the {kind} {value!r} twice" for value, times in Counter(values).items() if times > 1)
