"""The chain of custody of a case: every view, export and hand-over, by the access log and by the case's own events."""

from collections.abc import Iterator

from backoffice.access.models import Look
from backoffice.cases.export.bookmark_files import sheet
from events.cases.decrypted_case import CaseFile

COLUMNS = ("time", "person", "what", "details", "from", "device", "access_log_line", "sha256", "event")


def lines(case: str) -> Iterator[Look]:
    """Yield the lines of the access log that name the case, in order."""
    return Look.objects.filter(what__contains=case).order_by("number").iterator()


def as_csv(file: CaseFile) -> str:
    """Return the chain of custody as CSV, in the order of time, times in UTC."""
    rows: list[tuple[object, ...]] = [_of_log(line) for line in lines(file.id)]
    rows += [(step.at, step.by, step.type, "", "", "", "", "", step.event) for step in file.history]
    for export in file.exports:
        rows.append(
            (export.at, export.by, "exported", export.export, export.source, "", "", export.manifest, export.event)
        )
    for hand_over in file.hand_overs:
        details = f"{hand_over.export} to {hand_over.to}: {hand_over.reason}"
        rows.append((hand_over.at, hand_over.by, "handed over", details, "", "", "", "", hand_over.event))
    return sheet(COLUMNS, sorted(rows, key=lambda row: str(row[0])))


def _of_log(line: Look) -> tuple[object, ...]:
    who = (_time(line), line.person, line.kind, line.what, line.source, line.device)
    return (*who, line.number, line.digest, "")


def _time(line: Look) -> str:
    return line.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
