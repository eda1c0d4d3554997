"""Condition of the house: its parts, how far each has come, the servers, disks and clocks that it rests on.

The same for `/healthz`, `/metrics` and the page System. It is read from the databases, so that every container sees
every part; under `up` the supervisor knows more, and is asked as well.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
from django.db import connection
from eventsourcing.persistence import PersistenceError

from backoffice.house.disks import Disk, disks
from backoffice.house.problems import Problem, do_for
from backoffice.installation import installation
from backoffice.models import PartReport
from backoffice.queries import continuity
from backoffice.running import away, children
from backoffice.running.part_reports import Figures
from backoffice.running.parts import PARTS, REPORTING
from events import clock
from events.errors import PitledgerError
from events.settings import settings
from projections.engine.models import PoisonedEvent, Reader
from projections.registry import PROJECTORS

SILENT_S = 20.0  # without progress: a report comes every five seconds
LATE_S = 5.0  # an event that the projector has not read
RELAY_LATE_S = 15.0  # one that the relay has not sent, by what it reports now and then
CLOCK_OFF_S = 5.0
State = Literal["up", "waiting", "silent", "stopped", "down", "missing"]


class PartState(msgspec.Struct, frozen=True):
    """State of a part. `silence_s`: since its last progress; `position`: how far it has come, where that says much."""

    name: str
    state: State
    why: str = ""
    version: str = ""
    host: str = ""
    started: datetime | None = None
    silence_s: float | None = None
    position: int = 0

    @property
    def is_well(self) -> bool:
        """Whether it does its work."""
        return self.state == "up"


class Lag(msgspec.Struct, frozen=True):
    """How far a reader of the store is behind: events, and the age of the oldest of them. `aside`: put aside."""

    name: str
    position: int
    events: int
    seconds: float
    aside: int = 0


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """State of the house at one moment. `head` is None where the event store does not answer."""

    parts: tuple[PartState, ...]
    head: int | None
    projections: tuple[Lag, ...]
    relay: Lag | None
    servers: dict[str, str]  # why it does not answer, by name; "" where it does
    queues: dict[str, int]
    disks: tuple[Disk, ...]
    clock_offset_s: float
    problems: tuple[Problem, ...]

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def condition() -> Condition:
    """Return the condition of the house as of now. Raises DatabaseError where the read models do not answer."""
    now = database_now()
    reports = [*PartReport.objects.all()]
    fresh = [report for report in reports if not report.is_ended and now - report.progress_s <= SILENT_S]
    figures = {report.id: _figures(report) for report in reports}
    parts = tuple(_parts(reports, figures, now))
    store = _Store()
    projections = tuple(store.projections())
    relay = store.relay(parts, projections)
    known = disks()
    offset = _clock_offset([figures[report.id].clock_offset_s for report in fresh], store)
    servers = _servers([figures[report.id].away for report in fresh], store)
    found = Condition(
        parts=parts,
        head=store.head,
        projections=projections,
        relay=relay,
        servers=servers,
        queues=_queues([figures[report.id].queues for report in fresh]),
        disks=known,
        clock_offset_s=offset,
        problems=(),
    )
    return msgspec.structs.replace(found, problems=tuple(_problems(found)))


def database_now() -> float:
    """Return the time of the read models' database, in seconds since 1970."""
    if connection.vendor != "postgresql":
        return time.time()
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        row = cursor.fetchone()
    return float(row[0])


# --- parts ------------------------------------------------------------------------------------------------------------


def _figures(report: PartReport) -> Figures:
    try:
        return msgspec.json.decode(report.figures, type=Figures)
    except msgspec.MsgspecError:  # of another version
        return Figures()


def _parts(reports: Sequence[PartReport], figures: dict[str, Figures], now: float) -> Iterator[PartState]:
    """Each part once: by its latest progress, wherever it runs, and by what its supervisor says."""
    supervised = {one.name: one for one in away.away(settings().data_folder)}
    down = away.down(settings().data_folder)
    must_run = REPORTING if os.environ.get(children.MARK) == away.CONTAINERS else ()
    for name in PARTS:
        own = [report for report in reports if report.part == name]
        latest = max(own, key=lambda report: (not report.is_ended, report.progress_s), default=None)
        state = _reported(name, latest, figures, now, must_run=name in must_run)
        if name in down:
            state = _with(name, state, "waiting" if state and state.state == "waiting" else "down", down[name])
        elif name in supervised and (state is None or state.is_well):
            state = _with(name, state, "down", supervised[name].why)
        if state is not None:
            yield state


def _with(name: str, state: PartState | None, to: State, why: str) -> PartState:
    return msgspec.structs.replace(state or PartState(name, to), state=to, why=why)


def _reported(
    name: str, report: PartReport | None, figures: dict[str, Figures], now: float, *, must_run: bool
) -> PartState | None:
    """The state that a part's report shows; None for a part that nobody expects."""
    if report is None:
        return PartState(name, "missing", "it has not started") if must_run else None
    silence = max(now - report.progress_s, 0.0)
    state, why = _judged(report, silence, must_run=must_run)
    if not state:
        return None
    started = datetime.fromtimestamp(report.started_s, UTC)
    position = figures[report.id].position
    return PartState(name, state, why, report.version, report.host, started, round(silence, 1), position)


