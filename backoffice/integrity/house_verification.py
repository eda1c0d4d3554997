"""Verification of a whole house: the store against itself, its heads, the topic, the read models, and outside
copies.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec
from django.db import DatabaseError

from backoffice.access import last_log_line_anchor_file
from backoffice.access import personal_data_access_log as access_log
from backoffice.integrity.remade_document_comparison import handed_out
from backoffice.running import embedded_kafka_broker_process, status_files
from backoffice.running.open_files_locks_full_disk import hold_file_lock
from events.error_codes import coded
from events.errors import Conflict, PitledgerError, Poison, Retry, Unknown
from events.integrity import witness_file_reader
from events.integrity.audit import Audit, audit, kept_by_house
from events.integrity.copy_comparison import CopyComparison
from events.integrity.day_report_recomputation import otherwise
from events.integrity.heads_consistency import Finding, Witness
from events.integrity.signed_head_format import Head, decode, has_signature
from events.integrity.signed_head_stores import open_heads
from events.integrity.verification_checkpoint import Checkpoint, VerifiedState
from events.runtime.garbage_collection import seldom_collected
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import EventStore, open_store
from projections.engine.models import Reader
from projections.engine.rebuild import Rebuild
from projections.eventlog.store_comparison import log_against
from projections.journal.posted_entries_check_against_events import journal_against
from projections.registry import PROJECTORS

SUFFIX = "__check"  # next to a rebuild's copies
OF_STORE = frozenset({"chain", "rewritten", "cut off", "sum"})  # faults of events: the others follow from them


class VerificationOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a verification. `keys`: the trusted public keys in hex; `given`: issued documents as files, or their
    digests."""

    witness: Sequence[Path] = ()
    heads: Sequence[Path] = ()
    keys: Collection[str] = ()
    topic: bool = True
    read_models: bool = True
    resume: bool = False
    given: Sequence[str] = ()
    using: str = "default"  # the read models' database


READ, READ_MODELS, JOURNAL = 0.6, 0.7, 0.9  # shares of a run that are done when a part of it begins


