"""Traces by OpenTelemetry, off by default: nothing of it is imported until PITLEDGER_TRACES names a collector."""

from contextvars import ContextVar

_current: ContextVar[str] = ContextVar("trace_id", default="")


def trace_id() -> str:
    """Return the trace that this code works for, 32 digits in hex; "" for none."""
    return _current.get()
