"""The files of a case's export, in the archive's order.

Among them is the chain of custody: every view, export and hand-over, by the access log and by the case's own events.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from backoffice.access.models import Look
from backoffice.cases.export import bookmark_files
from backoffice.cases.export.archive import ArchiveFile, json_lines, text_file
from backoffice.cases.export.referenced_evidence_events import CollectedEvidence
from backoffice.cases.export.summary_pdf import summary_pdf
from backoffice.surveillance.search.full_export import COLUMNS, rows
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent
from events.cases.case_key_and_file_vault import vault
from events.cases.decrypted_case import Attachment, CaseFile
from events.error_codes import coded
from events.errors import Retry
from events.store import Stored
from tools import verify_case

if TYPE_CHECKING:
    from backoffice.cases.export.case_exporter import Exporter

README = """Export {export} of case {case}, {property}

events.jsonl           the events of the evidence, each line with the event's own bytes
case.jsonl             the case's own events; their texts are encrypted
events.csv             the events of the evidence, for reading
case.json              the case as it was at the export, decrypted
notes.csv              its notes
bookmarks.csv          its bookmarks of video
bookmarks.json         the same, as the bookmarks API of Milestone XProtect takes them
custody.csv            the chain of custody: views, exports, hand-overs
summary.pdf            all of that on paper, with the rounds drawn
attachments/           the attached files
manifest.json          every file with its SHA-256
proof.json             the signed head and the proof of each event
verify_case.py         the verifier

To verify the archive: python3 verify_case.py FILE --key KEY
KEY is the public key that the house has published. Where you do not trust the sender, take verify_case.py from the
Pitledger project. Times are in UTC.
"""
_CUSTODY_COLUMNS = ("time", "person", "what", "details", "from", "device", "access_log_line", "sha256", "event")


def archive_files(
    file: CaseFile, evidence: CollectedEvidence, own: Sequence[Stored], exporter: "Exporter", heading: dict[str, Any]
) -> list[ArchiveFile]:
    """Return all files but the manifest and the proof."""
    events = [FoundEvent(stored.position, stored.raw) for stored in evidence.events]
    notes = [(note.at, note.by, note.note, note.event) for note in file.notes]
    pdf = summary_pdf(file, evidence, exporter.person, exporter.roles, heading)
    return [
        json_lines(verify_case.EVENTS, [stored.raw for stored in evidence.events]),
        json_lines(verify_case.CASE, [stored.raw for stored in own]),
        text_file("events.csv", bookmark_files.sheet(COLUMNS, rows(events))),
        text_file("case.json", _indented(msgspec.to_builtins(file) | {"missing": list(evidence.missing)})),
        text_file("notes.csv", bookmark_files.sheet(("time", "person", "note", "event"), notes)),
        text_file("bookmarks.csv", bookmark_files.as_csv(file.bookmarks)),
        text_file("bookmarks.json", bookmark_files.as_json(file.id, file.bookmarks)),
        text_file("custody.csv", _custody_csv(file)),
        ArchiveFile("summary.pdf", lambda: pdf),
        *(_attachment(file.id, number, attachment) for number, attachment in enumerate(file.attachments, 1)),
        text_file("README.txt", README.format(**heading)),
        ArchiveFile("verify_case.py", Path(verify_case.__file__).read_bytes),
    ]


def _indented(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _attachment(case: str, number: int, attachment: Attachment) -> ArchiveFile:
    """An attached file under a number and a safe name; its digest over the ciphertext is that of the case's event."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", attachment.name).strip(".-")[-80:] or "file"
    return ArchiveFile(
        f"attachments/{number:03d}-{name}", lambda: attached_content(case, attachment.attachment),
        {"ciphertext": attachment.attachment, "type": attachment.type},
    )  # fmt: skip


def attached_content(case: str, digest: str) -> bytes:
    """Return the content of an attached file. Raises Retry where it cannot be read."""
    content = vault().file(case, digest)
    if content is None:
        raise Retry(coded("case-attachment-unreadable", attachment=digest))
    return content


def _custody_csv(file: CaseFile) -> str:
    """Return the chain of custody as CSV, in the order of time, times in UTC."""
    views = Look.objects.filter(what__contains=file.id).order_by("number").iterator()
    steps: list[tuple[object, ...]] = [_custody_row(line) for line in views]
    steps += [(step.at, step.by, step.type, "", "", "", "", "", step.event) for step in file.history]
    for export in file.exports:
        steps.append(
            (export.at, export.by, "exported", export.export, export.source, "", "", export.manifest, export.event)
        )
    for hand_over in file.hand_overs:
        details = f"{hand_over.export} to {hand_over.to}: {hand_over.reason}"
        steps.append((hand_over.at, hand_over.by, "handed over", details, "", "", "", "", hand_over.event))
    return bookmark_files.sheet(_CUSTODY_COLUMNS, sorted(steps, key=lambda step: str(step[0])))


def _custody_row(line: Look) -> tuple[object, ...]:
    at = line.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return (at, line.person, line.kind, line.what, line.source, line.device, line.number, line.digest, "")
