"""The access log of searches, exports and views of personal data: a chain of its own, separate from the events.

A line is written before the answer leaves the house: without it, no answer is shown. Each line's digest covers the one
before, and every signed head holds the number of lines and the digest of the last
(`events/integrity/signed_head_format.py`). So a reader with a head detects a changed, deleted or inserted line.
"""

import getpass
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, timedelta

import msgspec
from django.db import Error, connections, transaction
from django.db.models import Q
from django.utils import timezone

from backoffice.access import last_log_line_anchor_file
from backoffice.access.database_error_classification import failure_of
from backoffice.access.last_log_line_anchor_file import Anchor
from backoffice.access.models import Look
from backoffice.access.router import ALIAS
from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.error_codes import coded
from events.errors import Defect, Retry
from events.integrity.heads_consistency import Finding
from events.integrity.signed_head_format import Head, Looked
from events.signing.last_signed_head_file import GivenUpAccessLines

SEARCH, PERSON, CERTIFICATE, LOOKS, REPLAY = "search", "person", "certificate", "looks", "replay"
EVENT, ALERT, COMPLETION, CASE = "event", "alert", "completion", "case"
EXPORT_ASKED = "export-asked"  # a file that a background job makes
EXPORT, EXPORTED = "export", "exported"  # a file: its beginning, and the sent part of a long one
KINDS = (SEARCH, COMPLETION, EVENT, PERSON, ALERT, CASE, REPLAY, EXPORT_ASKED, EXPORT, EXPORTED, CERTIFICATE, LOOKS)
WHAT_MAX = 2_000  # characters: a longer text is cut
NO_LINE = ""  # the digest in front of the first line
# for a log that may have lost lines: a restored backup and a cut log look the same
_BACKUP = "If it came from a backup: `./manage.py access-log --accept-restored {}`"
NOT_SHOWN = coded("access-not-recorded")
A_LOOK = timedelta(days=1)  # time for which a page's own reloads belong to one view of it
_LOCK = 0x5049_544C_4F4F_4B  # "PITLOOK": a person who adds a line on PostgreSQL holds it


class AccessLineContent(msgspec.Struct, frozen=True, kw_only=True):
    """The content that a line's digest covers, as JSON with sorted keys and no spaces. `at` is in UTC, to the
    microsecond; `previous` is the digest of the line before, "" for the first."""

    number: int
    at: str
    person: str
    device: str
    source: str
    kind: str
    what: str
    entry_count: int | None = msgspec.field(name="found")
    previous: str


def digest_of(look: Look, previous: str) -> str:
    """Return the digest of a line that follows the line with digest `previous`."""
    at = look.at.astimezone(UTC).isoformat(timespec="microseconds")
    line = struct_from(look, AccessLineContent, at=at, previous=previous)
    return hashlib.sha256(msgspec.json.encode(line, order="sorted")).hexdigest()


def add(kind: str, what: str, *, person: str = "", device: str = "", source: str = "", count: int | None = None) -> int:
    """Add a line and return its number. Raises Retry where it cannot be written: then nothing may be shown."""
    who = {"person": person[:64], "device": device[:64], "source": source[:200]}
    look = Look(at=timezone.now(), kind=kind, what=what[:WHAT_MAX], entry_count=count, **who)
    try:
        close_stale_connections()
        with transaction.atomic(using=ALIAS):
            _wait_for_turn()
            last = access_log_extent()
            look.number = last.lines + 1
            look.digest = digest_of(look, last.digest)
            look.save(force_insert=True)
            transaction.on_commit(lambda: last_log_line_anchor_file.move(_anchor_at(look), _digests(last)), using=ALIAS)
    except Error as error:
        raise failure_of(error, NOT_SHOWN, "PITLEDGER_ACCESS") from error
    return look.number


def has_looked(kind: str, what: str, *, person: str, device: str, any_query: bool = False) -> bool:
    """Return whether this person or device has a line for `what` of the last day; `any_query`: with any query. Raises
    Retry and Defect.
    """
    since = timezone.now() - A_LOOK
    of_target = Q(what=what[:WHAT_MAX]) | (Q(what__startswith=f"{what}?") if any_query else Q())
    try:
        close_stale_connections()
        lines = Look.objects.filter(of_target, at__gte=since, kind=kind, person=person[:64], device=device[:64])
        return lines.exists()
    except Error as error:
        raise failure_of(error, NOT_SHOWN, "PITLEDGER_ACCESS") from error


def last_look(kind: str, *, person: str, device: str, within: timedelta) -> str:
    """Return the text of their last line of this kind, "" if none is within the time. Raises Retry and Defect."""
    lines = Look.objects.filter(at__gte=timezone.now() - within, kind=kind, person=person[:64], device=device[:64])
    try:
        close_stale_connections()
        return lines.order_by("-number").values_list("what", flat=True).first() or ""
    except Error as error:
        raise failure_of(error, NOT_SHOWN, "PITLEDGER_ACCESS") from error


