"""Problems as callers get them: RFC 9457 problem details, with the rule's clause."""

from typing import Any

from msgspec import Struct

from events.error_codes import ErrorText, json_params
from events.errors import (
    Busy,
    Conflict,
    Defect,
    Forbidden,
    Invalid,
    NotYet,
    PitledgerError,
    Refused,
    Retry,
    SecondFactor,
    Unknown,
)

_STATUS: tuple[tuple[type[PitledgerError], int, str], ...] = (
    (Refused, 422, "A rule forbids this"),
    (Invalid, 400, "Invalid input"),
    (SecondFactor, 403, "Second factor"),
    (Forbidden, 403, "Not permitted"),
    (Unknown, 404, "Not found"),
    (Conflict, 409, "Conflict"),
    (Defect, 500, "Stored data must be repaired first"),
    (Busy, 429, "Too many requests"),
    (NotYet, 503, "Not yet: repeat in a moment with the same key"),
    (Retry, 503, "Try again with the same keys"),
)


class Problem(Struct, frozen=True, omit_defaults=True):
    """An `application/problem+json` object. `key` and `index` name the action, `clause` the rule, `field` the input.

    `detail` is English. `code` is stable, with its parameters in `params`; `message` is the sentence in the language of
    the reader, with amounts and times as people write them.
    """

    status: int
    title: str
    detail: str
    type: str = "about:blank"
    key: str | None = None
    index: int | None = None
    clause: str | None = None
    source: str | None = None
    reading: str | None = None
    field: str | None = None
    code: str | None = None
    params: dict[str, Any] | None = None
    message: str | None = None


def problem_of(error: PitledgerError, key: str | None = None, index: int | None = None) -> Problem:
    """The problem that an error is to its caller."""
    status, title = next(
        ((status, title) for shape, status, title in _STATUS if isinstance(error, shape)), (500, "Oops")
    )
    text = error.text
    code, params = (text.code, json_params(text, error.currency)) if isinstance(text, ErrorText) else (None, None)
    if isinstance(error, Refused):
        return Problem(
            status,
            title,
            error.message,
            key=key,
            index=index,
            clause=error.clause,
            source=error.source or None,
            reading=error.reading or None,
            field=error.field or None,
            code=code,
            params=params,
        )
    field = error.field if isinstance(error, Invalid) else None
    return Problem(status, title, str(error), key=key, index=index, field=field, code=code, params=params)


def problem_about(status: int, title: str, text: str | ErrorText, key: str | None = None) -> Problem:
    """Return a problem that no error of the domain is, as HTTP brings it."""
    code, params = (text.code, json_params(text)) if isinstance(text, ErrorText) else (None, None)
    return Problem(status, title, str(text), key=key, code=code, params=params)
