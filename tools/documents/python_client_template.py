"""Client of the action interface of a Pitledger house. One file, Python 3.11 or later, with its standard library only.

    house = Client("http://127.0.0.1:8000").by("the badge")
    house.act_tables("FR1", [{"type": "round.open", "key": "FR1:2026-11-21:1"}])

A request without an answer is repeated with the same keys, so that no action is done twice. Amounts are whole minor
units.
"""

import http.client
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

AGAIN = frozenset({429, 500, 502, 503, 504})


class Refused(Exception):
    """The house says no; `problem` says why (RFC 9457): `status`, `detail`, and the `clause` of a rule."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        clause = f" ({problem['clause']})" if problem.get("clause") else ""
        super().__init__(f"{problem.get('status')} {problem.get('title')}: {problem.get('detail')}{clause}")
        self.problem = dict(problem)


class NoAnswer(Exception):
    """No answer within the patience; the request may have taken effect, or not."""


class Wire:
    """A connection, for one thread. `repeated` counts the repeated requests.

    `patience_s` is the time for which it retries, `pause_s` the longest pause between two attempts.
    """

    def __init__(
        self, base_url: str, *, patience_s: float = 60.0, pause_s: float = 5.0, timeout_s: float = 30.0
    ) -> None:
        url = urlsplit(base_url)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        self._line = kind(url.hostname or "", url.port, timeout=timeout_s)
        self._patience_s, self._pause_s = patience_s, pause_s
        self.repeated = 0

    def close(self) -> None:
        """Hang up; the next question connects again."""
        self._line.close()

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], query: Mapping[str, object], body: object = None
    ) -> Any:
        """The answer, from JSON; an archive as bytes. `body`: bytes, or what JSON has. Raises Refused and NoAnswer."""
        parameters = {name: value for name, value in query.items() if value is not None}
        target = path + (f"?{urlencode(parameters, doseq=True)}" if parameters else "")
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        until = time.monotonic() + self._patience_s
        while True:
            status, pause, answer = self._once(method, target, headers, content)
            if status == 200:
                return answer
            if status and status not in AGAIN:
                raise Refused(answer)
            if time.monotonic() + pause > until:
                raise NoAnswer(f"{path}: {answer}")
            self.repeated += 1
            time.sleep(pause)

    def _once(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> tuple[int, float, Any]:
        """Return the status (0: no answer), the pause before the next attempt, and the answer."""
        try:
            self._line.request(method, target, body, dict(headers))
            response = self._line.getresponse()
            raw = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._line.close()
            return 0, min(0.1, self._pause_s), repr(error)
        retry_after = response.getheader("Retry-After") or "0.1"
        if response.getheader("Content-Type") == "application/zip":
            return response.status, 0.0, raw
        return response.status, min(float(retry_after), self._pause_s), _content(response.status, raw)


def _content(status: int, raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return {"status": status, "title": "No answer of the interface", "detail": raw[:200].decode("utf-8", "replace")}
