"""The WSGI application of the pages: all of Django. Dealers' actions come to `backoffice.door` first."""

import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
pages = get_wsgi_application()

from backoffice.running.pulse import keep_beating  # noqa: E402 - settings need Django's environment

keep_beating("pages")


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Django, told who asks: it is asked by the web process alone, which says from where that was asked."""
    if source := environ.get("HTTP_X_FORWARDED_FOR"):
        environ["REMOTE_ADDR"] = source
    return pages(environ, start_response)
