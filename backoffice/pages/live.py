"""Where the live process answers the pages."""

from urllib.parse import quote

from django.http import HttpRequest

from backoffice.queries.live import PATH
from events.settings import settings


def live_origin(request: HttpRequest) -> str:
    """Its origin, under the name by which the page was asked for."""
    host = request.get_host()
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    return f"{request.scheme}://{name}:{settings().port_of_live()}"


def stream_url(request: HttpRequest, name: str) -> str:
    """The stream of one progressive."""
    return f"{live_origin(request)}{PATH}{quote(name, safe='')}"
