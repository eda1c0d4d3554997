"""An export of a case with given events, as the house makes one, without a house."""

import hashlib
import secrets
from pathlib import Path
from typing import Any, ClassVar

from backoffice.cases.export.archive import ArchiveFile, archive_parts, json_lines, manifest, text_file
from events.envelope import EventData, Meta
from events.integrity.case_proof import prove
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import MemoryHeads
from events.integrity.tree_rebuilt_at_signed_head import head_as_json
from events.people.role_grant_decider import RoleGranted
from events.signing import house_signing_key
from events.store import Append, NewEvent, Stored
from events.store.in_memory_store import MemoryStore
from tools import verify_case

META = Meta(time="2026-11-20T20:00:00.000Z", actor="s-801", actorrole="surveillance")
CASE = "00c0ffee00c0ffee"
STREAM = f"athens/cases/{CASE}"


class SealedEvent(EventData, frozen=True, kw_only=True):
    TYPE: ClassVar[str] = "case.noted.v1"
    case: str
    digest: str


class CaseExportedEvent(EventData, frozen=True, kw_only=True):
    TYPE: ClassVar[str] = verify_case.EXPORTED
    case: str
    manifest: str


class ExportedCase:
    """A store with a case, and the archive of its export."""

    def __init__(self, folder: Path, *, events: int, notes: int, attachments: int) -> None:
        self.store, self.heads, self.by = MemoryStore(), MemoryHeads(), house_signing_key.signer(folder)
        self.append("athens/people", *(RoleGranted(person=f"p-{n}", role="dealer") for n in range(events * 2)))
        self.append(STREAM, *(SealedEvent(case=CASE, digest=f"{n:064x}") for n in range(notes)))
        evidence = self.store.stream("athens/people")[::2]
        own = self.store.stream(STREAM)
        self.files: list[ArchiveFile] = [
            json_lines(verify_case.EVENTS, [stored_event.raw for stored_event in evidence]),
            json_lines(verify_case.CASE, [stored_event.raw for stored_event in own]),
            text_file("notes.csv", "time,note\n2026-11-20,seen\n"),
            *(text_file(f"attachments/{n:03d}.txt", f"statement {n}") for n in range(attachments)),
        ]
        self.heading = {"property": "athens", "case": CASE, "export": secrets.token_hex(16)}
        self.manifest = manifest(self.heading, self.files)
        digest = hashlib.sha256(self.manifest).hexdigest()
        self.append(STREAM, CaseExportedEvent(case=CASE, manifest=digest))
        make_head(self.store, self.heads, "athens", self.by)
        self.proof = self.prove(evidence, own)
        self.path = folder / "case.zip"
        self.write()

    def append(self, stream: str, *data: EventData) -> None:
        """More events of a stream."""
        self.store.append([Append(stream, self.store.head(stream), [NewEvent(event, META) for event in data])])

    def prove(self, evidence: list[Stored], own: list[Stored]) -> dict[str, Any]:
        """The proof of all events of the export under the last head."""
        raw = self.heads.last()
        assert raw is not None
        head, exported = decode(raw), self.store.stream(STREAM)[-1]
        positions = [stored_event.position for stored_event in (*evidence, *own, exported)]
        proved = prove(self.store, head, positions)
        return {
            **self.heading,
            "type": verify_case.TYPE,
            "head": head_as_json(head),
            "exported": {"event": exported.raw.decode(), "leaf": proved[exported.position].leaf},
            "events": [proved[stored_event.position].leaf for stored_event in evidence],
            "own": [proved[stored_event.position].leaf for stored_event in own],
        }

    def write(self) -> bytes:
        """Write the archive, and return its bytes."""
        with self.path.open("wb") as out:
            out.writelines(archive_parts(verify_case.encode(self.proof), self.files, self.manifest))
        return self.path.read_bytes()
