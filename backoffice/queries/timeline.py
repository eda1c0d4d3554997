"""Everything that touched somebody or something, in order, with what it comes to by type of event.

Players, dealers and tables stand in columns of the log. What events name in a field of their own (a drop box, a slip, a
die, a progressive) is looked for among the few types that have the field; a shoe's cards are those of its table until
the next shoe is loaded there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, QuerySet

from backoffice.queries import currencies
from backoffice.queries.accounts import blind
from events.catalogue import event_types
from events.errors import Unknown
from events.settings import settings
from events.tables.types.cards import ShoeLoaded
from events.tables.types.progressive import HitDeclared, HitDeclaredLate, ProgressiveArmed
from projections.eventlog.models import EventLog

MOST = 5_000  # events of a timeline; by day there is more
SHOWN = 200  # at once
LOOKED_AT = 100_000  # of the types that may name a thing, the newest
_COLUMNS = ("position", "stream", "type", "time", "table", "gaming_day", "round", "player", "actor", "amount_minor")


Log: TypeAlias = "QuerySet[EventLog, EventLog]"
# Which events of the log are asked for by a name, and whether all were looked at.
Asks: TypeAlias = Callable[[Log, str], tuple[Q, bool]]


class Touch(msgspec.Struct, frozen=True):
    """An event that touched it. `table` and `gaming_day` are "" and `round` null away from tables."""

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


class OfType(msgspec.Struct, frozen=True):
    """How many events of a type there are, and what their amounts sum to."""

    type: str
    currency: str
    events: int
    amount_minor: int


class Timeline(msgspec.Struct, frozen=True):
    """What touched `name`, oldest first: `touches` from behind `after` on, `next` to go on. `sums` are over all
    `events`; not `is_whole` where there are more than were looked at."""

    kind: str
    name: str
    beside: str
    gaming_day: str
    events: int
    is_whole: bool
    sums: tuple[OfType, ...]
    touches: tuple[Touch, ...]
    next: int | None

    @property
    def onward(self) -> str:
        """The query string of the page behind this one."""
        asked = {"after": self.next, "gaming_day": self.gaming_day, "player": self.beside}
        return urlencode({name: value for name, value in asked.items() if value})


def timeline(
    kind: str, name: str, *, beside: str = "", gaming_day: str = "", after: int = 0, roles: Sequence[str] = ()
) -> Timeline:
    """Of a player, dealer, table, shoe, dice, drop-box, slip or progressive. `beside`: of a dealer with this player
    only. Raises Unknown for what nothing touched."""
    if kind not in KINDS:
        raise Unknown(f"there is no timeline of {kind!r:.40}; there are: {', '.join(KINDS)}")
    log = EventLog.objects.filter(**({"gaming_day": gaming_day} if gaming_day else {}))
    asked, is_whole = KINDS[kind](log, name)
    some = log.filter(asked).exclude(_kept_back(roles))
    if beside:
        some = some.filter(player=beside)
    rows = list(some.order_by("position").values_list(*_COLUMNS)[: MOST + 1])
    if not rows:
        raise Unknown(f"nothing touched the {kind} {name!r:.40}")
    known = currencies.by_place()
    touches = [_touch(known, row) for row in rows[:MOST]]
    shown = [one for one in touches if one.position > after]
    return Timeline(
        kind=kind,
        name=name,
        beside=beside,
        gaming_day=gaming_day,
        events=len(touches),
        is_whole=is_whole and len(rows) <= MOST,
        sums=tuple(_sums(touches)),
        touches=tuple(shown[:SHOWN]),
        next=shown[SHOWN - 1].position if len(shown) > SHOWN else None,
    )


def _kept_back(roles: Sequence[str]) -> Q:
    """Buy-ins of tables that who asks may count, and what is not theirs to know."""
    return blind.not_told(sorted(blind.streams(roles)), is_of_buyins=False)


def _touch(known: Mapping[str, str], row: Sequence[Any]) -> Touch:
    position, stream, type_, time, table, day, number, player, actor, amount = row
    currency = currencies.of_stream(known, stream)
    return Touch(position, type_, time, table or "", day or "", number, player or "", actor, amount, currency)


def _sums(touches: Sequence[Touch]) -> Iterator[OfType]:
    found: dict[tuple[str, str], list[int]] = {}
    for one in touches:
        found.setdefault((one.type, one.currency), []).append(one.amount_minor or 0)
    for (type_, currency), amounts in sorted(found.items()):
        yield OfType(type_, currency, len(amounts), sum(amounts))


# --- what touches what ----------------------------------------------------------------------------------------


def types_with(*fields: str) -> list[str]:
    """The types of events that say one of these."""
    return [name for name, shape in event_types().items() if set(fields) & set(shape.__struct_fields__)]


def _equal(column: str) -> Asks:
    """Events that say so in a column of the log."""
    return lambda _log, name: (Q(**{column: name}), True)


def _saying(*fields: str) -> Asks:
    """Events that say this name in one of these fields, alone or among others."""

    def asks(log: Log, name: str) -> tuple[Q, bool]:
        return _named(log.filter(type__in=types_with(*fields)), fields, name)

    return asks


def _named(some: Log, fields: Sequence[str], name: str) -> tuple[Q, bool]:
    rows = some.order_by("-position").values_list("position", "raw")[: LOOKED_AT + 1]
    said, looked_at = list[int](), 0
    for position, raw in rows.iterator():
        looked_at += 1
        if _says(bytes(raw), fields, name):
            said.append(position)
    return Q(position__in=said[: MOST + 1]), looked_at <= LOOKED_AT


def _of_progressive(log: Log, name: str) -> tuple[Q, bool]:
    """Its own events, and what is said of it at tables: rounds that are armed, hits."""
    at_tables = [one.TYPE for one in (ProgressiveArmed, HitDeclared, HitDeclaredLate)]
    found, is_whole = _named(log.filter(type__in=at_tables), ("progressive",), name)
    return found | Q(stream=f"{settings().property_}/progressives/{name}"), is_whole


def _says(raw: bytes, fields: Sequence[str], name: str) -> bool:
    data = msgspec.json.decode(raw)["data"]
    return any(is_said(data.get(field), name) for field in fields)


def is_said(value: Any, name: str) -> bool:
    """Whether a name is this value, or one of several, also of those that have a serial. What dice show is none."""
    if isinstance(value, list):
        named = [one.get("serial") if isinstance(one, dict) else one for one in value]
        return any(is_said(one, name) for one in named if not isinstance(one, int))
    return value is not None and str(value) == name


def of_shoe(log: Log, name: str) -> tuple[Q, bool]:
    """Its loading, and the cards of its table until the next one is loaded there."""
    loaded = log.filter(type=ShoeLoaded.TYPE).order_by("position").values_list("stream", "position", "raw")
    found, since = Q(position__in=[]), dict[str, int]()
    for stream, position, raw in loaded:
        if (began := since.pop(stream, None)) is not None:
            found |= _cards(stream, began) & Q(position__lt=position)
        if _says(bytes(raw), ("shoe",), name):
            since[stream] = position
    for stream, began in since.items():
        found |= _cards(stream, began)
    return found, True


def _cards(stream: str, began: int) -> Q:
    return Q(stream=stream, position__gte=began, type__in=types_with("card", "shoe"))


KINDS: Mapping[str, Asks] = {
    "player": _equal("player"),
    "dealer": _equal("dealer"),
    "table": _equal("table"),
    "shoe": of_shoe,
    "dice": _saying("dice", "serials"),
    "drop-box": _saying("drop_box"),
    "slip": _saying("slip"),
    "progressive": _of_progressive,
}
