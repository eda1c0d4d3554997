"""An answer of the interface before any web framework."""

import msgspec
from django.http import HttpResponse

from backoffice.wording.error_code_sentences import with_message
from events.streams.problem_details import Problem

_encode = msgspec.json.Encoder().encode
_HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "1"}, 503: {"Retry-After": "1"}}


class Response(msgspec.Struct, frozen=True):
    """Status, content type, body, and headers that belong to the status."""

    status: int
    kind: str
    body: bytes
    headers: dict[str, str]

    def django(self) -> HttpResponse:
        """The same as Django wants it."""
        return HttpResponse(self.body, content_type=self.kind, status=self.status, headers=self.headers)


def rendered(body: object, status: int) -> Response:
    """The body as JSON, with the headers that belong to the status. A problem without a message gets its own in the
    active language."""
    if not isinstance(body, Problem):
        return Response(status, "application/json", _encode(body), _HEADERS.get(status, {}))
    complete = body if body.message is not None else with_message(body)
    return Response(status, "application/problem+json", _encode(complete), _HEADERS.get(status, {}))
