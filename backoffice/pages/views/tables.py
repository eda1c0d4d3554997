"""One table's gaming day."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from backoffice.links import table_url
from backoffice.pages.views.render import has_seen_all, render
from backoffice.queries.table import latest_day, table
from backoffice.readers import reads


@reads("tables")
def latest(request: HttpRequest, name: str) -> HttpResponse:
    """The table's last gaming day."""
    day = latest_day(name)
    if day is None:
        raise Http404(_("No gaming day of the table %(table)s is known.") % {"table": name})
    return HttpResponseRedirect(table_url(name, day))


@reads("tables")
def show(request: HttpRequest, name: str, gaming_day: str) -> HttpResponse:
    """Its money, wagers, rounds and irregularities."""
    return _table(request, "pages/table.html", name, gaming_day)


@reads("tables")
def live(request: HttpRequest, name: str, gaming_day: str) -> HttpResponse:
    """What changes of it, for the page that follows."""
    if has_seen_all(request):
        return HttpResponse(status=204)
    return _table(request, "pages/table_live.html", name, gaming_day)


def _table(request: HttpRequest, template: str, name: str, gaming_day: str) -> HttpResponse:
    found = table(name, gaming_day)
    if found is None:
        words = _("The table %(table)s was not opened on the gaming day %(day)s.")
        raise Http404(words % {"table": name, "day": gaming_day})
    return render(request, template, here="floor", table=found)
