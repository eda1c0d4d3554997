"""Django as a WSGI application behind the front door: with the client's address, which the door signs."""

import time
from collections.abc import Callable, Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.handlers.wsgi import WSGIHandler
from django.db import DatabaseError
from eventsourcing.persistence import PersistenceError

from backoffice.freshness.wait_for_read_model_position import read_up_to
from backoffice.http import monitoring_access, probe_paths, signed_person_passes
from backoffice.installation.dependency_injection import installation
from backoffice.people.house_address_of_request import address_of
from events.errors import PitledgerError
from events.runtime import metric_counters, tracing
from events.settings.network_address_parsing import HTTP

Application = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
_NOT_SHOWING = ("/static/", "/healthz", "/readyz", "/metrics")
_shown_position = 0  # the position up to which pages of this process have shown events


def django_application(pages: Application | None = None) -> Application:
    """Return an application that answers requests with Django, or `pages`. No other header than the door's names the
    client.

    Probes are answered under any name: an orchestrator asks for them by the address of the container.
    """
    answered_by = pages or WSGIHandler()

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == probe_paths.LIVE:
            start_response("200 OK", [*probe_paths.HEADERS])
            return [probe_paths.IS_LIVE]
        _complete(environ)
        began, began_ns = time.perf_counter(), time.time_ns()
        try:
            return answered_by(environ, start_response)
        finally:
            metric_counters.observe(metric_counters.PAGE, time.perf_counter() - began)
            if tracing.is_on():
                _trace_page(environ["REQUEST_METHOD"], environ["PATH_INFO"], began_ns)

    return application


def _complete(environ: WSGIEnvironment) -> None:
    """Set the client's address and the scheme of the house's address."""
    if environ.get("PATH_INFO") == probe_paths.READY:
        environ["HTTP_HOST"] = "localhost"
    source = signed_person_passes.source(environ.pop("HTTP_PITLEDGER_SOURCE", ""))
    if source is not None:
        environ["REMOTE_ADDR"], environ[monitoring_access.MAY_OBSERVE] = source
    address = address_of(environ.get("HTTP_HOST", ""))
    environ["wsgi.url_scheme"] = address.scheme if address is not None else HTTP
    environ["HTTP_X_FORWARDED_FOR"] = environ["REMOTE_ADDR"]  # where django-allauth looks for it


def _trace_page(method: str, path: str, began_ns: int) -> None:
    """Emit the last span of a trace, where this page is the first of its process to show the events up to here."""
    global _shown_position  # noqa: PLW0603 - the position that this process has shown
    if method != "GET" or path.startswith(_NOT_SHOWING):
        return
    try:
        if (position := read_up_to()) <= _shown_position:
            return
        _shown_position = position
        for stored in installation().store.after(position - 1, 1, until=position):
            parent = tracing.place("project", stored.raw)
            span = tracing.SpanPlace(parent.trace, tracing.place("page", stored.raw).span)
            tracing.emit("page", span, began_ns or time.time_ns(), parent.span, position=position)
    except (PitledgerError, PersistenceError, DatabaseError, OSError):
        return  # the page itself shows it
