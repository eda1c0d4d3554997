"""Traces by OpenTelemetry, off by default: its library is not imported until PITLEDGER_TRACES names a collector.

An append is a trace: the requests whose actions it holds, the append itself, the relay, the projector, and the first
page that shows it. All events of an append have one moment of recording. From the events' own bytes every process
derives the ids of the trace, so the bytes hold no trace and stay unchanged. Records on Kafka carry it in a header.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.settings.settings_from_environment import settings

HEADER = "traceparent"  # W3C Trace Context
DELAY_MS = 1_000  # between two exports
_current: ContextVar[str] = ContextVar("trace_id", default="")
_tracer: Any = None
_ids: Any = None


class _Moment(msgspec.Struct):
    source: str
    recordedat: str


_moment = msgspec.json.Decoder(_Moment)


class SpanPlace(NamedTuple):
    """A span by its ids: where further spans of the trace hang."""

    trace: int
    span: int

    @property
    def header(self) -> str:
        """The value of the header `traceparent`."""
        return f"00-{self.trace:032x}-{self.span:016x}-01"


def is_on() -> bool:
    """Return whether this process makes traces."""
    return _tracer is not None


def trace_id() -> str:
    """Return the trace that this code works for, 32 digits in hex; "" for none."""
    return _current.get()


def place(step: str, raw: bytes) -> SpanPlace:
    """Return the span of a step ("append", "relay", "project") in the trace of an event, by the event's bytes."""
    moment = _moment.decode(raw)
    whole = hashlib.sha256(f"trace {moment.source} {moment.recordedat}".encode()).digest()
    return SpanPlace(int.from_bytes(whole[:16]) or 1, _span(f"{step} {moment.source} {moment.recordedat}"))


def request_span(key: str) -> int:
    """Return the span of a request, by the key of its first action."""
    return _span(f"request {key}")


def _span(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) or 1


def parsed(header: str) -> SpanPlace | None:
    """Return the place of a `traceparent` header; None where it does not have one."""
    parts = header.split("-")
    if len(parts) != 4 or (len(parts[1]), len(parts[2])) != (32, 16):
        return None
    return SpanPlace(int(parts[1], 16), int(parts[2], 16))


def emit(name: str, span: SpanPlace, began_ns: int, parent: int = 0, **attributes: str | int) -> None:
    """Make a span that ends now, with these ids, below `parent` in the same trace (0: without a parent)."""
    if _tracer is None:
        return
    from opentelemetry import trace
    from opentelemetry.context import Context

    _ids.take(span)
    context = Context()
    if parent:
        above = trace.SpanContext(span.trace, parent, is_remote=True, trace_flags=trace.TraceFlags(1))
        context = trace.set_span_in_context(trace.NonRecordingSpan(above), context)
    prefixed = {f"pitledger.{key}": value for key, value in attributes.items()}
    _tracer.start_span(name, context=context, start_time=began_ns, attributes=prefixed).end(time.time_ns())


@contextmanager
def working_for(span: SpanPlace | None) -> Iterator[None]:
    """Have the log lines of this block carry the trace."""
    token = _current.set(f"{span.trace:032x}" if span is not None else "")
    try:
        yield
    finally:
        _current.reset(token)


def begin(part: str, exporter: Any = None) -> None:
    """Make traces in this process, where PITLEDGER_TRACES names a collector (or tests bring an exporter).

    Raises Invalid where the packages for it are not installed.
    """
    global _tracer, _ids  # noqa: PLW0603 - one tracer a process
    if (not settings().traces and exporter is None) or _tracer is not None:
        return
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        how = "install them: pip install --require-hashes -r requirements-traces.lock"
        raise Invalid("PITLEDGER_TRACES", coded("traces-not-installed", how=how)) from None
    _ids = _ids_of_ours()
    named = Resource.create({"service.name": "pitledger", "pitledger.part": part})
    provider = TracerProvider(resource=named, id_generator=_ids)
    provider.add_span_processor(BatchSpanProcessor(exporter or _exporter(), schedule_delay_millis=DELAY_MS))
    _tracer = provider.get_tracer("pitledger")


def _exporter() -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=f"{settings().traces.rstrip('/')}/v1/traces")


def _ids_of_ours() -> Any:
    """A generator of ids that gives those that `emit` asks for."""
    import threading

    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class Ids(RandomIdGenerator):
        def __init__(self) -> None:
            self._next = threading.local()

        def take(self, span: SpanPlace) -> None:
            self._next.span = span

        def generate_trace_id(self) -> int:
            return int(self._next.span.trace)

        def generate_span_id(self) -> int:
            return int(self._next.span.span)

    return Ids()
