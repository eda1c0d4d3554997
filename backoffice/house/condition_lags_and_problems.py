"""Condition of the house: its parts with their positions, and its servers, disks and clocks.

`/healthz`, `/metrics` and the page System share it. It is read from the databases, so that every container sees every
part. Under `up` the supervisor knows more, and its report is read as well.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import ngettext
from eventsourcing.persistence import PersistenceError

from backoffice.freshness import history_mismatch
from backoffice.freshness.part_states_from_reports import PartState, part_reports, part_states
from backoffice.house.disk_space_readings import Disk, disks
from backoffice.house.problem_remedies import Problem, do_for
from backoffice.installation.dependency_injection import installation
from backoffice.wording.error_code_sentences import coded_sentence
from events.cases.case_key_and_file_vault import house_key_fault
from events.errors import PitledgerError, Retry
from events.integrity.signing_stop_note import signer_refusal
from events.runtime import clock
from projections.engine.models import PoisonedEvent, Reader
from projections.registry import PROJECTORS

LATE_S = 5.0  # an event that the projector has not read
RELAY_LATE_S = 15.0  # an event not yet sent, by the relay's occasional reports
CLOCK_OFF_S = 5.0


class Lag(msgspec.Struct, frozen=True):
    """The distance of a reader behind the store: events, and the age of the oldest of them. `aside`: quarantined
    events.

    A read model that is not `is_current` is of another version: it does not change until it is rebuilt.
    """

    name: str
    position: int
    events: int
    seconds: float
    aside: int = 0
    is_current: bool = True


class HouseCondition(msgspec.Struct, frozen=True, kw_only=True):
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
        """Return whether the house has no problem."""
        return not self.problems


def condition() -> HouseCondition:
    """Return the condition of the house as of now.

    Raises django.db.DatabaseError where the read models do not answer.
    """
    reports = part_reports()
    parts, fresh_figures = tuple(part_states(reports)), [report.figures for report in reports if report.is_fresh]
    store = _Store()
    projections = tuple(store.projections())
    relay = store.relay(parts, projections)
    house_disks = disks()
    offset = _clock_offset([figures.clock_offset_s for figures in fresh_figures], store)
    servers = _servers([figures.away for figures in fresh_figures], store)
    state = HouseCondition(
        parts=parts,
        head=store.head,
        projections=projections,
        relay=relay,
        servers=servers,
        queues=_queues([figures.queues for figures in fresh_figures]),
        disks=house_disks,
        clock_offset_s=offset,
        problems=(),
    )
    return msgspec.structs.replace(state, problems=tuple(_problems(state)))


def _queues(reported: Iterable[dict[str, int]]) -> dict[str, int]:
    """The depth of each queue, over all processes that have one of this name."""
    total = Counter[str]()
    for queues in reported:
        total.update(queues)
    return dict(total)


# --- the store, and its readers ---------------------------------------------------------------------------------------


class _RecordedTime(msgspec.Struct):
    recordedat: datetime


_moment = msgspec.json.Decoder(_RecordedTime)


class _Store:
    """The event store at this moment, as far as it answers."""

    def __init__(self) -> None:
        self.why, self.head, self.ahead_s = "", None, 0.0  # type: str, int | None, float
        self._ages: dict[int, float] = {}
        try:
            self._history: Any = installation().store
            self.head = self._history.position()
            last = self._history.after(self.head - 1, 1) if self.head else []
            self.ahead_s = max(-self._age(last[0].raw), 0.0) if last else 0.0
        except (PitledgerError, PersistenceError, OSError) as error:
            self.why = str(error).partition("\n")[0]

    def projections(self) -> Iterator[Lag]:
        """Each projection of the house."""
        readers = {reader.projection: reader for reader in Reader.objects.filter(projection__in=PROJECTORS)}
        poisoned = PoisonedEvent.objects.filter(projection__in=PROJECTORS)
        aside = Counter(poisoned.values_list("projection", flat=True))
        for name in PROJECTORS:
            position = readers[name].position if name in readers else 0
            lag = self._lag(name, position, aside[name])
            is_current = name not in readers or readers[name].version == PROJECTORS.version(name)
            yield msgspec.structs.replace(lag, is_current=is_current)

    def relay(self, parts: Sequence[PartState], projections: Sequence[Lag]) -> Lag | None:
        """Return the relay, or None without a report of one. Events that a projection has read were sent."""
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
                unread = self._history.after(position, 1)
            except (PitledgerError, PersistenceError, OSError):
                unread = []
            self._ages[position] = max(self._age(unread[0].raw), 0.0) if unread else 0.0
        return self._ages[position]

    def _age(self, raw: bytes) -> float:
        return (clock.moment() - _moment.decode(raw).recordedat).total_seconds()


def _servers(reported: Iterable[dict[str, str]], store: _Store) -> dict[str, str]:
    """Return why each server does not answer, by those that use it; "" where it does."""
    servers = {"store": store.why, "read": "", "kafka": "", "task broker": ""}
    for failures in reported:
        for name, why in failures.items():
            servers[name] = servers.get(name) or why
    return servers


def _clock_offset(reported: Sequence[float], store: _Store) -> float:
    """The largest difference between a part's machine and the database server; or how far the last event is ahead."""
    offset = max(reported, key=abs, default=0.0)
    return round(-store.ahead_s if store.ahead_s > abs(offset) else offset, 3)


