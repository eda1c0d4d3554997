"""The WSGI application: the action interface first, everything else by Django.

A dealer's action needs no session, no template and no middleware; answering it before Django's request handling
leaves the process more time for deciding and writing.
"""

import os
import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django = get_wsgi_application()


from backoffice.api.actions import respond  # noqa: E402 - the models need Django to be set up
from backoffice.api.desk import prepare  # noqa: E402
from events.streams import Target  # noqa: E402

prepare()  # the server takes no request before this module is there

_ACTIONS = re.compile(r"/api/v1/(?:(tables|progressives)/([^/]+)|(floor|people))/actions")


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer POST .../actions here; hand the rest to Django."""
    found = _ACTIONS.fullmatch(environ["PATH_INFO"]) if environ["REQUEST_METHOD"] == "POST" else None
    if found is None:
        return django(environ, start_response)
    kind: Any = found[1] or found[3]
    headers = {
        "Authorization": environ.get("HTTP_AUTHORIZATION", ""),
        "Pitledger-Device": environ.get("HTTP_PITLEDGER_DEVICE", ""),
        "Content-Length": environ.get("CONTENT_LENGTH", ""),
    }
    name = (found[2] or "").encode("latin-1").decode("utf-8", "replace")
    target = Target(kind, name, _gaming_day(environ.get("QUERY_STRING", "")))
    response = respond(target, headers, environ["wsgi.input"].read, environ.get("REMOTE_ADDR", ""))
    start_response(
        f"{response.status} {HTTPStatus(response.status).phrase}",
        [
            ("Content-Type", response.kind),
            ("Content-Length", str(len(response.body))),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
            *response.headers.items(),
        ],
    )
    return [response.body]


def _gaming_day(query: str) -> str | None:
    return parse_qs(query).get("gaming_day", [None])[0] if query else None