class VerificationRun:
    """A verification. `tell` gets lines about sources that could not be compared.

    `progress` gets the position from time to time. `reached` gets the finished share of the run (0 to 1).
    """

    def __init__(
        self,
        scope: VerificationOptions,
        tell: Callable[[str], object],
        progress: Callable[[int], None] | None = None,
        reached: Callable[[float], object] = lambda share: None,
    ) -> None:
        self._scope = scope
        self._tell = tell
        self._progress = progress
        self._report_progress = reached
        self._left_out: list[str] = []
        self._verified: VerifiedState | None = None

    def run(self) -> Audit:
        """Run the verification. Raises PitledgerError and OSError for unreadable files."""
        _require_store(settings().store)
        outside = {str(path): _outside(path) for path in self._scope.witness}
        head_files = [_witness_of_file(path) for path in self._scope.heads]
        with seldom_collected(), closing(open_store(settings().store)) as store:
            guards = _guards(store)
            beyond = [Witness(f"the witness ({name})", witness_file.heads) for name, witness_file in outside.items()]
            # A head is stored with the events, remembered, and sent, in this order. Read it in reverse order: a running
            # house may make one meanwhile.
            topic = self._topic() if self._scope.topic else []
            last = house_signing_key.memory(settings().data_folder).last(settings().property_)
            witnesses = [_house(), *head_files, *topic, *beyond]
            checkpoint = self._checkpoint()
            self._verified = checkpoint.load(store) if checkpoint is not None else None
            copies = [difference for copy in self._copies(store) for difference in copy.differences]
            result = audit(
                store,
                settings().property_,
                witnesses,
                self._scope.keys,
                self._following(store.position()),
                last,
                copies,
                self._verified,
                checkpoint,
                house_signing_key.former(settings().data_folder),
            )
            further = [
                *_witness_file_faults(outside),
                *self._reports(store, result),
                *self._read_models(store, result),
                *self._journal(store, result),
                *self._verify_access_log(witnesses),
                *handed_out(self._scope.given, store, self._tell),
            ]
        gaps = [f"{name}: {gap}" for name, witness_file in outside.items() for gap in witness_file.gaps]
        findings, left_out = [*guards, *result.findings, *further], [*result.left_out, *self._left_out]
        return msgspec.structs.replace(result, findings=findings, gaps=gaps, left_out=left_out)

    def _following(self, aim: int) -> Callable[[int], None]:
        """The progress of reading the events up to a position."""

        def progress(position: int) -> None:
            self._report_progress(READ * position / max(aim, 1))
            if self._progress is not None:
                self._progress(position)

        return progress

    def _checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint of --resume: the run begins there and moves it; None without --resume."""
        data, name = settings().data_folder, quote(settings().property_, safe="")
        return (
            Checkpoint(data / f"verified.{name}", house_signing_key.snapshot_key(data)) if self._scope.resume else None
        )

    def _leave_out(self, line: str) -> None:
        self._left_out.append(line)
        self._tell(line)

    def _topic(self) -> list[Witness]:
        """The topic's heads, where a broker answers, but for those that people went on without."""
        given_up_heads = house_signing_key.memory().given_up(settings().property_)
        try:
            bootstrap = embedded_kafka_broker_process.bootstrap()
            from events.relay.integrity_heads_topic import (  # here: without a broker Kafka's client is not loaded
                is_given_up,
                published,
            )

            heads = list(published(bootstrap, settings().property_))
        except PitledgerError as error:
            self._leave_out(f"not compared with the topic: {error}")
            return []
        return [Witness("topic", [raw for raw in heads if not (given_up_heads and is_given_up(raw, given_up_heads))])]

    def _copies(self, store: EventStore) -> list[CopyComparison]:
        """Compare the copies of the events: the topic, the event log."""
        comparisons: list[CopyComparison] = []
        if self._verified is not None:
            self._leave_out("the events of topic and event log were not compared: that begins at the first event")
            return comparisons
        if self._scope.topic:
            try:
                bootstrap = embedded_kafka_broker_process.bootstrap()
                from events.relay.kafka_against_store_comparison import compare

                comparisons.append(compare(store, bootstrap, settings().property_))
                self._tell(_of_topic(comparisons[0]))
            except Retry as error:
                self._leave_out(f"events not compared with the topic: {error}")
        if self._scope.read_models:
            try:
                comparisons.append(log_against(store, self._scope.using))
            except DatabaseError as error:
                self._leave_out(f"not compared with the read models: {error}")
        return comparisons

    def _verify_access_log(self, witnesses: Sequence[Witness]) -> list[Finding]:
        """The access log, against itself, the anchor on this machine, and the house's heads a person who kept them."""
        data = settings().data_folder
        try:
            given_up_lines = house_signing_key.memory(data).looks_given_up(settings().property_)
            return [
                *access_log.first_fault(
                    _signed_heads(witnesses, self._scope.keys), given_up_lines, last_log_line_anchor_file.read()
                )
            ]
        except DatabaseError as error:
            self._leave_out(f"the access log was not compared: {error}")
            return []

    def _reports(self, store: EventStore, audit: Audit) -> list[Finding]:
        """Return findings for every closed day's report, made again from the events, while these are unchanged."""
        self._report_progress(READ)
        if any(finding.kind in OF_STORE for finding in audit.findings):
            self._leave_out("the reports of closed days were not compared: first the store")
            return []
        try:
            return [*otherwise(store, settings().property_, self._verified.chains.position if self._verified else 0)]
        except Poison as error:
            self._leave_out(f"the reports of closed days were not compared: {error}")
            return []

    def _read_models(self, store: EventStore, audit: Audit) -> list[Finding]:
        """Return findings for every row, made again from the events, while the events themselves are unchanged."""
        self._report_progress(READ_MODELS)
        if not self._scope.read_models:
            return []
        if any(finding.kind in OF_STORE for finding in audit.findings):
            self._leave_out("the read models were not compared: first the store")
            return []
        try:
            with hold_file_lock(
                status_files.run_folder() / "verify.lock"
            ):  # one at a time makes copies of the read models
                return _rows(
                    store, self._scope.using, {finding.event for finding in audit.findings if finding.kind == "log"}
                )
        except (DatabaseError, Conflict, Retry) as error:
            self._leave_out(f"not compared with the read models: {error}")
            return []

    def _journal(self, store: EventStore, audit: Audit) -> list[Finding]:
        """Every entry that was posted, made again of the events."""
        self._report_progress(JOURNAL)
        if not self._scope.read_models or any(finding.kind in OF_STORE for finding in audit.findings):
            return []
        try:
            return journal_against(store, settings().property_, self._scope.using)
        except (DatabaseError, Conflict, Poison, Retry) as error:
            self._leave_out(f"the journal's entries were not compared: {error}")
            return []


