"""The last and the running verification: a note in the access log's database, and their state for pages.

The note is no proof: for a proof, run `./manage.py verify`. Every run of the worker or of a person writes it. The pages
of every container show it, with the witness's copy outside the house.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

import msgspec

from backoffice.running import child_process_start_and_end
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.errors import Retry
from events.integrity.audit import Audit
from events.integrity.heads_consistency import Finding
from events.relay import witness_delivery as outside
from events.runtime import clock
from events.settings.settings_from_environment import settings
from events.store.named_notes_shared_by_processes import Notes

NOTE = "verification"
ALIVE_EVERY_S = 3.0
ALMOST = 99.0
SILENT_S = 60.0  # a run on another machine without a sign of life for this long has ended


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """A verification that ended. `first`: the first of the `findings`. `why`: the source that could not be read.

    `events` is the number in the store, `read` by this run; `covered` is the last position that a head covers.
    """

    began: datetime
    ended: datetime
    holds: bool = False
    first: Finding | None = None
    findings: int = 0
    why: str = ""
    position: int = 0
    events: int = 0
    read: int = 0
    per_s: int = 0
    heads: int = 0
    covered: int = 0
    uncovered: int = 0
    compared: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class RunningVerification(msgspec.Struct, frozen=True, kw_only=True):
    """A running verification. `host`: the machine or container of its process. `percent`: its finished part.

    `alive_at`: its last sign of life for other hosts, in seconds of the machine's time.
    """

    began: datetime
    who: child_process_start_and_end.Identity | None
    host: str = ""
    alive_at: float = 0.0
    percent: float = 0.0

    @property
    def at_work(self) -> bool:
        """Return whether it still runs; False for a run that was killed."""
        if self.host not in ("", socket.gethostname()):
            return time.time() - self.alive_at < SILENT_S
        return self.who is not None and child_process_start_and_end.identify(self.who.pid) == self.who


class VerificationNote(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the note."""

    last: Verification | None = None
    begun: RunningVerification | None = None


def read_note() -> VerificationNote:
    """Return the last recorded result; empty before the first verification. Raises Retry."""
    try:
        return msgspec.json.decode(_notes().read(NOTE) or _former_note(), type=VerificationNote)
    except msgspec.MsgspecError:
        return VerificationNote()


def begin() -> RunningVerification:
    """Record that this process verifies. Raises Retry."""
    who = child_process_start_and_end.identify(os.getpid())
    begun = RunningVerification(began=clock.moment(), who=who, host=socket.gethostname(), alive_at=time.time())
    _write(msgspec.structs.replace(read_note(), begun=begun))
    return begun


class RunProgress:
    """Progress of a run, in per cent. It only grows, and only the end reaches 100."""

    def __init__(self) -> None:
        self.percent = 0.0

    def __call__(self, share: float) -> None:
        """Note the share (0 to 1) that is done."""
        self.percent = max(self.percent, min(100.0 * share, ALMOST))


@contextmanager
def alive(verification: RunningVerification | None, progress: RunProgress | None = None) -> Iterator[None]:
    """Record signs of life and the progress of a recorded run until the end of the block."""
    stop, progress = threading.Event(), progress or RunProgress()

    def work() -> None:
        while verification is not None and not stop.wait(ALIVE_EVERY_S):
            now = msgspec.structs.replace(verification, alive_at=time.time(), percent=progress.percent)
            with suppress(Retry):
                _write(msgspec.structs.replace(read_note(), begun=now))

    thread = threading.Thread(target=work, name="verification", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def record_result(verification: RunningVerification, audit: Audit | None, why: str = "") -> None:
    """Record the result. Raises Retry."""
    began_at, ended_at = verification.began, clock.moment()
    if audit is None:
        _write(VerificationNote(last=Verification(began=began_at, ended=ended_at, why=why)))
        return
    events_read = audit.events - audit.begun
    last = struct_from(
        audit,
        Verification,
        began=began_at,
        ended=ended_at,
        why=why,
        first=audit.findings[0] if audit.findings else None,
        findings=len(audit.findings),
        read=events_read,
        per_s=round(events_read / max(audit.seconds, 0.001)),
        compared=tuple(audit.compared),
        gaps=tuple(audit.gaps),
        left_out=tuple(audit.left_out),
    )
    _write(VerificationNote(last=last))


def _write(content: VerificationNote) -> None:
    _notes().write(NOTE, msgspec.json.encode(content))


def _notes() -> Notes:
    return Notes(settings().access)


def _former_note() -> bytes:
    """Return the file of an earlier version, until the next run is recorded."""
    try:
        return settings().data_folder.joinpath("verification.json").read_bytes()
    except OSError:
        return b"{}"


class Integrity(msgspec.Struct, frozen=True):
    """State of the verifications.

    `running`: start of the running one, of which `percent` is done. `broken_off`: start of one that did not end.
    `witness` is None for a house without one. The gaps in a witness's file are those of the last verification.
    """

    last: Verification | None
    running: datetime | None
    broken_off: datetime | None
    every_s: float
    witness: outside.Standing | None
    percent: int = 0


def integrity() -> Integrity:
    """Return the result that the house's processes wrote, in whichever container. Raises Retry."""
    configuration = settings()
    verification = read_note()
    running_verification = verification.begun
    is_at_work = running_verification is not None and running_verification.at_work
    return Integrity(
        last=verification.last,
        running=running_verification.began if running_verification and is_at_work else None,
        broken_off=running_verification.began if running_verification and not is_at_work else None,
        every_s=configuration.verify_s,
        witness=outside.last_contact(configuration.witness),
        percent=int(running_verification.percent) if running_verification and is_at_work else 0,
    )
