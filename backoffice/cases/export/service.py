"""The export of a case: logged first, then collected, recorded as an event, proved under a head, and written."""

import hashlib
import secrets
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from backoffice.access import access_log
from backoffice.cases.export.archive import ArchiveFile, manifest, write_archive
from backoffice.cases.export.contents import archive_files
from backoffice.cases.export.evidence import CollectedEvidence, collect
from backoffice.running.version import version
from events.cases import case_file, sealing
from events.cases.access import WORKERS, may_work
from events.cases.case_file import CaseFile, SealedEntry
from events.cases.decider import unknown
from events.cases.exports import CaseExported, ExportContent
from events.cases.vault import vault
from events.desk import stamps
from events.envelope import Meta, digest
from events.error_codes import coded
from events.errors import Retry, Stale
from events.integrity.case_proof import prove
from events.integrity.head_ranges import plain
from events.integrity.head_store import Heads
from events.integrity.heads import Head, decode
from events.integrity.publish import make_head
from events.settings.settings import settings
from events.signing import keys
from events.store import Append, EventStore, Stored, StreamEnd
from events.streams import kinds
from tools import verify_case

HEAD_WAIT_S, LOOK_S = 30.0, 0.25
TRIES = 5
Json = dict[str, Any]


class Exporter(msgspec.Struct, frozen=True):
    """The person who exports, with roles; `person` is "" at the terminal, where `source` names the account."""

    person: str
    roles: Collection[str]
    source: str


class Collected(msgspec.Struct, frozen=True):
    """Everything of an export but its proof: the heading of the manifest, the events, the files, the manifest."""

    heading: Json
    evidence: CollectedEvidence
    own: tuple[Stored, ...]
    files: tuple[ArchiveFile, ...]
    manifest: bytes


class ExportResult(msgspec.Struct, frozen=True):
    """A written archive: number of the export, events of the evidence, files, and evidence that is not in it."""

    export: str
    events: int
    files: int
    missing: tuple[str, ...]


def export_case(
    store: EventStore, heads: Heads, property_: str, case: str, exporter: Exporter, out: Path
) -> ExportResult:
    """Write the archive of a case to a new file.

    Raises Unknown for a case that the person may not work on. Raises Retry where the access log does not answer, or no
    head covers the export in time. Nothing is written then.
    """
    must_work_on(store, property_, case, exporter)
    access_log.add(access_log.EXPORT, f"case export {case}", person=exporter.person, source=exporter.source)
    for attempt in range(TRIES):
        collected = _collected(store, property_, case, exporter)
        try:
            exported = _record(store, collected, exporter)
        except Stale:  # the case changed meanwhile: its own events must end right before the export
            if attempt == TRIES - 1:
                raise
            continue
        break
    proof = _proof(store, _covering_head(store, heads, property_, exported), collected, exported)
    with out.open("xb") as archive:
        _write(archive, proof, collected.files, collected.manifest)
    evidence = collected.evidence
    return ExportResult(collected.heading["export"], len(evidence.events), len(collected.files) + 2, evidence.missing)


def must_work_on(store: EventStore, property_: str, case: str, exporter: Exporter) -> CaseFile:
    """Return the case. Raises Unknown where it does not exist, or the person may not work on it."""
    file = read_case(store, property_, case)
    if file is None or (exporter.person and not may_work(file, exporter.person, exporter.roles)):
        raise unknown(case)
    return file


def _collected(store: EventStore, property_: str, case: str, exporter: Exporter) -> Collected:
    own = tuple(store.stream(f"{property_}/cases/{case}"))
    file = must_work_on(store, property_, case, exporter)
    evidence = collect(store, file, exporter.roles)
    heading = {"property": property_, "case": case, "export": secrets.token_hex(16), "software": version()}
    files = tuple(archive_files(file, evidence, own, exporter, heading))
    return Collected(heading, evidence, own, files, manifest(heading, files))


def _write(archive: IO[bytes], proof: Json, files: Sequence[ArchiveFile], listed: bytes) -> None:
    try:
        write_archive(archive, proof, files, listed)
    except BaseException:
        Path(archive.name).unlink(missing_ok=True)
        raise


def read_case(store: EventStore, property_: str, case: str) -> CaseFile | None:
    """Return a case as its own events and its key say it; None for an unknown case, or without its key."""
    entries = []
    for stored in store.stream(f"{property_}/cases/{case}"):
        event = msgspec.json.decode(stored.raw)
        if stored.type in case_file.CONTENTS:
            sealed = event["data"]["sealed"]
            entries.append(SealedEntry(stored.type, event["actor"], sealed, event["id"], event["time"]))
    key = vault().key(case) if entries else None
    return None if key is None else case_file.decrypted(case, key, entries)


def _record(store: EventStore, collected: Collected, exporter: Exporter) -> Stored:
    """Append the event of the export. Raises Unknown where the key was destroyed meanwhile, Stale where the case
    changed."""
    heading, own = collected.heading, collected.own
    case, stream = heading["case"], own[-1].stream
    key = vault().key(case)
    if key is None:
        raise unknown(case)
    listed = hashlib.sha256(collected.manifest).hexdigest()
    events, files = len(collected.evidence.events), len(collected.files) + 2
    content = ExportContent(heading["export"], listed, events, files, exporter.source)
    sealed = sealing.seal(key, case_file.place(case, CaseExported.TYPE), msgspec.json.encode(content))
    event = CaseExported(case=case, sealed=sealed, digest=sealing.digest(sealed), manifest=listed)
    meta = stamps.of_the_house(store.clock())
    if exporter.person:
        role = next((role for role in WORKERS if role in exporter.roles), "system")
        meta = Meta(time=meta.time, actor=exporter.person, actorrole=role)
    news = stamps.stamp(kinds.of_stream(stream), stream, [event], meta)
    store.append([Append(stream, StreamEnd(own[-1].version, digest(own[-1].raw)), news)])
    return store.stream(stream, own[-1].version, 1)[0]


def _covering_head(store: EventStore, heads: Heads, property_: str, exported: Stored) -> Head:
    """Return a head that covers the export: signed here, or the next one of another container. Raises Retry."""
    if keys.is_there() or (heads.last() is None and not settings().signer_at):
        make_head(store, heads, property_, keys.signer(), looked=access_log.end_if_known)
    until = time.monotonic() + HEAD_WAIT_S
    while True:
        last = heads.last()
        if last is not None and (head := decode(last)).position >= exported.position:
            return head
        if time.monotonic() > until:
            raise Retry(coded("head-does-not-cover", position=exported.position))
        time.sleep(LOOK_S)


def _proof(store: EventStore, head: Head, collected: Collected, exported: Stored) -> Json:
    evidence, own = collected.evidence.events, collected.own
    proved = prove(store, head, [stored.position for stored in (*evidence, *own, exported)])
    return {
        **{name: collected.heading[name] for name in ("property", "case", "export")},
        "type": verify_case.TYPE,
        "head": plain(head),
        "exported": {"event": exported.raw.decode(), "leaf": proved[exported.position].leaf},
        "events": [proved[stored.position].leaf for stored in evidence],
        "own": [proved[stored.position].leaf for stored in own],
    }
