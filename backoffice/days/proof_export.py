"""The proof of a gaming day as a file that is issued: written, read by the reader's own program, and on the list."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from backoffice.access import personal_data_access_log as access_log
from backoffice.access.issued_documents import DAY, IssuedDocument, copies
from events.errors import Retry
from events.integrity.day_proof import FORMS, DayProof, proof
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import Heads, open_heads
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import EventStore
from tools import verify_day

WHOLE = ", whole"


def export(store: EventStore, day: str, position: int, path: Path, by: str, *, is_whole: bool = False) -> Iterator[str]:
    """Write the proof of a day's report as of a position; yield lines about it.

    `is_whole`: with every event since the house's first. A head is made for it, where this machine holds the key and
    none covers it. Raises PitledgerError, DayProofError, OSError; then there is no file.
    """
    with closing(open_heads(settings().store)) as heads:
        proof = _proof(store, heads, day, position, is_whole=is_whole)
    part = path.with_name(f"{path.name}.part")
    try:
        digest = _write(store, proof, part)
        with part.open("rb") as lines:
            result = verify_day.verify(lines, sorted(house_signing_key.trusted()))
        before = _note(proof, digest, by, is_whole=is_whole)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    if before:
        yield f"REPRINT, copy {before + 1}: one was given out before."
    yield f"{path}: {result['status']}, {result['listed']:,} events listed, {result['shown']:,} shown; verified."
    if result["not_recomputed"]:
        yield f"not recomputed by the reader: {', '.join(result['not_recomputed'])}"


def _proof(store: EventStore, heads: Heads, day: str, position: int, *, is_whole: bool) -> DayProof:
    property_ = settings().property_
    try:
        return proof(store, heads, property_, day, position, is_whole=is_whole)
    except Retry:
        if heads.last() is not None and not house_signing_key.is_there():
            raise  # the house's key is elsewhere, and no other may sign
        make_head(store, heads, property_, house_signing_key.signer(), looked=access_log.end_if_known)
        return proof(store, heads, property_, day, position, is_whole=is_whole)


def _write(store: EventStore, proof: DayProof, path: Path) -> str:
    """The file's digest."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for line in proof.lines(store):
            file.write(line)
            digest.update(line)
    return digest.hexdigest()


def _note(proof: DayProof, digest: str, by: str, *, is_whole: bool) -> int:
    """Record the proof among the issued documents, and return how many copies were issued before."""
    listed = IssuedDocument(
        DAY, proof_subject(proof.day, proof.position, is_whole=is_whole), proof.after.position, digest, proof.after.key
    )
    before = copies(listed.kind, listed.about)
    listed.record(by)
    return before


def proof_subject(day: str, position: int, *, is_whole: bool = False) -> str:
    """Return the proof's subject in the list of issued documents."""
    return f"{day} as of {position}{WHOLE if is_whole else ''}"


def remade_proof(store: EventStore, subject: str, digest: str) -> bytes:
    """Return an issued proof, made again in the form that has this digest, or else in the first form.

    Raises PitledgerError.
    """
    day, _, position = subject.removesuffix(WHOLE).partition(" as of ")
    heads, content = open_heads(settings().store), b""
    try:
        for form in reversed(FORMS):
            place = (settings().property_, day, int(position))
            rebuilt = proof(store, heads, *place, is_whole=subject.endswith(WHOLE), form=form)
            content = b"".join(rebuilt.lines(store))
            if hashlib.sha256(content).hexdigest() == digest:
                break
    finally:
        heads.close()
    return content
