"""Errors, typed by the caller's next step. Their text is a code with parameters (`events/error_codes`)."""

from collections.abc import Mapping
from typing import Any

from events.error_codes import ErrorText, coded


class PitledgerError(Exception):
    """Base of everything we raise on purpose. `currency`: that of its amounts, where the place has one."""

    currency: str = ""

    @property
    def text(self) -> str | ErrorText:
        """The text that it was raised with: a code with parameters. `str()` of it is the English sentence."""
        text = self.args[0] if self.args else ""
        return text if isinstance(text, ErrorText) else str(text)

    @property
    def code(self) -> str:
        """The code of its text; "" for an error without one."""
        return self.text.code if isinstance(self.text, ErrorText) else ""

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of its text."""
        return self.text.params if isinstance(self.text, ErrorText) else {}


class Refused(PitledgerError):
    """A rule forbids it: tell the person, change nothing (HTTP 422).

    `clause` is the ruleset, section and number of the rule book ("craps-gr B.2"). `source` is the source document's own
    paragraph ("000 §10a(2)"). `reading` is the code of the chosen reading where the text is open ("GRC-3"). Rules of
    the house (a session's procedure, a key's form) use the clause "house ...". `field` is the field of the action that
    is refused ("data.amount_minor"), where one is.
    """

    def __init__(
        self, clause: str, text: str | ErrorText, *, source: str = "", reading: str = "", field: str = ""
    ) -> None:
        super().__init__(text)
        self.clause = clause
        self.source = source
        self.reading = reading
        self.field = field

    @property
    def message(self) -> str:
        """The English sentence, without the clause."""
        return str(self.text)

    def __str__(self) -> str:
        return f"{self.message} [{self.clause}]"


class NotApproved(Refused):
    """Lawful, but not by these people alone: another person must approve it first."""


class NoSuchBet(Refused):
    """The layout has no such bet, so a report of it is refused as well."""


class OwnMatter(Refused):
    """The matter concerns this person: another person must decide it."""


class Full(Refused):
    """A bound of the system is reached: it keeps one table's state small, and is no rule of the house."""


class Invalid(PitledgerError):
    """The input is impossible: name the field and correct it (HTTP 400)."""

    def __init__(self, field: str, text: str | ErrorText) -> None:
        super().__init__(text)
        self.field = field

    @property
    def message(self) -> str:
        """The English sentence, without the field."""
        return str(self.text)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class Unknown(PitledgerError):
    """There is no such table, progressive, session or hit (HTTP 404)."""


class Forbidden(PitledgerError):
    """The person is known but not in a role for this, or the device is bound elsewhere (HTTP 403)."""


class SecondFactor(Forbidden):
    """The title "Second factor": in a role for this, but with a bare badge, or with a factor shown too long ago. Show
    it again where you sign in, and send the same, under the same key (HTTP 403).
    """


class Conflict(PitledgerError):
    """Another process wrote first, or the key was used with another content (HTTP 409)."""


class Stale(Conflict):
    """A stream is not at the expected version: read it again and decide again."""


class KeyReused(Conflict):
    """The action key was used before, with another content: use a new key."""


class Poison(PitledgerError):
    """This event cannot be decoded or applied: quarantine it, stop its stream, continue with the others."""


class Defect(PitledgerError):
    """The house cannot do this until a person repairs it: the message gives the repair.

    The same request has the same answer (HTTP 500).
    """


class Retry(PitledgerError):
    """A server did not answer in time; nothing is known to be wrong: do the same again, with the same keys."""


class Damaged(Retry):
    """Stored data cannot be read: stop, and put the backup back. The same again is right after that (HTTP 503)."""


class NotYet(Retry):
    """Allowed, but too early: its preparation is under way. Retry the same request in a moment (HTTP 503)."""


class Busy(Retry):
    """Too many are waiting already: come again in a moment (HTTP 429)."""


def defect_of(error: Exception) -> PitledgerError:
    """Return the answer to a caller for an unexpected error.

    It is Retry for an error of a kind that passes, else Defect, since the same request fails the same way.
    """
    if isinstance(error, MemoryError | TimeoutError | ConnectionError):
        return Retry(coded("not-done-now", kind_of_error=type(error).__name__))
    description = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}"
    if isinstance(error, UnicodeError):
        return Defect(coded("text-not-encoded", description=description))
    return Defect(coded("unexpected-error", description=description))


def require_reason(reason: str, clause: str) -> None:
    """Raise Refused for a blank reason."""
    if not reason.strip():
        raise Refused(clause, coded("reason-needed"))
