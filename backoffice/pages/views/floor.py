"""The floor: every table of a gaming day. It follows by itself."""

from django.http import HttpRequest, HttpResponse

from backoffice.pages.views.render import has_seen_all, render
from backoffice.queries.floor import floor
from backoffice.readers import reads


@reads("floor")
def show(request: HttpRequest) -> HttpResponse:
    """The page; `?gaming_day=` for an earlier day."""
    return _floor(request, "pages/floor.html")


@reads("floor")
def live(request: HttpRequest) -> HttpResponse:
    """What changes of it, for the page that follows."""
    if has_seen_all(request):
        return HttpResponse(status=204)
    return _floor(request, "pages/floor_live.html")


def _floor(request: HttpRequest, template: str) -> HttpResponse:
    return render(request, template, here="floor", floor=floor(request.GET.get("gaming_day", "")[:10]))
