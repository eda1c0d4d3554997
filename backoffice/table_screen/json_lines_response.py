"""An answer in two lines of JSON: the answers to entries as soon as they exist, then the state of the screen.

The dealer's tap waits for the first line only. It is compressed and sent before the second line is computed.
"""

import logging
import secrets
import time
from collections.abc import Callable, Iterator
from gzip import GzipFile

import msgspec
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.text import StreamingBuffer

from backoffice.http.ndjson_content_type import KIND
from events.errors import PitledgerError

LEVEL = 1  # of compression: a local network is fast, and the processor is not
RANDOM_MAX = 100  # characters, so that the length reveals no content (BREACH)
PAUSE_S = 0.001  # without it this thread keeps the interpreter from the one that sends the first line
log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


def in_lines(request: HttpRequest, answers: object, state: Callable[[], object]) -> StreamingHttpResponse:
    """Return a response with the answers, then with the state, which is computed after the first line was sent.

    Where the state cannot be computed its line is left out: the device asks for it and gets the reason.
    """
    lines = _lines(answers, state, translation.get_language())
    is_compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    response = StreamingHttpResponse(_compressed(lines) if is_compressed else lines, content_type=KIND)
    response.headers["Content-Encoding"] = "gzip" if is_compressed else "identity"  # the middleware would wait
    response.headers["X-Accel-Buffering"] = "no"  # nginx would collect both lines before it passes them on
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


def _lines(answers: object, state: Callable[[], object], language: str | None) -> Iterator[bytes]:
    yield _encode(answers) + b"\n"
    time.sleep(PAUSE_S)
    try:
        with translation.override(language):
            yield _encode(state()) + b"\n"
    except PitledgerError:
        return
    except Exception:
        log.exception("the state after an entry could not be computed")


def _compressed(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Return each line compressed as a piece of its own."""
    buffer = StreamingBuffer()
    name = "a" * secrets.randbelow(RANDOM_MAX)
    with GzipFile(filename=name, mode="wb", compresslevel=LEVEL, fileobj=buffer, mtime=0) as compressed:
        for line in lines:
            compressed.write(line)
            compressed.flush()
            yield buffer.read()
    yield buffer.read()