def _judged(report: PartReport, silence: float, *, must_run: bool) -> tuple[State | None, str]:
    if report.is_ended:
        return ("stopped", "it was stopped") if must_run else (None, "")
    if silence > SILENT_S:
        return "silent", f"it made no progress for {silence:.0f} s"
    return ("waiting", report.waits) if report.waits else ("up", "")


def _queues(reported: Iterable[dict[str, int]]) -> dict[str, int]:
    """The depth of each queue, over all processes that have one of this name."""
    total: dict[str, int] = {}
    for queues in reported:
        for name, depth in queues.items():
            total[name] = total.get(name, 0) + depth
    return total


# --- the store, and who reads it --------------------------------------------------------------------------------------


class _Moment(msgspec.Struct):
    recordedat: datetime


_moment = msgspec.json.Decoder(_Moment)


class _Store:
    """The event store at this moment, as far as it answers."""

    def __init__(self) -> None:
        self.why, self.head, self.ahead_s = "", None, 0.0  # type: str, int | None, float
        self._ages: dict[int, float] = {}
        try:
            self._past: Any = installation().store
            self.head = self._past.position()
            last = self._past.after(self.head - 1, 1) if self.head else []
            self.ahead_s = max(-self._age(last[0].raw), 0.0) if last else 0.0
        except (PitledgerError, PersistenceError, OSError) as error:
            self.why = str(error).partition("\n")[0]

    def projections(self) -> Iterator[Lag]:
        """Each projection of the house."""
        readers = {reader.projection: reader for reader in Reader.objects.filter(projection__in=PROJECTORS)}
        aside: dict[str, int] = {}
        for name in PoisonedEvent.objects.filter(projection__in=PROJECTORS).values_list("projection", flat=True):
            aside[name] = aside.get(name, 0) + 1
        for name in PROJECTORS:
            position = readers[name].position if name in readers else 0
            yield self._lag(name, position, aside.get(name, 0))

    def relay(self, parts: Sequence[PartState], projections: Sequence[Lag]) -> Lag | None:
        """The relay; None where none has reported. What a projection has read was sent."""
        reported = [part.position for part in parts if part.name == "relay" and part.state != "missing"]
        if not reported:
            return None
        return self._lag("relay", max(*reported, *(lag.position for lag in projections)))

    def _lag(self, name: str, position: int, aside: int = 0) -> Lag:
        head = self.head or 0
        return Lag(name, position, max(head - position, 0), self._oldest_s(position) if head > position else 0.0, aside)

    def _oldest_s(self, position: int) -> float:
        """The age of the first event behind a position."""
        if position not in self._ages:
            try:
                unread = self._past.after(position, 1)
            except (PitledgerError, PersistenceError, OSError):
                unread = []
            self._ages[position] = max(self._age(unread[0].raw), 0.0) if unread else 0.0
        return self._ages[position]

    def _age(self, raw: bytes) -> float:
        return (clock.moment() - _moment.decode(raw).recordedat).total_seconds()


def _servers(reported: Iterable[dict[str, str]], store: _Store) -> dict[str, str]:
    """Why each server does not answer, by those that use it; "" where it does."""
    servers = {"store": store.why, "read": "", "kafka": "", "task broker": ""}
    for gone in reported:
        for name, why in gone.items():
            servers[name] = servers.get(name) or why
    return servers


def _clock_offset(reported: Sequence[float], store: _Store) -> float:
    """The largest difference between a part's machine and the database server; or how far the last event is ahead."""
    offset = max(reported, key=abs, default=0.0)
    return round(-store.ahead_s if store.ahead_s > abs(offset) else offset, 3)


# --- problems ---------------------------------------------------------------------------------------------------------


def _problems(now: Condition) -> Iterator[Problem]:
    """What is wrong, the parts first."""
    for part in now.parts:
        if not part.is_well:
            yield Problem(part.name, part.state, part.why, do_for(part.name, part.state))
    for server, why in now.servers.items():
        if why:
            yield Problem(server, "away", why, do_for(server, "away"))
    if history := continuity.standing():
        yield Problem("figures", "stopped", history, do_for("figures", "stopped"))
    yield from _late(now)
    for disk in now.disks:
        if disk.is_low:
            yield Problem(f"disk ({disk.name})", "full", disk.words, do_for("disk", "full"))
    if abs(now.clock_offset_s) > CLOCK_OFF_S:
        why = f"this house's clocks differ by {abs(now.clock_offset_s):.0f} s"
        yield Problem("clock", "off", why, do_for("clock", "off"))


def _late(now: Condition) -> Iterator[Problem]:
    late = [lag for lag in now.projections if lag.seconds > LATE_S]
    if late:
        worst = max(late, key=lambda lag: lag.events)
        yield Problem("projector", "behind", _behind(worst), do_for("projector", "behind"))
    if now.relay is not None and now.relay.seconds > RELAY_LATE_S:
        yield Problem("relay", "behind", _behind(now.relay), do_for("relay", "behind"))
    if aside := sum(lag.aside for lag in now.projections):
        yield Problem("projector", "quarantine", f"{aside:,} events were put aside", do_for("projector", "quarantine"))


def _behind(lag: Lag) -> str:
    return f"{lag.events:,} events are not read yet, the oldest for {lag.seconds:.0f} s"
