"""Play in some events: the players' net win, average bet and time played."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec
from django.db.models import QuerySet

from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events import catalogue
from events.tables.event_types.rounds import BetPlaced
from events.tables.moved_amount_declarations import EVENT_WIN, figure, types_with
from projections.eventlog.models import EventLog

PAUSE = timedelta(minutes=30)  # a person who does nothing for longer has not played meanwhile


class Play(msgspec.Struct, frozen=True):
    """Play of players in these events, in minor units.

    `net_win_minor` is the recorded win from their side: negative where they lost. `stakes_minor` over `bets` is the
    average bet, `played_s` the time between events that are no more than half an hour apart.
    """

    currency: str
    bets: int
    stakes_minor: int
    average_minor: int | None
    net_win_minor: int
    played_s: int

    @property
    def played(self) -> str:
        """The time as hours and minutes: "2:05"."""
        return f"{self.played_s // 3600}:{self.played_s % 3600 // 60:02d}"


def play_of(rows: "QuerySet[EventLog, EventLog]", places: Places) -> Play | None:
    """Return the play in these events; None without a bet, or with bets in several currencies. Two queries."""
    types = [kind.TYPE for kind in types_with(EVENT_WIN)]
    events = list(rows.filter(type__in=types).order_by("position").values_list("type", "stream", "raw"))
    used = {stream_currencies.of_stream(places, stream) for _type, stream, _raw in events}
    if len(used) != 1:
        return None
    data = [catalogue.decode(type_, bytes(raw)).data for type_, _stream, raw in events]
    stakes = [event.amount_minor for event in data if isinstance(event, BetPlaced)]
    average = round(sum(stakes) / len(stakes)) if stakes else None
    times = rows.order_by("time").values_list("time", flat=True)
    net = -sum(figure(event, EVENT_WIN) for event in data)
    return Play(used.pop(), len(stakes), sum(stakes), average, net, _played(times))


def _played(times: Iterable[datetime]) -> int:
    played, before = timedelta(), None
    for time in times:
        if before is not None and time - before <= PAUSE:
            played += time - before
        before = time
    return round(played.total_seconds())
