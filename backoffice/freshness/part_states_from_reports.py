"""States of the parts of the house: by their reports in the database, and by the report of `up` about its own.

Containers share no folder, so there only the reports exist. Under `up` the supervisor knows more.
"""

import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec
from django.db import connection

from backoffice.models import PartReport
from backoffice.running import child_process_start_and_end, parts_not_running
from backoffice.running.part_names_and_own_part import PARTS, REPORTING
from backoffice.running.status_reports_of_parts_into_database import PartFigures
from events.settings.settings_from_environment import settings

SILENT_S = 20.0  # without progress: a report comes every five seconds
State = Literal["up", "waiting", "silent", "stopped", "down", "missing"]


class PartState(msgspec.Struct, frozen=True):
    """State of a part. `silence_s`: since its last progress, which was at `since` (UTC); `position`: how far it is."""

    name: str
    state: State
    why: str = ""
    version: str = ""
    host: str = ""
    started: datetime | None = None
    silence_s: float | None = None
    position: int = 0
    since: str = ""

    @property
    def is_well(self) -> bool:
        """Return whether the part does its work."""
        return self.state == "up"


class LastPartReport(msgspec.Struct, frozen=True):
    """A part's last report. `silence_s`: since its last progress, by the database server's clock."""

    row: PartReport
    figures: PartFigures
    silence_s: float

    @property
    def is_fresh(self) -> bool:
        """Return whether the part runs and makes progress."""
        return not self.row.is_ended and self.silence_s <= SILENT_S


def part_reports() -> list[LastPartReport]:
    """Return the last report of every part, by host. Raises django.db.DatabaseError."""
    now = database_now()
    return [LastPartReport(row, _figures(row), max(now - row.progress_s, 0.0)) for row in PartReport.objects.all()]


def away_now() -> tuple[parts_not_running.Away, ...]:
    """Return the parts that do no work at this moment, for the line on every page. Raises django.db.DatabaseError."""
    if not _in_containers():
        return tuple(parts_not_running.absent_parts(settings().data_folder))
    states = (state for state in part_states(part_reports()) if not state.is_well)
    return tuple(parts_not_running.Away(state.name, state.since, state.why) for state in states)


def _in_containers() -> bool:
    return os.environ.get(child_process_start_and_end.MARK) == parts_not_running.CONTAINERS


def database_now() -> float:
    """Return the time of the read models' database, in seconds since 1970."""
    if connection.vendor != "postgresql":
        return time.time()
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        row = cursor.fetchone()
    return float(row[0])


def _figures(row: PartReport) -> PartFigures:
    try:
        return msgspec.json.decode(row.figures, type=PartFigures)
    except msgspec.MsgspecError:  # of another version
        return PartFigures()


def part_states(reports: Sequence[LastPartReport]) -> Iterator[PartState]:
    """Yield the state of each part once: by its latest progress, on any machine, and by its supervisor's report."""
    in_containers, data = _in_containers(), settings().data_folder
    supervised = {} if in_containers else {part.name: part for part in parts_not_running.absent_parts(data)}
    down = {} if in_containers else parts_not_running.parts_down(data)
    for name in PARTS:
        own = [report for report in reports if report.row.part == name]
        latest = max(own, key=lambda report: (not report.row.is_ended, -report.silence_s), default=None)
        state = _reported(name, latest, must_run=in_containers and name in REPORTING)
        if name in down:
            state = _changed_state(name, state, "waiting" if state and state.state == "waiting" else "down", down[name])
        elif name in supervised and (state is None or state.is_well):
            state = _changed_state(name, state, "down", supervised[name].why)
        if state is not None:
            yield state


def _changed_state(name: str, state: PartState | None, to: State, why: str) -> PartState:
    return msgspec.structs.replace(state or PartState(name, to), state=to, why=why)


def _reported(name: str, report: LastPartReport | None, *, must_run: bool) -> PartState | None:
    """Return the state that a part's report shows; None for a part that is not expected."""
    if report is None:
        return PartState(name, "missing", "it has not started") if must_run else None
    state, why = _judged(report, must_run=must_run)
    if not state:
        return None
    started, progress = (
        datetime.fromtimestamp(moment, UTC) for moment in (report.row.started_s, report.row.progress_s)
    )
    version, host = report.row.version, report.row.host
    silence, position = round(report.silence_s, 1), report.figures.position
    return PartState(name, state, why, version, host, started, silence, position, f"{progress:%Y-%m-%dT%H:%M:%SZ}")


def _judged(report: LastPartReport, *, must_run: bool) -> tuple[State | None, str]:
    if report.row.is_ended:
        return ("stopped", "it was stopped") if must_run else (None, "")
    if report.silence_s > SILENT_S:
        return "silent", f"it made no progress for {report.silence_s:.0f} s"
    return ("waiting", report.row.waits) if report.row.waits else ("up", "")