def _of_topic(comparison: CopyComparison) -> str:
    repeats = (
        f"; {comparison.repeated:,} stand there again, which a relay leaves that died" if comparison.repeated else ""
    )
    return f"{comparison.events:,} events on the topic were compared, up to position {comparison.position:,}{repeats}"


def _rows(store: EventStore, using: str, reported_models: Collection[str]) -> list[Finding]:
    """Return the first row of each read model that differs from the events.

    `reported_models`: events of the log that were reported already.
    """
    readers = Reader.objects.using(using).filter(projection__in=PROJECTORS, position__gt=0)
    kinds = [
        PROJECTORS[reader.projection] for reader in readers if reader.version == PROJECTORS[reader.projection].version
    ]
    findings = []
    if kinds:
        rebuild = Rebuild(kinds, store, settings().property_, using=using, suffix=SUFFIX)
        for name, differences in rebuild.check().items():
            new_differences = [
                difference for difference in differences if not (reported_models and difference.model == "EventLog")
            ]
            if new_differences:
                findings.append(
                    Finding(
                        "read model",
                        0,
                        f"{name}: {new_differences[0]}"[:500],
                        new_differences[0].key,
                        len(new_differences) - 1,
                    )
                )
    return findings


def _outside(path: Path) -> witness_file_reader.WitnessFile:
    """Return the content of a witness's file. Raises `Poison` for another file, or one without this house."""
    record = witness_file_reader.read(_bytes_of(path))
    witness_file_reader.must_vouch(str(path), [*record.heads, *record.aside, *record.refused], settings().property_)
    return record


def _witness_of_file(path: Path) -> Witness:
    """Return heads that a person kept, one a line. Raises `Poison` where they concern another house only."""
    lines = [line for line in _bytes_of(path).splitlines() if line.strip()]
    witness_file_reader.must_vouch(str(path), lines, settings().property_)
    return Witness(str(path), lines)


def _bytes_of(path: Path) -> bytes:
    """Return the content of a file. Raises `Poison` for a device, which may have no end."""
    if path.is_char_device() or path.is_block_device():
        raise Poison(coded("witness-is-a-device", path=str(path)))
    return path.read_bytes()


def _house() -> Witness:
    """Return the heads in the store's database."""
    with closing(open_heads(settings().store)) as heads:
        try:
            return kept_by_house(heads)
        except Unknown:  # no such table: then there are no heads, which is a finding
            return Witness("store", [])


def _signed_heads(witnesses: Sequence[Witness], trusted_keys: Collection[str]) -> Iterator[Head]:
    """Yield the house's own heads, then those that only others kept and that a trusted key signed; each once.

    Faults of heads themselves are found where heads are compared.
    """
    own, *other_witnesses = witnesses
    seen = set(own.heads)
    for raw in own.heads:
        with suppress(Poison):
            yield decode(raw)
    for raw in (raw for witness in other_witnesses for raw in witness.heads if raw not in seen):
        seen.add(raw)
        with suppress(Poison):
            head = decode(raw)
            if head.property == settings().property_ and head.key in trusted_keys and has_signature(head):
                yield head


def _witness_file_faults(outside: dict[str, witness_file_reader.WitnessFile]) -> list[Finding]:
    """Return the faults of witnesses' files, and the heads that a witness refused because they contradict earlier
    ones."""
    findings = [
        Finding("witness", 0, f"{name}: {line}")
        for name, witness_file in outside.items()
        for line in witness_file.amiss
    ]
    for name, witness_file in outside.items():
        for raw in witness_file.refused[:1]:
            head = decode(raw)
            message = f"{name} refused a head {head.number}, which contradicts what was signed before"
            findings.append(Finding("witness", head.position, message, further_findings=len(witness_file.refused) - 1))
    return findings


def _guards(store: EventStore) -> list[Finding]:
    """Return the missing guards against editing. Raises Unknown without a store."""
    amiss = store.amiss()
    if amiss is None:
        raise Unknown(coded("store-tables-missing"))
    return [Finding("guard", 0, line) for line in amiss]


def _require_store(url: str) -> None:
    """An SQLite store that is not there yet is not made by looking for it."""
    path = Path(unquote(url.removeprefix("sqlite:///")))
    if url.startswith("sqlite:///") and not path.exists():
        raise Unknown(coded("store-not-at-path", path=str(path)))
