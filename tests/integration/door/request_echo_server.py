"""A replacement of the pages, which answers as JSON how Django reads a request."""

import json
import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")

import django
from django.core.handlers.wsgi import WSGIRequest

django.setup()

from backoffice.site.wsgi_application_behind_door import django_application  # noqa: E402 - what it imports needs Django to be set up


def _echo(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    request = WSGIRequest(environ)
    seen = {
        "method": request.method,
        "path": request.path_info,
        "query": request.META["QUERY_STRING"],
        "host": request.META.get("HTTP_HOST", ""),
        "cookies": request.COOKIES,
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "body": request.body.decode("latin-1"),
        "remote": request.META["REMOTE_ADDR"],
    }
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(seen).encode()]


application = django_application(_echo)