def from_terminal(
    kind: str, what: str, tell: Callable[[str], object], person: str = "", count: int | None = None
) -> bool:
    """Write a line for a command; return whether it was written.

    A person who may run a command has the databases anyway, so a failure is only reported.
    """
    text, source = what.encode("utf-8", "backslashreplace").decode(), f"terminal of {_account()}"
    try:
        add(kind, text, person=person, source=source, count=count)
    except (Defect, Retry) as error:
        tell(f"This view is not in the access log: {error}")
        return False
    return True


def access_log_extent() -> Looked:
    """Return the number of lines and the digest of the last one."""
    last = Look.objects.order_by("-number").values_list("number", "digest").first()
    return Looked(lines=last[0], digest=last[1]) if last else Looked(lines=0, digest=NO_LINE)


def end_if_known() -> Looked | None:
    """The same for a head, which is signed even where this database does not answer."""
    try:
        close_stale_connections()
        return access_log_extent()
    except Error:
        return None


def first_fault(
    heads: Iterator[Head], given_up_lines: Sequence[GivenUpAccessLines] = (), file_anchor: Anchor | None = None
) -> Iterator[Finding]:
    """Yield the first fault of the log: a line that differs from its digest, from a head or from the anchor
    (`file_anchor`), or that is missing. Lines that people gave up (`given_up_lines`) are not missed.

    Raises the database's Error.
    """
    anchors_by_line = _by_lines((head for head in heads if not _is_given_up(head, given_up_lines)), file_anchor)
    before, number = NO_LINE, 0
    for look in Look.objects.order_by("number").iterator():
        if look.number != number + 1:
            yield _finding(f"line {number + 1} of the access log is missing: line {look.number} comes next")
            return
        number = look.number
        if digest_of(look, before) != look.digest:
            yield _finding(f"line {number} of the access log was changed, or the line before it was replaced")
            return
        before = look.digest
        witnesses = anchors_by_line.pop(number, {})
        if (witness := next((name for digest, name in witnesses.items() if digest != before), None)) is not None:
            message = f"line {number} of the access log is not the one that {witness} covers: rewritten"
            yield _finding(f"{message}. {_BACKUP.format(number - 1)}")
            return
    if anchors_by_line:
        yield _cut_off(number, anchors_by_line)


def _cut_off(end_at: int, covered: dict[int, dict[str, str]]) -> Finding:
    """The lines behind the log's end that heads or the anchor cover; named is the one that covers the most of them."""
    longest = max(covered)
    witness = next(iter(covered[longest].values()))
    lines = f"line {longest} is" if longest == end_at + 1 else f"lines {end_at + 1} to {longest} are"
    message = f"the access log ends at line {end_at}, {witness} covers {longest}: {lines} missing, cut off"
    return _finding(f"{message}. {_BACKUP.format(end_at)}")


def _is_given_up(head: Head, given_up_lines: Sequence[GivenUpAccessLines]) -> bool:
    """Return whether people accepted the loss of lines that this head covers. A later head may have the number of a
    lost one."""
    lines = head.looked.lines if isinstance(head.looked, Looked) else 0
    return any(
        lines > accepted.last_kept and head.number <= accepted.head and head.time <= accepted.time
        for accepted in given_up_lines
    )


def _by_lines(heads: Iterator[Head], file_anchor: Anchor | None) -> dict[int, dict[str, str]]:
    """Return, by number of lines, each digest of the last line with its witness: the first head that covers it, else
    the anchor. A later head over as many lines may have seen rewritten ones."""
    covered: dict[int, dict[str, str]] = {}
    for head in heads:
        if isinstance(head.looked, Looked) and head.looked.lines:
            covered.setdefault(head.looked.lines, {}).setdefault(head.looked.digest, f"head {head.number}")
    if file_anchor is not None:
        name = f"what was written from this machine by {file_anchor.at}"
        covered.setdefault(file_anchor.lines, {}).setdefault(file_anchor.digest, name)
    return covered


def _anchor_at(look: Look) -> Anchor:
    return Anchor(lines=look.number, digest=look.digest, at=look.at.astimezone(UTC).isoformat(timespec="seconds"))


def _digests(last: Looked) -> Callable[[int], str | None]:
    """Digests by line; that of the last line is known already."""

    def digest_at(number: int) -> str | None:
        if number == last.lines:
            return last.digest
        return Look.objects.filter(number=number).values_list("digest", flat=True).first()

    return digest_at


def accept_end() -> None:
    """Put the anchor at the log's last line, whichever line it covered before. Raises Invalid and the database's
    Error.
    """
    look = Look.objects.order_by("-number").first()
    last_log_line_anchor_file.set_to(None if look is None else _anchor_at(look))


def _wait_for_turn() -> None:
    """Wait until no other process adds a line: SQLite locks the file as a transaction begins, PostgreSQL takes an
    advisory lock."""
    connection = connections[ALIAS]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _account() -> str:
    """Return the account that runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number without a name
        return str(os.getuid())


def _finding(message: str) -> Finding:
    return Finding("looks", 0, message)  # it is not in the store
