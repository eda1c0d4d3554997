"""The export of a case: logged, collected and stored, recorded as an event, proved under a head, and written.

A killed export continues from its stored content, which has at most one event and waits for a head that covers it.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from backoffice.access import personal_data_access_log as access_log
from backoffice.case_files.case_queries import entries_of
from backoffice.cases.export.archive import ArchiveFile, archive_parts, archive_size, manifest
from backoffice.cases.export.bookmark_files import as_csv, as_json
from backoffice.cases.export.files_inside_export_archive import archive_files, attached_content
from backoffice.cases.export.referenced_evidence_events import collect
from backoffice.cases.export.stored_unfinished_exports import StagedFile, Stages, UnprovenExport
from backoffice.running.version import version
from events.cases import decrypted_case, encryption
from events.cases.access import WORKERS, may_work
from events.cases.case_key_and_file_vault import vault
from events.cases.decider import CLAUSE, unknown_case
from events.cases.decrypted_case import CaseFile
from events.cases.event_types import CaseExported, ExportContent
from events.desk import event_metadata
from events.envelope import Meta, digest
from events.error_codes import coded
from events.errors import Invalid, Refused, Retry, Stale, Unknown
from events.integrity.case_proof import prove
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Head, decode
from events.integrity.signed_head_stores import Heads
from events.integrity.tree_rebuilt_at_signed_head import head_as_json
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import Append, EventStore, Stored, StreamEnd
from events.streams import stream_kind_declaration
from tools import verify_case

HEAD_WAIT_S, LOOK_S = 10.0, 0.25
TRIES = 5
Json = dict[str, Any]
Reached = Callable[[float], None]


class Exporter(msgspec.Struct, frozen=True):
    """The person who exports, with roles; `person` is "" at the terminal, where `source` names the account."""

    person: str
    roles: Collection[str]
    source: str


class ExportResult(msgspec.Struct, frozen=True):
    """A finished export: its number, events of the evidence, files, and evidence that is not in it."""

    export: str
    events: int
    files: int
    missing: tuple[str, ...]


class FinishedExport(msgspec.Struct, frozen=True):
    """An export with its proof: all of its archive."""

    stage: UnprovenExport
    proof: bytes

    @property
    def result(self) -> ExportResult:
        """Return its number and counts."""
        stage = self.stage
        return ExportResult(stage.heading["export"], len(stage.evidence), len(stage.files) + 2, stage.missing)

    @property
    def size(self) -> int:
        """Return the bytes of the archive."""
        return archive_size(self.proof, self.stage.manifest)

    def archive_parts(self) -> Iterator[bytes]:
        """Yield the archive, and note its end. Raises Retry where an attachment cannot be read."""
        yield from archive_parts(self.proof, _archive_files(self.stage), self.stage.manifest)
        Stages(vault(), self.stage.heading["case"]).finish(self.stage.heading["export"])


def _ignore_progress(_share: float) -> None:
    """Tell no one how far it is."""


def export_case(
    store: EventStore, heads: Heads, property_: str, case: str, exporter: Exporter, out: Path, export: str = ""
) -> ExportResult:
    """Write the archive of a case to a new file. An unfinished export of the unchanged case is finished.

    Raises Unknown for a case that the person may not work on. Raises Retry where the access log does not answer, or no
    head covers the export in time: the same again finishes it.
    """
    number = begin_export(store, property_, case, exporter, export)
    finished = finish_export(store, heads, property_, case, exporter, number)
    hand_out(case, finished, exporter)
    _write(finished, out)
    return finished.result


def _write(finished: FinishedExport, out: Path) -> None:
    """Write the whole archive to a new file, or none. Raises OSError where the file exists."""
    half = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with half.open("xb") as archive:
            archive.writelines(finished.archive_parts())
            archive.flush()
            os.fsync(archive.fileno())
        os.link(half, out)  # refuses to replace a file
    finally:
        half.unlink(missing_ok=True)


def begin_export(store: EventStore, property_: str, case: str, exporter: Exporter, export: str = "") -> str:
    """Record in the access log who exports, and return the number of the export. A repeated number changes nothing.

    Without a number, it is that of an unfinished export of this person and the unchanged case, or a new one.
    Raises Unknown for a case that the person may not work on, Retry where the access log does not answer.
    """
    file = must_work_on(store, property_, case, exporter)
    stages = Stages(vault(), case)
    stages.expire()
    export = export or _last_unfinished(stages, file, exporter) or secrets.token_hex(16)
    if stages.person(export) is None:
        access_log.add(access_log.EXPORT, f"case export {case}", person=exporter.person, source=exporter.source)
        stages.begin(export, exporter.person)
    must_be_begun(case, exporter, export)
    return export


def must_be_begun(case: str, exporter: Exporter, export: str) -> None:
    """Raise Unknown unless this person began the export."""
    if Stages(vault(), case).person(export) != exporter.person:
        raise Unknown(coded("case-export-unknown"))


def unfinished_exports(case: str) -> frozenset[str]:
    """Return the exports of a case whose archive was not written or sent yet."""
    return Stages(vault(), case).unfinished()


def _last_unfinished(stages: Stages, file: CaseFile, exporter: Exporter) -> str:
    """Return the export that this person can finish and that has everything of the case; "" for none."""
    last = file.exports[-1] if file.exports else None
    if last is None or last.event != file.history[-1].event or last.export not in stages.unfinished():
        return ""
    stage = stages.stage(last.export, _version(last.event) - 1)
    is_own = stage is not None and _may_get(stage, exporter)
    return last.export if is_own else ""


def finish_export(
    store: EventStore,
    heads: Heads,
    property_: str,
    case: str,
    exporter: Exporter,
    export: str,
    report_progress: Reached = _ignore_progress,
) -> FinishedExport:
    """Return a begun export with everything of its archive, from where it was.

    Raises Unknown for another person's export, Retry where no head covers it in time.
    """
    must_be_begun(case, exporter, export)
    stages = Stages(vault(), case)
    stage = _recorded_export(store, stages, property_, case, exporter, export)
    report_progress(0.3)
    proof = stages.proof(export)
    if proof is None:
        exported = store.stream(f"{property_}/cases/{case}", stage.own, 1)[0]
        head = _covering_head(store, heads, property_, exported, report_progress)
        proof = stages.add_proof(export, verify_case.encode(_proof(store, head, stage, exported, report_progress)))
    return FinishedExport(stage, proof)


def hand_out(case: str, finished: FinishedExport, exporter: Exporter) -> None:
    """Record in the access log who gets the archive. Raises Retry where that fails: then no one does."""
    what = f"case export {case} {finished.result.export}"
    access_log.add(
        access_log.EXPORTED, what, person=exporter.person, source=exporter.source, count=finished.result.events
    )


def export_bookmarks(store: EventStore, property_: str, case: str, exporter: Exporter, out: Path) -> int:
    """Write the bookmarks of a case to a new file, JSON or CSV by its name; return their number.

    The export is recorded in the access log first. Raises Unknown for a case that the person may not work on.
    """
    file = must_work_on(store, property_, case, exporter)
    what = f"case bookmarks {case}"
    access_log.add(access_log.EXPORT, what, person=exporter.person, source=exporter.source, count=len(file.bookmarks))
    content = as_json(case, file.bookmarks) if out.suffix == ".json" else as_csv(file.bookmarks)
    with out.open("x", encoding="utf-8", newline="") as target:
        target.write(content)
    return len(file.bookmarks)


def must_work_on(store: EventStore, property_: str, case: str, exporter: Exporter) -> CaseFile:
    """Return the case. Raises Unknown where it does not exist, or the person may not work on it."""
    file = read_case(store, property_, case)
    if file is None or (exporter.person and not may_work(file, exporter.person, exporter.roles)):
        raise unknown_case(case)
    return file


def read_case(store: EventStore, property_: str, case: str) -> CaseFile | None:
    """Return a case from its own events and its key; None for an unknown case, or without its key.

    Raises Defect where the house case key is missing, or is another one.
    """
    return _read(case, store.stream(f"{property_}/cases/{case}"))


def _read(case: str, own: Sequence[Stored]) -> CaseFile | None:
    entries = [*entries_of(own)]
    keys = vault()
    key = keys.key(case) if entries else None
    if key is None:
        keys.must_fit()
    return None if key is None else decrypted_case.decrypted(case, key, entries)


# --- recording it -----------------------------------------------------------------------------------------------------


def _recorded_export(
    store: EventStore, stages: Stages, property_: str, case: str, exporter: Exporter, export: str
) -> UnprovenExport:
    """Return the stored content of an export whose event is recorded: the earlier one, or a new one."""
    for attempt in range(TRIES):
        own = tuple(store.stream(f"{property_}/cases/{case}"))
        file = _read(case, own)
        if file is None or (exporter.person and not may_work(file, exporter.person, exporter.roles)):
            raise unknown_case(case)
        earlier_export = next((each for each in file.exports if each.export == export), None)
        if earlier_export is not None:
            return _earlier(stages, export, _version(earlier_export.event) - 1, exporter)
        stage = stages.add(_collected(store, property_, file, own, exporter, export))
        try:
            _record(store, stage, own, exporter)
        except Stale:  # the case changed meanwhile: its own events must end right before the export
            if attempt == TRIES - 1:
                raise
            continue
        return stage
    raise AssertionError("the last attempt raises")


def _earlier(stages: Stages, export: str, own: int, exporter: Exporter) -> UnprovenExport:
    stage = stages.stage(export, own)
    if stage is None:
        raise Refused(CLAUSE, coded("case-export-expired"))
    if not _may_get(stage, exporter):
        raise Unknown(coded("case-export-unknown"))
    return stage


def _may_get(stage: UnprovenExport, exporter: Exporter) -> bool:
    """Return whether this person made the export, in the same roles: the evidence depends on them."""
    return (stage.person, stage.roles) == (exporter.person, tuple(sorted(exporter.roles)))


def _version(event: str) -> int:
    """Return the version of an event in its stream, from its id."""
    return int(event.rpartition("@")[2])


def _collected(
    store: EventStore, property_: str, file: CaseFile, own: Sequence[Stored], exporter: Exporter, export: str
) -> UnprovenExport:
    """Collect the content of an export. Raises Invalid where it is too large for an archive."""
    evidence = collect(store, file, exporter.roles)
    heading = {"property": property_, "case": file.id, "export": export, "software": version()}
    files = tuple(archive_files(file, evidence, own, exporter, heading))
    case_manifest = manifest(heading, files)
    if archive_size(b"", case_manifest) > verify_case.ARCHIVE_MAX:
        raise Invalid("case", coded("case-export-too-large", megabytes=verify_case.ARCHIVE_MAX >> 20))
    return UnprovenExport(
        heading=heading,
        person=exporter.person,
        roles=tuple(sorted(exporter.roles)),
        source=exporter.source,
        own=len(own),
        evidence=tuple(stored.position for stored in evidence.events),
        missing=evidence.missing,
        files=tuple(map(_staged, files)),
        manifest=case_manifest,
    )


def _staged(file: ArchiveFile) -> StagedFile:
    """Return a file to be stored; an attachment is stored already."""
    attachment = str(file.manifest_fields.get("ciphertext", ""))
    return StagedFile(file.name, None if attachment else file.read(), attachment, file.manifest_fields)


def _archive_files(stage: UnprovenExport) -> Iterator[ArchiveFile]:
    for file in stage.files:
        yield ArchiveFile(file.name, _reader(stage.heading["case"], file), file.manifest_fields)


def _reader(case: str, file: StagedFile) -> Callable[[], bytes]:
    content = file.content
    return (lambda: attached_content(case, file.attachment)) if content is None else (lambda: content)


def _record(store: EventStore, stage: UnprovenExport, own: Sequence[Stored], exporter: Exporter) -> None:
    """Append the event of the export. Raises Unknown where the key was destroyed meanwhile, Stale where the case
    changed."""
    case, stream = stage.heading["case"], own[-1].stream
    key = vault().key(case)
    if key is None:
        raise unknown_case(case)
    listed = hashlib.sha256(stage.manifest).hexdigest()
    content = ExportContent(stage.heading["export"], listed, len(stage.evidence), len(stage.files) + 2, exporter.source)
    sealed = encryption.seal(key, decrypted_case.place(case, CaseExported.TYPE), msgspec.json.encode(content))
    event = CaseExported(case=case, sealed=sealed, digest=encryption.digest(sealed), manifest=listed)
    meta = event_metadata.of_the_house(store.clock())
    if exporter.person:
        role = next((role for role in WORKERS if role in exporter.roles), "system")
        meta = Meta(time=meta.time, actor=exporter.person, actorrole=role)
    news = event_metadata.stamp(stream_kind_declaration.of_stream(stream), stream, [event], meta)
    store.append([Append(stream, StreamEnd(own[-1].version, digest(own[-1].raw)), news)])


# --- proving it -------------------------------------------------------------------------------------------------------


def _covering_head(store: EventStore, heads: Heads, property_: str, exported: Stored, report_progress: Reached) -> Head:
    """Return a head that covers the export: signed here, or the next one of another container. Raises Retry."""
    if house_signing_key.is_there() or (heads.last() is None and not settings().signer_at):
        make_head(store, heads, property_, house_signing_key.signer(), looked=access_log.end_if_known)
    until = time.monotonic() + HEAD_WAIT_S
    while True:
        last = heads.last()
        if last is not None and (head := decode(last)).position >= exported.position:
            return head
        if time.monotonic() > until:
            raise Retry(coded("head-does-not-cover", position=exported.position))
        report_progress(0.3)
        time.sleep(LOOK_S)


def _proof(store: EventStore, head: Head, stage: UnprovenExport, exported: Stored, report_progress: Reached) -> Json:
    own = [stored.position for stored in store.stream(exported.stream, 0, stage.own)]
    wanted = [*stage.evidence, *own, exported.position]
    proved = prove(store, head, wanted, lambda position: report_progress(0.4 + 0.6 * position / max(head.position, 1)))
    return {
        **{name: stage.heading[name] for name in ("property", "case", "export")},
        "type": verify_case.TYPE,
        "head": head_as_json(head),
        "exported": {"event": exported.raw.decode(), "leaf": proved[exported.position].leaf},
        "events": [proved[position].leaf for position in stage.evidence],
        "own": [proved[position].leaf for position in own],
    }
