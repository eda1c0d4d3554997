"""An answer in two lines of JSON: the answers to entries as soon as they exist, then the state of the screen.

The dealer's tap waits for the first line only.
"""

import secrets
from gzip import GzipFile

from django.utils.text import StreamingBuffer

from backoffice.http.ambiguous_request_refusal import Pairs

NDJSON = "application/x-ndjson"
LEVEL = 1  # of compression: a local network is fast, and the processor is not
RANDOM_MAX = 100  # characters, so that the length reveals no content (BREACH)


class AnswerLines:
    """The lines, each compressed as a piece of its own if the client accepts gzip."""

    def __init__(self, *, is_compressed: bool) -> None:
        self._pieces = StreamingBuffer()
        name = "a" * secrets.randbelow(RANDOM_MAX)
        self._gzip = (
            GzipFile(filename=name, mode="wb", compresslevel=LEVEL, fileobj=self._pieces, mtime=0)
            if is_compressed
            else None
        )

    def headers(self, of_first: Pairs) -> Pairs:
        """Return the headers of the whole answer, by those of its first line."""
        headers = dict(of_first)
        vary = [name for name in (headers.get("vary", ""), "Accept-Encoding") if name]
        return [
            *((name, value) for name, value in of_first if name not in ("vary", "content-type", "content-length")),
            ("vary", ", ".join(vary)),
            ("content-type", NDJSON),
            ("content-encoding", "gzip" if self._gzip else "identity"),
            ("x-accel-buffering", "no"),  # nginx would collect both lines before it passes them on
        ]

    def first(self, line: bytes) -> bytes:
        """Return the piece with the first line."""
        return self._piece(line)

    def last(self, line: bytes) -> bytes:
        """Return the piece with the last line, and the end; no line where it is empty."""
        piece = self._piece(line) if line else b""
        if self._gzip is None:
            return piece
        self._gzip.close()
        return piece + self._pieces.read()

    def _piece(self, line: bytes) -> bytes:
        if self._gzip is None:
            return line + b"\n"
        self._gzip.write(line + b"\n")
        self._gzip.flush()
        return self._pieces.read()
