"""Progressives: all of them, and one."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from backoffice.pages.queries.progressives import progressive, progressives
from backoffice.pages.readers import reads
from backoffice.pages.views.render import has_seen_all, render


@reads("progressives")
def index(request: HttpRequest) -> HttpResponse:
    """The meters of every progressive."""
    return render(request, "pages/progressives.html", here="progressives", progressives=progressives())


@reads("progressives")
def show(request: HttpRequest, name: str) -> HttpResponse:
    """One progressive: meters, contributions, hits, envy, parameters."""
    return _progressive(request, "pages/progressive.html", name)


@reads("progressives")
def live(request: HttpRequest, name: str) -> HttpResponse:
    """What changes of it, for the page that follows."""
    if has_seen_all(request):
        return HttpResponse(status=204)
    return _progressive(request, "pages/progressive_live.html", name)


def _progressive(request: HttpRequest, template: str, name: str) -> HttpResponse:
    found = progressive(name)
    if found is None:
        raise Http404(_("There is no progressive %(name)s.") % {"name": name})
    return render(request, template, here="progressives", progressive=found)
