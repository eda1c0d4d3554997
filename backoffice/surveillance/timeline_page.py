"""The timeline of a player, a dealer, a table, or another subject: its events in order, with sums by type of event."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import SEARCH
from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.filters import BIGGEST
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, Page, PageRequest
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance.entity_event_queries import KINDS, MOST
from backoffice.surveillance.player_statistics import Play, play_of
from backoffice.surveillance.search.event_rows import Part, row
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent
from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events.error_codes import coded
from events.errors import Unknown
from events.text.id_spelling_normalization import spellings
from projections.eventlog.models import EventLog

PATH = "timelines/<str:thing>/<str:name>"
SHOWN = 200  # at once

PLAYED = ("player", "dealer", "table")  # amounts that players won and lost
_COLUMNS = ("position", "stream", "type", "time", "table", "gaming_day", "round", "player", "actor", "amount_minor")


class Touch(msgspec.Struct, frozen=True):
    """An event of the timeline. `table` and `gaming_day` are "" and `round` null outside of tables.

    `said` are its further details, for the shown ones.
    """

    position: int
    type: str
    time: datetime
    table: str
    gaming_day: str
    round: int | None
    player: str
    actor: str
    amount_minor: int | None
    currency: str
    details: tuple[Part, ...] = msgspec.field(name="said", default=())


class OfType(msgspec.Struct, frozen=True):
    """Number of events of a type, and the sum of their amounts."""

    type: str
    currency: str
    events: int
    amount_minor: int


class TouchGroup(msgspec.Struct, frozen=True):
    """Touches in a row of one round, or of a table between rounds, or of neither."""

    table: str
    gaming_day: str
    round: int | None
    touches: tuple[Touch, ...]

    @property
    def types(self) -> tuple[tuple[str, int], ...]:
        """Return the number of each type, in order of appearance."""
        return tuple(Counter(touch.type for touch in self.touches).items())

    @property
    def is_short(self) -> bool:
        """Return whether the timeline is too short to fold."""
        return len(self.touches) <= 2


class Timeline(msgspec.Struct, frozen=True):
    """Events of `name`, oldest first: `touches` after `after`, `next` to continue.

    `sums` are over all `events`; not `is_whole` where there are more than were read. All events of one gaming day are
    included. `play` is the play of a player, at a dealer or a table, where all of it was read.
    """

    kind: str
    name: str
    player: str = msgspec.field(name="beside")
    gaming_day: str
    events: int
    is_whole: bool
    sums: tuple[OfType, ...]
    touches: tuple[Touch, ...]
    next: int | None
    play: Play | None = None

    @property
    def groups(self) -> tuple[TouchGroup, ...]:
        """Return the touches, grouped by round."""
        return tuple(
            TouchGroup(*place, tuple(touches))
            for place, touches in groupby(self.touches, lambda touch: (touch.table, touch.gaming_day, touch.round))
        )

    @property
    def onward(self) -> str:
        """Return the query string of the next page."""
        parameters = {"after": self.next, "gaming_day": self.gaming_day, "player": self.player}
        return urlencode({name: value for name, value in parameters.items() if value})


def timeline(
    kind: str, name: str, *, player: str = "", gaming_day: str = "", after: int = 0, roles: Sequence[str] = ()
) -> Timeline:
    """Return the timeline of a player, dealer, table, shoe, dice, drop-box, slip or progressive.

    `player`: only a dealer's events with this player. Raises Unknown for a name without events.
    """
    if kind not in KINDS:
        raise Unknown(coded("timeline-unknown", name=kind, known=list(KINDS)))
    log = EventLog.objects.filter(**({"gaming_day": gaming_day} if gaming_day else {}))
    condition, is_whole = KINDS[kind](log, name)
    events = log.filter(condition).exclude(_hidden_buyins(roles))
    if player:
        events = events.filter(player__in=spellings(player))
    places = stream_currencies.by_place()
    sums, fits = _of_a_day(events, places) if gaming_day else _of_the_first(events, places)
    if not sums:
        raise Unknown(coded("timeline-empty", what=kind, name=name))
    rows = events.filter(position__gt=after).order_by("position").values_list(*_COLUMNS)[: SHOWN + 1]
    page_touches = [_touch(places, row) for row in rows]
    return Timeline(
        kind=kind,
        name=name,
        player=player,
        gaming_day=gaming_day,
        events=sum(of_type.events for of_type in sums),
        is_whole=is_whole and fits,
        sums=sums,
        touches=tuple(_with_details(page_touches[:SHOWN], places)),
        next=page_touches[SHOWN - 1].position if len(page_touches) > SHOWN else None,
        play=play_of(events, places, _name_of_player(kind, name, player), is_of_dealer=kind == "dealer")
        if is_whole and fits and kind in PLAYED
        else None,
    )


def _name_of_player(kind: str, name: str, player: str) -> str:
    """Return the only player of the timeline's events, if there is one."""
    return name if kind == "player" else player