# --- problems ---------------------------------------------------------------------------------------------------------


def _problems(now: HouseCondition) -> Iterator[Problem]:
    """Yield each problem, those of the parts first."""
    for part in now.parts:
        if not part.is_well:
            yield Problem(part.name, part.state, part.why, do_for(part.name, part.state))
    for server, why in now.servers.items():
        if why:
            yield Problem(server, "away", why, do_for(server, "away"))
    if history := history_mismatch.first_obstacle():
        yield Problem("figures", "stopped", history, do_for("figures", "stopped"))
    if refused := _signer_refusal():
        yield Problem("heads", "stopped", refused, do_for("heads", "stopped"))
    if fault := _case_key_fault():
        yield Problem("cases", "stopped", fault, do_for("cases", "stopped"))
    yield from _late_job_problems(now)
    for disk in now.disks:
        if disk.is_low:
            yield Problem(f"disk ({disk.name})", "full", disk.words, do_for("disk", "full"))
    if abs(now.clock_offset_s) > CLOCK_OFF_S:
        why = f"this house's clocks differ by {abs(now.clock_offset_s):.0f} s"
        yield Problem("clock", "off", why, do_for("clock", "off"))


def _signer_refusal() -> str:
    try:
        return signer_refusal()
    except Retry:
        return ""  # the database of the access log is away, which is a problem of its own


def _case_key_fault() -> str:
    try:
        fault = house_key_fault()
    except Retry:
        return ""  # likewise
    return "" if fault is None else coded_sentence(fault.code, fault.params, with_todo=False)


def _late_job_problems(now: HouseCondition) -> Iterator[Problem]:
    late = [lag for lag in now.projections if lag.seconds > LATE_S]
    if late:
        worst = max(late, key=lambda lag: lag.events)
        yield Problem("projector", "behind", _lag_text(worst), do_for("projector", "behind"))
    if now.relay is not None and now.relay.seconds > RELAY_LATE_S:
        yield Problem("relay", "behind", _lag_text(now.relay), do_for("relay", "behind"))
    if aside := sum(lag.aside for lag in now.projections):
        yield Problem(
            "projector",
            "quarantine",
            ngettext("%s event is quarantined", "%s events are quarantined", aside) % f"{aside:,}",
            do_for("projector", "quarantine"),
        )


def _lag_text(lag: Lag) -> str:
    words = ngettext(
        "%(events)s event is not read yet, for %(seconds)s s",
        "%(events)s events are not read yet, the oldest for %(seconds)s s",
        lag.events,
    )
    return words % {"events": f"{lag.events:,}", "seconds": f"{lag.seconds:.0f}"}
