"""Requests of the pages' process to the door, over connections that are kept open.

A general HTTP client takes more processor time for such a request than the house takes for the whole action.
"""

import time
from collections import deque
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

import msgspec

IDLE_S = 4.0  # a connection that was unused for longer may be closed at the other end


class DoorAnswer(msgspec.Struct, frozen=True):
    """Status and body of an answer."""

    status_code: int
    content: bytes


class DoorClient:
    """A client of the door at this address, for any thread."""

    def __init__(self, host: str, port: int, within_s: float) -> None:
        self._host, self._port, self._within_s = host, port, within_s
        self._idle: deque[tuple[float, HTTPConnection]] = deque()  # most recently used last

    def post(self, path: str, *, content: bytes, headers: dict[str, str]) -> DoorAnswer:
        """Send a request. Raises TimeoutError, and ConnectionError for an incomplete answer."""
        connection = self._connection()
        try:
            if connection.sock is None:
                connection.connect()
            with suppress(BrokenPipeError, ConnectionResetError):  # the door may answer before it has the whole body
                connection.request("POST", path, content, {"Host": "localhost", **headers})
            response = connection.getresponse()
            answer = DoorAnswer(response.status, response.read())
        except BaseException as error:
            connection.close()
            if isinstance(error, HTTPException | OSError) and not isinstance(error, TimeoutError):
                self.close()  # a door that restarted broke the idle ones too
                raise ConnectionError(str(error)) from error
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle.append((time.monotonic(), connection))
        return answer

    def close(self) -> None:
        """Close the connections that no request uses."""
        with suppress(IndexError):  # another thread may take the last one
            while True:
                self._idle.pop()[1].close()

    def _connection(self) -> HTTPConnection:
        """Return an open connection that was used a moment ago, or a new one."""
        try:
            used_at, connection = self._idle.pop()
        except IndexError:
            return HTTPConnection(self._host, self._port, timeout=self._within_s)
        if time.monotonic() - used_at < IDLE_S:
            return connection
        connection.close()
        self.close()  # the other idle ones are usually older
        return HTTPConnection(self._host, self._port, timeout=self._within_s)