def _of_a_day(events: "QuerySet[EventLog]", places: Places) -> tuple[tuple[OfType, ...], bool]:
    """Return the sums of all events of a gaming day, added up by the database."""
    groups = events.order_by().values_list("stream", "type").annotate(Count("position"), Sum("amount_minor"))
    rows = [
        (type_, stream_currencies.of_stream(places, stream), count, total) for stream, type_, count, total in groups
    ]
    return tuple(_sums(rows)), True


def _of_the_first(events: "QuerySet[EventLog]", places: Places) -> tuple[tuple[OfType, ...], bool]:
    """Return the sums of the first events, and whether these are all."""
    rows = list(events.order_by("position").values_list("stream", "type", "amount_minor")[: MOST + 1])
    each = [(type_, stream_currencies.of_stream(places, stream), 1, amount) for stream, type_, amount in rows[:MOST]]
    return tuple(_sums(each)), len(rows) <= MOST


def _hidden_buyins(roles: Sequence[str]) -> Q:
    """Return the condition for hidden events: buy-ins of tables that the reader may count, and events outside their
    rights.
    """
    return figures_hidden_before_counts.hidden_events(
        sorted(figures_hidden_before_counts.streams(roles)), is_of_buyins=False
    )


def _touch(places: Places, row: Sequence[Any]) -> Touch:
    position, stream, type_, time, table, day, number, player, actor, amount = row
    currency = stream_currencies.of_stream(places, stream)
    return Touch(position, type_, time, table or "", day or "", number, player or "", actor, amount, currency)


def _with_details(touches: Sequence[Touch], places: Places) -> Iterator[Touch]:
    """Yield each touch with the description of its event, from its own bytes. One query."""
    rows = EventLog.objects.filter(position__in=[touch.position for touch in touches])
    raws = dict(rows.values_list("position", "raw"))
    for touch in touches:
        event_bytes = FoundEvent(touch.position, bytes(raws.get(touch.position, b"")))
        yield msgspec.structs.replace(touch, details=row(event_bytes, places).details)


def _sums(rows: Iterable[tuple[str, str, int, int | None]]) -> Iterator[OfType]:
    """Return numbers of events and amounts, by type and currency."""
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for type_, currency, count, amount in rows:
        events, total = sums.get((type_, currency), (0, 0))
        sums[type_, currency] = events + count, total + (amount or 0)
    for (type_, currency), (events, total) in sorted(sums.items()):
        yield OfType(type_, currency, events, total)


def _timeline(request: PageRequest) -> Timeline:
    """Return the timeline. Raises Unknown for a name without events, and for an invalid position."""
    after = request.text("after", 20)
    if after and not (after.isascii() and after.isdecimal() and int(after) <= BIGGEST):
        raise Unknown(coded("position-unknown", position=after))
    return timeline(
        request.places["thing"],
        request.places["name"],
        player=request.text("player"),
        gaming_day=request.text("gaming_day", 20),
        after=int(after or 0),
        roles=tuple(request.reader.roles),
    )


TIMELINE = Page(
    name="timeline",
    path=PATH,
    title=gettext_lazy("Timeline"),
    open_to=TABLES,
    template="pages/timeline.html",
    query=_timeline,
    shown_as="timeline",
    under="events",
    looks=AccessLogRule(SEARCH, lambda timeline: timeline.events),
    endpoint=Endpoint(
        name="timeline",
        path=PATH,
        answer=Timeline,
        meaning=f"All events of one {', '.join(KINDS)}: in order, with sums by type.",
        parameters={
            "gaming_day": {"type": "string", "description": "Only this gaming day"},
            "player": {"type": "string", "description": "Of a dealer: only events with this player"},
            "after": {
                "type": "integer",
                "minimum": 0,
                "maximum": BIGGEST,
                "description": "Continue after this position: `next` of the previous page",
            },
        },
    ),
)
