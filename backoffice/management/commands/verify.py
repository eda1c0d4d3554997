"""`./manage.py verify`: verify the event store by recomputation of chains, heads, copies and read models."""

import hashlib
import logging
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from django.core.management.base import CommandError, CommandParser

from backoffice.integrity import last_verification
from backoffice.management.house_command import HouseCommand, exit_code
from events.alerts.overdue_and_luck_event_recorder import FINDINGS_MAX, of_house, report
from events.alerts.system_recorded_event_types import IntegrityFailed
from events.errors import PitledgerError, Retry
from events.integrity.audit import Audit
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import open_store

if TYPE_CHECKING:
    from backoffice.integrity.house_verification import VerificationRun


class Command(HouseCommand):
    """Reads only, except for `--report`, which writes into the log."""

    help = (
        "Verify the event store from its bytes: hash chains, integrity heads and signatures, progressives, closed "
        "and restated reports, guards against edits, and action keys. Compare the store with the signer's last "
        "head, the Kafka topic, the event log, the read models, the journal, and copies outside the house. The "
        "first wrong event is named. The command writes only temporary read models and its result, for the page "
        "/integrity. Exit code 1: something is wrong. Exit code 2: something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        file_options: dict[str, Any] = {"action": "append", "default": [], "metavar": "FILE", "type": Path}
        parser.add_argument(
            "--witness",
            **file_options,
            help="the file of a witness outside the house (tools/witness.py), or a copy",
        )
        parser.add_argument(
            "--heads",
            **file_options,
            help="a file of heads kept outside, one per line, as on the topic pitledger.heads",
        )
        parser.add_argument("--key", action="append", default=[], metavar="HEX", help="trust only this public key")
        parser.add_argument(
            "--given",
            action="append",
            default=[],
            metavar="FILE",
            help=(
                "a certificate or report, or its SHA-256: check that it was issued and that its figures are unchanged"
            ),
        )
        parser.add_argument("--no-topic", action="store_true", help="do not compare with Kafka")
        parser.add_argument("--no-read-models", action="store_true", help="do not compare with the read models")
        parser.add_argument("--resume", action="store_true", help="continue after the last run with --resume")
        parser.add_argument(
            "--report", action="store_true", help="record each finding as an event, which raises an alert"
        )
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.getLogger("kafka").setLevel(logging.CRITICAL)  # a broker that does not answer gets a line of its own
        progress = None if options["json"] or not sys.stderr.isatty() else self._progress
        from backoffice.integrity.house_verification import (  # imported here, because the help needs none of it
            VerificationOptions,
            VerificationRun,
        )

        scope = VerificationOptions(
            witness=options["witness"],
            heads=options["heads"],
            keys=set(options["key"]) or house_signing_key.trusted(settings().data_folder),
            topic=not options["no_topic"],
            read_models=not options["no_read_models"],
            resume=options["resume"],
            given=options["given"],
        )
        with exit_code(2, OSError), _ended_tidily():
            reached = last_verification.RunProgress()
            audit = _run(VerificationRun(scope, self.stderr.write, progress, reached), reached)
        if options["json"]:
            self.write_json(audit)
        else:
            self._write_report(audit, has_key=bool(scope.keys))
        if options["report"] and not audit.holds:
            self._report(audit)
        if not audit.holds:
            raise CommandError(f"{len(audit.findings)} findings: the store has been changed", returncode=1)

    def _progress(self, position: int) -> None:
        self.stderr.write(f"verified up to {position:,}", ending="\r")

    def _report(self, audit: Audit) -> None:
        """Record the findings as an event, the same findings once."""
        lines = tuple(f"{finding.kind}: {finding.message}"[:500] for finding in audit.findings[:FINDINGS_MAX])
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        failed = IntegrityFailed(kind="verify", thing=digest, findings=lines, count=len(audit.findings))
        store = open_store(settings().store)
        try:
            report(store, of_house(store, settings().property_), failed)
        except PitledgerError as error:
            self.stderr.write(f"The findings could not be recorded as events: {error}")
        finally:
            store.close()

    def _write_report(self, audit: Audit, *, has_key: bool) -> None:
        line = self.stdout.write
        rate = (audit.events - audit.begun) / max(audit.seconds, 0.001)
        line(f"{audit.events:,} events in {audit.streams:,} streams up to position {audit.position:,}, {rate:,.0f}/s")
        if audit.begun:
            line(f"the first {audit.begun:,} of them were verified before, and not read again")
        line(f"{audit.heads:,} heads, compared: {', '.join(audit.compared)}; covered up to {audit.covered:,}")
        if audit.uncovered:
            line(f"the last {audit.uncovered:,} events are covered by no head yet")
        if audit.heads and not has_key:
            line("no key to compare with: name the house's published key by --key")
        line(f"signed by {', '.join(audit.keys) or 'no key'}")
        line(f"root {audit.root}")
        for remark in (*audit.gaps, *audit.left_out):
            line(remark)
        for finding in audit.findings:
            suffix = (
                f" (and {finding.further_findings:,} more that may follow from it)" if finding.further_findings else ""
            )
            line(f"{finding.kind}: {finding.message}{suffix}")
        if audit.holds:
            line("Everything holds.")


def _run(verifying: "VerificationRun", progress: last_verification.RunProgress) -> Audit:
    """Verify, and record for the page the start and the result.

    A database that accepts no record does not prevent the verification.
    """
    verification = None
    with suppress(Retry):
        verification = last_verification.begin()
    try:
        with last_verification.alive(verification, progress):
            audit = verifying.run()
    except (PitledgerError, OSError) as error:
        _record_verification(verification, None, str(error))
        raise
    _record_verification(verification, audit)
    return audit


def _record_verification(
    verification: last_verification.RunningVerification | None, audit: Audit | None, why: str = ""
) -> None:
    with suppress(Retry):
        if verification is not None:
            last_verification.record_result(verification, audit, why)


@contextmanager
def _ended_tidily() -> Iterator[None]:
    """Drop the copies before the process ends on SIGTERM."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(*_: object) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)
