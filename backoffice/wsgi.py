"""The WSGI application: the action interface first, everything else by Django.

A dealer's action needs no session, no template and no middleware; answering it before Django's request handling
leaves the process more time for deciding and writing.
"""

import os
import re
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import parse_qs
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django = get_wsgi_application()


from backoffice.api.actions import respond  # noqa: E402 - the models need Django to be set up
from backoffice.api.desk import prepare  # noqa: E402
from events import kinds  # noqa: E402

prepare()  # the server takes no request before this module is there

_ACTIONS = re.compile(r"/api/v1/([a-z-]+)(?:/([^/]+))?/actions")


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer POST .../actions here; hand the rest to Django."""
    found = _ACTIONS.fullmatch(environ["PATH_INFO"]) if environ["REQUEST_METHOD"] == "POST" else None
    kind = kinds.declared().get(found[1]) if found is not None else None
    if found is None or kind is None or kind.is_named != bool(found[2]):
        return django(environ, start_response)
    headers = {
        "Authorization": environ.get("HTTP_AUTHORIZATION", ""),
        "Pitledger-Device": environ.get("HTTP_PITLEDGER_DEVICE", ""),
        "Content-Length": environ.get("CONTENT_LENGTH", ""),
    }
    name = (found[2] or "").encode("latin-1").decode("utf-8", "replace")
    target = kinds.Target(kind.name, name, _gaming_day(environ.get("QUERY_STRING", "")))
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
