"""The WSGI application of the pages: all of Django. Dealers' actions come to `backoffice.door` first."""

import os
import sys
import time
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
pages = get_wsgi_application()

from backoffice.house.first_page_trace_span import trace_page  # noqa: E402 - settings need Django's environment
from backoffice.http import internal_tokens, monitoring_access, probe_paths  # noqa: E402 - settings need Django's environment
from backoffice.people.request_host import address_of  # noqa: E402 - settings need Django's environment
from backoffice.running.heartbeat import keep_beating  # noqa: E402 - settings need Django's environment
from backoffice.running.part_names import own_part  # noqa: E402 - settings need Django's environment
from backoffice.running.status_reports import begin_reports  # noqa: E402 - settings need Django's environment
from events.runtime import metrics, tracing  # noqa: E402 - settings need Django's environment
from events.runtime.garbage_collection import collect_briefly  # noqa: E402 - settings need Django's environment
from events.settings.house_addresses import HTTP  # noqa: E402 - settings need Django's environment

# Seconds after which a thread that computes lets another one continue: the answer to a tap does not wait for the state
# of another screen.
sys.setswitchinterval(0.001)
if own_part() == "pages":
    begin_reports()
    get_resolver().url_patterns  # noqa: B018 - it loads all views, which the first request would wait for
    collect_briefly()
keep_beating("pages")


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer a request with Django, with the client's address: the front door signs it, and no other header is trusted.

    Probes are answered under any name: an orchestrator asks for them by the address of the container.
    """
    if environ.get("PATH_INFO") == probe_paths.LIVE:
        start_response("200 OK", [*probe_paths.HEADERS])
        return [probe_paths.IS_LIVE]
    if environ.get("PATH_INFO") == probe_paths.READY:
        environ["HTTP_HOST"] = "localhost"
    source = internal_tokens.source(environ.pop("HTTP_PITLEDGER_SOURCE", ""))
    if source is not None:
        environ["REMOTE_ADDR"], environ[monitoring_access.MAY_OBSERVE] = source
    address = address_of(environ.get("HTTP_HOST", ""))
    environ["wsgi.url_scheme"] = address.scheme if address is not None else HTTP
    environ["HTTP_X_FORWARDED_FOR"] = environ["REMOTE_ADDR"]  # where django-allauth looks for it
    began, began_ns = time.perf_counter(), time.time_ns()
    try:
        return pages(environ, start_response)
    finally:
        metrics.observe(metrics.PAGE, time.perf_counter() - began)
        if tracing.is_on():
            trace_page(environ["REQUEST_METHOD"], environ["PATH_INFO"], began_ns)
