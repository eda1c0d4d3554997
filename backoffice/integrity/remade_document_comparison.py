"""Verification of issued documents: each is made again from the history as of its position, and compared."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from backoffice.access.issued_documents import CERTIFICATE, DAY, OF_A_HIT, REPORT, SLIP, of_digest
from backoffice.access.models import GivenOut
from backoffice.days import proof_export
from backoffice.wording import formats
from events.accounting.report import canonical_report_bytes, day_reports
from events.controls.slip_issued_event import SlipIssued
from events.error_codes import coded
from events.errors import Invalid
from events.integrity.award_certificate import certificate, encode
from events.integrity.heads_consistency import Finding
from events.integrity.signed_head_stores import open_heads
from events.progressives.award_report import award
from events.settings.settings_from_environment import settings
from events.store import EventStore, everything
from events.store.past_view import PastStore

_DIGEST = re.compile(r"[0-9a-f]{64}")


def handed_out(papers: Sequence[str], store: EventStore, tell: Callable[[str], object]) -> Iterator[Finding]:
    """Yield a finding for each document (a file or a digest) that is not genuine; `tell` gets the genuine ones. Raises
    OSError.
    """
    for paper in papers:
        digest = _digest(paper)
        rows = [*of_digest(digest)]
        if not rows:
            yield Finding("given out", 0, f"{paper}: this house has given out nothing with the SHA-256 {digest}")
            continue
        why = _otherwise(rows[0], store)
        if why:
            yield Finding("given out", rows[0].position, f"{_issued_words(rows)}: {why}")
        else:
            tell(f"{_issued_words(rows)}: the events say the same")


def _digest(paper: str) -> str:
    """Return the digest of a file, or the digest itself."""
    text = paper.strip().lower()
    return text if _DIGEST.fullmatch(text) else hashlib.sha256(Path(paper).read_bytes()).hexdigest()


def _issued_words(rows: Sequence[GivenOut]) -> str:
    first = rows[0]
    to = ", ".join(f"{row.person or 'somebody on this machine'} {formats.stamp(row.at)}" for row in rows)
    return f"{first.kind} of {first.about} as of event {first.position:,}, given to {to}"


def _otherwise(row: GivenOut, store: EventStore) -> str:
    """Return why it cannot be made again of the events; "" where it can."""
    try:
        content = _remade_bytes(row, PastStore(store, row.position))
    except Exception as error:  # any error of events that a person has edited
        return f"it cannot be made again: {error}"
    same = hashlib.sha256(content).hexdigest() == row.digest
    return "" if same else "the events say otherwise now, or this version writes it otherwise"


def _remade_bytes(row: GivenOut, then: PastStore) -> bytes:
    """Return its bytes, as they were hashed. Raises PitledgerError."""
    property_ = settings().property_
    if row.kind == CERTIFICATE:
        with closing(open_heads(settings().store)) as heads:
            return encode(certificate(then, heads, property_, row.about))
    if row.kind == DAY:
        return proof_export.remade_proof(then, row.about, row.digest)
    if row.kind == SLIP:
        issued = (stored for stored in everything(then, types=(SlipIssued.TYPE,)) if stored.position == row.position)
        return next(issued).raw
    if row.kind.startswith(REPORT):
        day = row.about.partition(",")[0]
        return canonical_report_bytes.encode(day_reports.make(then, property_, day, row.position).figures)
    if not row.kind.startswith(OF_A_HIT):
        raise Invalid("given", coded("document-kind-unknown", kind=row.kind))
    return msgspec.json.encode(award(then, property_, row.about))
