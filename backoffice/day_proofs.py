"""The proof of a gaming day as a file that is given out: written, read by the reader's own program, and on the list."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from backoffice.access import looks
from backoffice.access.given import DAY, Paper, copies, note
from events.errors import Retry
from events.integrity.day import Proof, proof
from events.integrity.kept import Heads, open_heads
from events.integrity.publish import make_head
from events.settings import settings
from events.signing import keys
from events.store import EventStore
from tools import verify_day


def export(store: EventStore, day: str, position: int, path: Path, by: str) -> Iterator[str]:
    """Write the proof of a day's report as of a position; what there is to say of it.

    A head is made for it, where this machine holds the key and none covers it. Raises PitledgerError, Wrong, OSError;
    then there is no file.
    """
    heads = open_heads(settings().store)
    try:
        made = _proof(store, heads, day, position)
    finally:
        heads.close()
    part = path.with_name(f"{path.name}.part")
    try:
        digest = _write(store, made, part)
        with part.open("rb") as lines:
            found = verify_day.verify(lines, sorted(keys.trusted()))
        before = _note(made, digest, by)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    if before:
        yield f"REPRINT, copy {before + 1}: one was given out before."
    yield f"{path}: {found['status']}, {found['listed']:,} events listed, {found['shown']:,} shown; verified."
    if found["not_recomputed"]:
        yield f"not recomputed by the reader: {', '.join(found['not_recomputed'])}"


def _proof(store: EventStore, heads: Heads, day: str, position: int) -> Proof:
    property_ = settings().property_
    try:
        return proof(store, heads, property_, day, position)
    except Retry:
        if heads.last() is not None and not keys.is_there():
            raise  # the house's key is elsewhere, and no other may sign
        make_head(store, heads, property_, keys.signer(), looked=looks.end_if_known)
        return proof(store, heads, property_, day, position)


def _write(store: EventStore, made: Proof, path: Path) -> str:
    """The file's digest."""
    found = hashlib.sha256()
    with path.open("wb") as file:
        for line in made.lines(store):
            file.write(line)
            found.update(line)
    return found.hexdigest()


def _note(made: Proof, digest: str, by: str) -> int:
    """On the list of what was given out; how often it was before."""
    listed = Paper(DAY, about(made.day, made.position), made.after.position, digest, made.after.key)
    before = copies(listed.kind, listed.about)
    note(by, listed)
    return before


def about(day: str, position: int) -> str:
    """What the list calls it."""
    return f"{day} as of {position}"


def again(store: EventStore, said: str) -> bytes:
    """What was given out about that, made anew. Raises PitledgerError."""
    day, _, position = said.partition(" as of ")
    heads = open_heads(settings().store)
    try:
        made = proof(store, heads, settings().property_, day, int(position))
        return b"".join(made.lines(store))
    finally:
        heads.close()
