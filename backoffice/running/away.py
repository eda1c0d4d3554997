"""The parts of the house that do not run: since when, and why. Pages and `/healthz` say it.

Under `up` the supervisor knows. In containers nobody watches all parts, so the beats in the shared data folder tell.
"""

import os
from pathlib import Path

import msgspec

from backoffice.running import children, progress, status

NAME = "up"  # of the supervisor's own status file
CONTAINERS = "compose"  # the mark of parts that are containers
# By the file's name. The web process answers who asks, so it needs no line.
BEATING = {
    "relay": "relay",
    "project": "projector",
    "worker": "worker",
    "beat": "beat",
    "pages": "pages",
    "live": "live",
}


class Away(msgspec.Struct, frozen=True):
    """A part that does not run. `since` is the machine's time, in UTC."""

    name: str
    since: str
    why: str


class _Said(msgspec.Struct):
    pid: int
    down: dict[str, str]
    away: list[Away] = []


def _heard(data: Path | None) -> _Said | None:
    """The supervisor's last word, if it still runs."""
    try:
        said = msgspec.convert(status.heard(NAME, data=data), _Said)
    except msgspec.ValidationError:  # it never said anything
        return None
    return said if children.identify(said.pid) is not None else None


def _silent_parts(data: Path | None) -> list[Away]:
    """The parts in containers that do not get on."""
    folder = status.run_folder(data)
    silent = []
    for name, part in BEATING.items():
        if why := progress.silent(name, folder):
            silent.append(Away(part, progress.last_beat(name, folder), why))
    return silent


def away(data: Path | None = None) -> list[Away]:
    """What does not run at this moment; empty also where nobody keeps the parts running."""
    if os.environ.get(children.MARK) == CONTAINERS:
        return _silent_parts(data)
    said = _heard(data)
    return said.away if said else []


def down(data: Path | None = None) -> dict[str, str]:
    """What could not be kept running, and why."""
    if os.environ.get(children.MARK) == CONTAINERS:
        return {part.name: part.why for part in _silent_parts(data)}
    said = _heard(data)
    return said.down if said else {}
