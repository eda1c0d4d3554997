"""A round found in the log: its steps, and the actions refused at its table meanwhile.

The log's rows are folded again by the table's own fold, so that each statement comes from its events. The state before
the round is folded from the stream's beginning, or from a cached round. A round's first event names the digest of the
one before, and with it the whole earlier history. The state is cached under that digest. A later round of the same
stream continues from there if its first event has the same history.

Refusals are no events: no chain and no head covers them, and they are kept for a limited number of days. A refusal
without effect on its sender has no line. A line names the table and not the round, so it belongs to a round by its time
alone.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from threading import Lock

import msgspec
from django.db.models import Q
from django.utils import timezone

from backoffice.access.models import Access
from backoffice.event_log import figures_hidden_before_counts
from events import catalogue
from events.envelope import AnyEnvelope
from events.error_codes import coded
from events.errors import Unknown
from events.settings.settings_from_environment import settings
from events.tables import round_replay
from events.tables.round_replay import ReplayStep, session_after
from events.tables.table_session_state_structs import Session, stream_of
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound

EVENTS_MAX = 5_000  # of a round, and up to the next one
REMEMBERED = 64  # rounds
REFUSALS_SHOWN = 50


class Beginning(msgspec.Struct, frozen=True):
    """State of a table before the round whose first event is at `position`."""

    stream: str
    position: int
    session: Session


class Beginnings:
    """Cache of the last states asked for, by the digest of the event before them."""

    def __init__(self, at_most: int = REMEMBERED) -> None:
        self._beginnings: OrderedDict[str, Beginning] = OrderedDict()
        self._at_most = at_most
        self._lock = Lock()

    def session_before(
        self, prev: str, stream: str, position: int, events: Callable[[int], Sequence[AnyEnvelope]]
    ) -> Session:
        """Return the session before the event at this position, which names `prev` as its predecessor.

        `events` gives the stream's from a position on, up to there.
        """
        with self._lock:
            cached = self._beginnings.pop(prev, None)
            near = None if cached else self._last_cached(stream, position)
        beginning = cached or Beginning(stream, position, _fold_session(near, events))
        with self._lock:
            self._beginnings[prev] = beginning
            while len(self._beginnings) > self._at_most:
                self._beginnings.popitem(last=False)
        return beginning.session

    def _last_cached(self, stream: str, position: int) -> tuple[str, Beginning] | None:
        """Return the last cached round before it, with the digest its first event names."""
        earlier = [
            (prev, beginning)
            for prev, beginning in self._beginnings.items()
            if beginning.stream == stream and beginning.position < position
        ]
        return max(earlier, key=lambda pair: pair[1].position, default=None)


def _fold_session(near: tuple[str, Beginning] | None, events: Callable[[int], Sequence[AnyEnvelope]]) -> Session:
    if near is not None:
        prev, beginning = near
        since = events(beginning.position)
        if since and since[0].prev == prev:
            return session_after(since, beginning.session)
    return session_after(events(0))


class RoundSteps(msgspec.Struct, frozen=True):
    """A round's row, its steps, and the positions of their events by number. From `over` on, steps are between the
    rounds.
    """

    row: PlayedRound
    steps: tuple[ReplayStep, ...]
    positions: tuple[int, ...]
    over: int


_beginnings = Beginnings()


def find(table: str, gaming_day: str, number: int, roles: Collection[str]) -> RoundSteps:
    """Return the round as visible to a person in these roles, with the steps up to the next one.

    Raises Unknown. Five queries, six for a round that is not cached.
    """
    stream = stream_of(settings().property_, table, gaming_day)
    row = PlayedRound.objects.filter(id=f"{stream}#{number}").first()
    if row is None:
        raise Unknown(coded("round-not-found", round=number, table=table, day=gaming_day))
    until = PlayedRound.objects.filter(id=f"{stream}#{number + 1}").values_list("position", flat=True).first()
    rows = EventLog.objects.filter(stream=stream, position__gte=row.position).order_by("position")
    if until is not None:
        rows = rows.filter(Q(round=number) | Q(position__lt=until))
    placed = [(position, _decoded(bytes(raw))) for position, raw in rows.values_list("position", "raw")[:EVENTS_MAX]]
    events = [event for _position, event in placed]
    before = _beginnings.session_before(
        events[0].prev, stream, row.position, lambda since: _events_before(stream, since, row.position)
    )
    near = [event for position, event in placed if until is None or position < until]
    hidden = _hidden_buyins(stream, events, roles)
    own = {event.id for event in round_replay.of_the_round([event for event in events if _is_of(event, number)])}
    after = {event.id for event in round_replay.between_rounds(near)} - own
    steps = {step.envelope.id: step for step in round_replay.steps(before, events)}
    in_round = [(place, event) for place, event in placed if event.id in own - hidden]
    beyond = [(place, event) for place, event in placed if event.id in after - hidden]
    chosen = tuple(steps[event.id] for _, event in (*in_round, *beyond))
    return RoundSteps(row, chosen, tuple(place for place, _ in (*in_round, *beyond)), len(in_round))


def _is_of(envelope: AnyEnvelope, number: int) -> bool:
    return getattr(envelope.data, "round", None) == number


def _decoded(raw: bytes) -> AnyEnvelope:
    return catalogue.decode(msgspec.json.decode(raw, type=_RoundEventType).type, raw)


class _RoundEventType(msgspec.Struct):
    type: str


def _events_before(stream: str, since: int, until: int) -> list[AnyEnvelope]:
    rows = EventLog.objects.filter(stream=stream, position__gte=since, position__lt=until).order_by("version")
    return [_decoded(bytes(raw)) for raw in rows.values_list("raw", flat=True)]


def _hidden_buyins(stream: str, events: Sequence[AnyEnvelope], roles: Collection[str]) -> set[str]:
    """Return the ids of buy-ins hidden from these roles."""
    bought = {event.id for event in events if figures_hidden_before_counts.has_buyins([event.data.TYPE])}
    return bought if bought and stream in figures_hidden_before_counts.streams(roles) else set()


class Refusal(msgspec.Struct, frozen=True):
    """Refused action: person, and status, clause and sentence as answered."""

    at: datetime
    person: str
    outcome: str


def refusals(table: str, since: datetime, until: datetime | None) -> tuple[Refusal, ...]:
    """Return the refusals between two moments of the house's clock, or until now. One query."""
    lines = Access.objects.filter(what=f"action tables/{table}", at__gte=since, at__lte=until or timezone.now())
    return tuple(Refusal(line.at, line.person, line.outcome) for line in lines.order_by("at")[:REFUSALS_SHOWN])
