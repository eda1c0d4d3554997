"""Progressives: all of them, and one."""

from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.utils.translation import gettext as _

from backoffice.environment import live_port
from backoffice.headers import policy
from backoffice.pages.views.render import has_seen_all, render
from backoffice.queries.live import PATH, read
from backoffice.queries.matters import matters
from backoffice.queries.progressives import progressive, progressives, strays
from backoffice.readers import reads

SIGN_HOLD_S = 90  # so long after its lock the sign shows a winning value


@reads("progressives")
def index(request: HttpRequest) -> HttpResponse:
    """The meters of every progressive."""
    return render(request, "pages/progressives.html", here="progressives", progressives=progressives(), strays=strays())


@reads("progressives")
def show(request: HttpRequest, name: str) -> HttpResponse:
    """One progressive: meters, contributions, hits, envy, parameters."""
    return _streamed(request, _progressive(request, "pages/progressive.html", name))


@reads("progressives")
def live(request: HttpRequest, name: str) -> HttpResponse:
    """What changes of it, for the page that follows."""
    if has_seen_all(request):
        return HttpResponse(status=204)
    return _progressive(request, "pages/progressive_live.html", name)


@reads("progressives")
def open_matters(request: HttpRequest, name: str) -> HttpResponse:
    """What is open at one progressive, due from whom, with the action to send."""
    return _matters(request, "pages/matters.html", name)


@reads("progressives")
def open_matters_live(request: HttpRequest, name: str) -> HttpResponse:
    """What changes of it, for the page that follows."""
    if has_seen_all(request):
        return HttpResponse(status=204)
    return _matters(request, "pages/matters_live.html", name)


def _matters(request: HttpRequest, template: str, name: str) -> HttpResponse:
    found = matters(name)
    if found is None:
        raise _missing(name)
    return render(request, template, here="progressives", matters=found, base=request.build_absolute_uri("/"))


@reads("progressives")
def sign(request: HttpRequest, name: str) -> HttpResponse:
    """The meters alone, as large as they will go: for a screen on the casino floor."""
    found = (read([name])[1] or {}).get(name)
    if found is None:
        raise _missing(name)
    context = {"live": found, "hold_s": SIGN_HOLD_S, "stream_url": _stream_url(request, name)}
    return _streamed(request, render_template(request, "pages/sign.html", context))


def _progressive(request: HttpRequest, template: str, name: str) -> HttpResponse:
    found = progressive(name)
    if found is None:
        raise _missing(name)
    url = _stream_url(request, name)
    return render(request, template, here="progressives", progressive=found, stream_url=url)


def _missing(name: str) -> Http404:
    return Http404(_("There is no progressive %(name)s.") % {"name": name})


def _live_origin(request: HttpRequest) -> str:
    """Where the live process answers, under the name by which the page was asked for."""
    host = request.get_host()
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    return f"{request.scheme}://{name}:{live_port()}"


def _stream_url(request: HttpRequest, name: str) -> str:
    return f"{_live_origin(request)}{PATH}{quote(name, safe='')}"


def _streamed(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The page may listen to the live process, and to nobody else."""
    response.headers["Content-Security-Policy"] = policy(_live_origin(request))
    return response
