"""The log lines of every part, as text or as JSON (PITLEDGER_LOG): one a line, without secrets, repeated errors only
counted.

Lines of structlog and of the standard library use the same handlers. A repeated warning or error is written once. Then
it is counted, and written with its count after growing pauses. Another line of the same logger, or a minute without it,
ends that: the next one is written at once.
"""

import logging
import os
import re
import sys
import time
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, TextIO

import msgspec

from backoffice.running.open_files_locks_full_disk import if_there_is_room
from backoffice.running.part_names_and_own_part import OTHER, own_part
from events.errors import Invalid
from events.runtime import metric_counters, tracing
from events.settings.setting_declarations import SECRETS
from events.settings.settings_from_environment import settings

PAUSES_S = (10.0, 60.0, 600.0, 3600.0)  # between two lines about a lasting error
QUIET_S = 60.0  # without it, and it is over
KEYS_MAX = 500  # different errors that are remembered
_VARYING = re.compile(r"0x[0-9a-f]+|\d+")
_PASSWORD = re.compile(r"(://[^:/@\s]+):[^@\s]+@")
_HIDDEN = "***"
# attributes that are no field of a line
_OWN = logging.makeLogRecord({}).__dict__.keys() | {"message", "asctime", "taskName"}
_KINDS = (
    ("task broker", re.compile(r"task broker|redis|amqp|kombu|celery", re.IGNORECASE)),
    ("kafka", re.compile(r"kafka|broker|the topic|the relay", re.IGNORECASE)),
    ("disk", re.compile(r"no space|disk is full|no room", re.IGNORECASE)),
    ("quarantined", re.compile(r"put aside", re.IGNORECASE)),
    ("database", re.compile(r"database|event store|read models|access log|psycopg|sqlite|postgres", re.IGNORECASE)),
    ("witness", re.compile(r"witness", re.IGNORECASE)),
)


class _Repeat:
    """One error that comes repeatedly."""

    __slots__ = ("count", "last", "logged_at", "pause")

    def __init__(self, now: float) -> None:
        self.logged_at = self.last = now
        self.pause = self.count = 0


class Repeats:
    """Decides which warnings and errors are logged. Several threads may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._repeats: dict[tuple[str, str], _Repeat] = {}

    def admit(self, logger: str, level: int, message: str) -> int | None:
        """Return the number of omissions of the line since it was last logged; None if it is omitted now."""
        if level < logging.WARNING:
            self._forget(logger)
            return 0
        now, key = self._clock(), (logger, _VARYING.sub("#", message))
        repeat = self._repeats.get(key)
        if repeat is None or now - repeat.last > max(QUIET_S, PAUSES_S[min(repeat.pause, len(PAUSES_S) - 1)]):
            self._remember(key, now)
            return 0
        repeat.last = now
        if now - repeat.logged_at < PAUSES_S[repeat.pause]:
            repeat.count += 1
            return None
        count, repeat.count, repeat.logged_at = repeat.count + 1, 0, now
        repeat.pause = min(repeat.pause + 1, len(PAUSES_S) - 1)
        return count

    def _remember(self, key: tuple[str, str], now: float) -> None:
        while len(self._repeats) >= KEYS_MAX:
            self._repeats.pop(next(iter(self._repeats)), None)
        self._repeats[key] = _Repeat(now)

    def _forget(self, logger: str) -> None:
        for key in [key for key in list(self._repeats) if key[0] == logger]:
            self._repeats.pop(key, None)


repeats = Repeats()


def count_message(message: str, logger: str, *, is_unexpected: bool) -> None:
    """Count an error or a warning, also one that is left out, by its kind."""
    text = f"{logger} {message}"
    kind = next((name for name, pattern in _KINDS if pattern.search(text)), "unexpected" if is_unexpected else "other")
    metric_counters.count(metric_counters.ERRORS, metric_counters.own_part, kind)


@lru_cache(maxsize=1)
def _secrets() -> tuple[str, ...]:
    """The values of this process's secrets, which no line may hold."""
    values = [os.environ.get(name, "") for name in SECRETS]
    for name in SECRETS:
        if path := os.environ.get(f"{name}_FILE"):
            try:
                with open(path, encoding="utf-8") as file:
                    values.append(file.read().strip())
            except OSError:  # set by the settings
                continue
    return tuple(value for value in values if len(value) >= 6)


def without_secrets(text: str) -> str:
    """Return the text without passwords in addresses and without the values of secret settings."""
    text = _PASSWORD.sub(rf"\1:{_HIDDEN}@", text) if "://" in text else text
    for secret in _secrets():
        if secret in text:
            text = text.replace(secret, _HIDDEN)
    return text


def json_line(level: str, message: str, *, part: str = "", logger: str = "", **fields: Any) -> str:
    """Return one line of JSON, without its end: time (UTC), level, part, message, and further fields."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line: dict[str, Any] = {"time": now, "level": level, "part": part or own_part(), "message": str(message)}
    if logger:
        line["logger"] = logger
    if trace := tracing.trace_id():
        line["trace_id"] = trace
    line |= {name: value for name, value in fields.items() if name not in line}
    return without_secrets(msgspec.json.encode(line, enc_hook=str).decode())


# --- the standard library's lines -------------------------------------------------------------------------------------


class NoFloods(logging.Filter):
    """Filter that leaves out repeated lines, and logs their number."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Called by every handler that has it; once a record, however many there are."""
        is_announced: bool | None = getattr(record, "is_said", None)
        if is_announced is not None:
            return is_announced
        message = record.msg if isinstance(record.msg, str) else record.getMessage()
        if record.levelno >= logging.WARNING:
            error = record.exc_info[1] if record.exc_info else ""
            count_message(f"{message} {error}", record.name, is_unexpected=bool(record.exc_info))
        count = repeats.admit(record.name, record.levelno, message)
        record.__dict__.update(is_said=count is not None, repeated=count or 0)
        return count is not None


