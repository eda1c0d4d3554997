"""The parts that do not run, as the supervisor of this data folder knows: since when, and why.

Containers have no supervisor of all parts; their reports replace it
(`backoffice/freshness/part_states_from_reports.py`).
"""

from pathlib import Path

import msgspec

from backoffice.running import child_process_start_and_end, status_files

NAME = "up"  # of the supervisor's own status file
CONTAINERS = "compose"  # the mark of parts that are containers


class Away(msgspec.Struct, frozen=True):
    """A part that does not run. `since` is the machine's time, in UTC."""

    name: str
    since: str
    why: str


class _Announcement(msgspec.Struct):
    pid: int
    down: dict[str, str]
    away: list[Away] = []


def _last_announcement(data: Path | None) -> _Announcement | None:
    """The supervisor's last word, if it still runs."""
    try:
        announcement = msgspec.convert(status_files.last_status(NAME, data=data), _Announcement)
    except msgspec.ValidationError:  # it never reported
        return None
    return announcement if child_process_start_and_end.identify(announcement.pid) is not None else None


def absent_parts(data: Path | None = None) -> list[Away]:
    """Return the parts that do not run at this moment; empty also where no one keeps the parts running."""
    announcement = _last_announcement(data)
    return announcement.away if announcement else []


def parts_down(data: Path | None = None) -> dict[str, str]:
    """Return the parts that could not be kept running, and why."""
    announcement = _last_announcement(data)
    return announcement.down if announcement else {}
