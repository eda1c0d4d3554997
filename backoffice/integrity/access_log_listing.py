"""Access log for the auditor, newest lines first."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import unquote

import msgspec
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import (
    ALERT,
    CASE,
    CERTIFICATE,
    COMPLETION,
    EVENT,
    EXPORT,
    EXPORT_ASKED,
    EXPORTED,
    KINDS,
    LOOKS,
    PERSON,
    REPLAY,
    SEARCH,
)
from backoffice.jobs.job_state_and_lease_files import Basis
from events.error_codes import coded
from events.errors import Invalid

SHOWN = 100
AT_ONCE, SHORT = 1_000, 10_000
WORDS = {
    SEARCH: gettext_lazy("search"),
    COMPLETION: gettext_lazy("ids suggested while typing"),
    EVENT: gettext_lazy("event"),
    PERSON: gettext_lazy("page"),
    ALERT: gettext_lazy("alerts"),
    CASE: gettext_lazy("cases"),
    REPLAY: gettext_lazy("replay of a round"),
    EXPORT_ASKED: gettext_lazy("export requested"),
    EXPORT: gettext_lazy("export"),
    EXPORTED: gettext_lazy("export, incomplete"),
    CERTIFICATE: gettext_lazy("certificate"),
    LOOKS: gettext_lazy("access log"),
}
_COLUMNS = ("number", "at", "person", "device", "source", "kind", "what", "entry_count", "digest")


class Seen(msgspec.Struct, frozen=True):
    """A line: person, time, address, target, and number of entries in the answer (null: not counted)."""

    number: int
    at: datetime
    person: str
    device: str
    source: str
    kind: str
    what: str
    entry_count: int | None = msgspec.field(name="found")
    digest: str

    @property
    def address(self) -> str:
        """Return the address as people read it. Lines from before 2026-11-26 hold percent signs."""
        return unquote(self.what)

    @property
    def words(self) -> "str | Promise":
        """Return the kind of access in words."""
        return WORDS.get(self.kind, self.kind)


class AllSeen(msgspec.Struct, frozen=True):
    """A page of them, newest first; continue with `before=older`, null where there is no longer."""

    looks: tuple[Seen, ...]
    older: int | None
    person: str
    kind: str


def access_log_lines(before: int | None = None, person: str = "", kind: str = "") -> AllSeen:
    """Return lines below a number, or the newest; of one person or kind. Raises Invalid for an unknown kind."""
    rows = _matching(person, kind).order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    lines = tuple(Seen(*row) for row in rows.values_list(*_COLUMNS)[: SHOWN + 1])
    return AllSeen(lines[:SHOWN], lines[SHOWN - 1].number if len(lines) > SHOWN else None, person, kind)


def every_look(after: int = 0, person: str = "", kind: str = "") -> Iterator[Seen]:
    """All behind a number, oldest first. Raises Invalid for an unknown kind."""
    rows = _matching(person, kind).filter(number__gt=after).order_by("number")
    return (Seen(*row) for row in rows.values_list(*_COLUMNS).iterator())


def line_batches(after: int, until: int, person: str = "", kind: str = "") -> Iterator[tuple[tuple[Seen, ...], int]]:
    """Yield lines behind one number up to another (0: the end), with the number that each piece reaches."""
    until = until or line_basis().position
    rows = _matching(person, kind).filter(number__lte=until).order_by("number")
    while seen := tuple(Seen(*row) for row in rows.filter(number__gt=after).values_list(*_COLUMNS)[:AT_ONCE]):
        after = seen[-1].number
        yield seen, after


def is_short(person: str = "", kind: str = "") -> bool:
    """Return whether these are few lines. Raises Invalid for an unknown kind."""
    return _matching(person, kind)[: SHORT + 1].count() <= SHORT


def line_basis(number: int = 0) -> Basis:
    """Return a line's number and digest as the basis of an answer; without a number those of the last line."""
    lines = Look.objects.filter(number=number) if number else Look.objects.all()
    row = lines.order_by("-number").values_list("number", "digest").first()
    return Basis(*row) if row else Basis(0)


def holds(basis: Basis) -> bool:
    """Return whether the log still has this line: it may have been restored from a backup."""
    return not basis.position or line_basis(basis.position) == basis


def _matching(person: str, kind: str) -> QuerySet[Look]:
    if kind and kind not in KINDS:
        raise Invalid("kind", coded("one-of-these", known=list(KINDS)))
    parameters = {"person": person, "kind": kind}
    return Look.objects.filter(**{name: value for name, value in parameters.items() if value})