class Plain(logging.Formatter):
    """Text lines."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if repeated := getattr(record, "repeated", 0):
            text = f"{text} (and {repeated} times since it was said last)"
        return without_secrets(text)


class Json(logging.Formatter):
    """JSON lines, with a traceback within its line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {name: value for name, value in record.__dict__.items() if name not in _OWN}
        fields.pop("is_said", None)
        if not fields.get("repeated"):
            fields.pop("repeated", None)
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            fields["stack"] = record.stack_info
        return json_line(record.levelname.lower(), record.getMessage(), logger=record.name, **fields)


def formatter(form: Literal["text", "json"], plain: str) -> logging.Formatter:
    """Return the formatter of a form; `plain` is the layout of a line of text."""
    return Json() if form == "json" else Plain(plain)


def is_json() -> bool:
    """Return whether this process logs JSON; False for unreadable settings, which are reported as text."""
    try:
        return settings().log == "json"
    except Invalid:
        return False


class ByEnvironment(logging.Formatter):
    """Formatter for a logging configuration in a file, as granian takes it: JSON where the environment asks for it."""

    def __init__(self, plain: str = "[%(levelname)s] %(message)s") -> None:
        super().__init__(plain)
        self._formatter = formatter("json" if is_json() else "text", plain)

    def format(self, record: logging.LogRecord) -> str:
        return self._formatter.format(record)


# --- structlog's lines ------------------------------------------------------------------------------------------------


def configure_structlog(form: Literal["text", "json"]) -> None:
    """Have structlog's lines take the same way: levels, repeats, secrets, form."""
    import structlog

    def hold_back(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        level, name = logging.getLevelNamesMapping().get(method.upper(), logging.INFO), getattr(logger, "name", "")
        message = str(event.get("event", ""))
        if level >= logging.WARNING:
            details = " ".join(str(event[key]) for key in ("why", "error") if key in event)
            count_message(f"{message} {details}", name, is_unexpected=bool(event.get("exc_info")))
        if (count := repeats.admit(name, level, message)) is None:
            raise structlog.DropEvent
        return {**event, "repeated": count} if count else event

    def as_json(logger: Any, method: str, event: MutableMapping[str, Any]) -> str:
        message, level = event.pop("event", ""), event.pop("level", method)
        return json_line(level, message, logger=getattr(logger, "name", ""), **event)

    def as_text(logger: Any, method: str, event: MutableMapping[str, Any]) -> str:
        return without_secrets(str(console(logger, method, event)))

    console = structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty())
    shared: list[Any] = [structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, hold_back]
    shared += [structlog.processors.StackInfoRenderer(), structlog.dev.set_exc_info]
    if form == "json":
        processors = [*shared, structlog.processors.format_exc_info, as_json]
    else:
        processors = [*shared, structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False), as_text]
    structlog.configure(processors=processors, logger_factory=_named_logger)


def _named_logger(*names: Any) -> Any:
    """A logger that knows its name."""
    import structlog

    logger = structlog.PrintLogger(sys.stdout)
    logger.name = str(names[0]) if names else ""  # type: ignore[attr-defined]  # for the processors
    return logger


def begin(form: Literal["text", "json"]) -> None:
    """Set up logging outside the logging configuration. A command of people loads no library for it."""
    if own_part() != OTHER:
        configure_structlog(form)
        if form == "json":
            speak_json()


# --- written and not logged -------------------------------------------------------------------------------------------


class JsonStream:
    """A text stream on which every line that is written comes out as JSON; lines that are JSON already stay so."""

    def __init__(self, stream: TextIO, level: str) -> None:
        self._stream, self._level, self._line_start = stream, level, ""

    def write(self, text: str) -> int:
        """Write the lines that are whole, and keep the rest until it is."""
        *lines, self._line_start = (self._line_start + text).split("\n")
        for line in lines:
            self._write_line(line)
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Pass the written lines on."""
        self._stream.flush()

    def isatty(self) -> bool:
        """A program reads it."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _write_line(self, line: str) -> None:
        if line.strip():
            text = line if line.startswith('{"time":') else json_line(self._level, line.strip())
            with if_there_is_room():
                self._stream.write(f"{text}\n")


def speak_json() -> None:
    """Have everything that this process writes come out as JSON lines: prints, warnings, an exception that ends it."""
    if isinstance(sys.stdout, JsonStream):
        return
    sys.stdout, sys.stderr = JsonStream(sys.stdout, "info"), JsonStream(sys.stderr, "warning")
    sys.excepthook = _log_in_one_line


def _log_in_one_line(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Log the error that ends the process."""
    if not issubclass(kind, KeyboardInterrupt):
        logging.getLogger("pitledger").critical("the process ends: %s", error, exc_info=(kind, error, trace))
