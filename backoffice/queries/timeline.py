"""Everything that touched somebody or something, in order, with what it comes to by type of event."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.db.models import Q

from backoffice.queries import currencies
from backoffice.queries.accounts import blind
from backoffice.queries.currencies import Places
from backoffice.queries.search.found import Found
from backoffice.queries.search.readable import Part, row
from backoffice.queries.touching import KINDS, MOST
from events.errors import Unknown
from projections.eventlog.models import EventLog

SHOWN = 200  # at once
_COLUMNS = ("position", "stream", "type", "time", "table", "gaming_day", "round", "player", "actor", "amount_minor")


class Touch(msgspec.Struct, frozen=True):
    """An event that touched it. `table` and `gaming_day` are "" and `round` null away from tables; `said` is what it
    says beside that, of those that are shown."""

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
    said: tuple[Part, ...] = ()


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
        touches=tuple(_told(shown[:SHOWN], known)),
        next=shown[SHOWN - 1].position if len(shown) > SHOWN else None,
    )


def _kept_back(roles: Sequence[str]) -> Q:
    """Buy-ins of tables that who asks may count, and what is not theirs to know."""
    return blind.not_told(sorted(blind.streams(roles)), is_of_buyins=False)


def _touch(known: Places, row: Sequence[Any]) -> Touch:
    position, stream, type_, time, table, day, number, player, actor, amount = row
    currency = currencies.of_stream(known, stream)
    return Touch(position, type_, time, table or "", day or "", number, player or "", actor, amount, currency)


def _told(touches: Sequence[Touch], known: Places) -> Iterator[Touch]:
    """With what each says, out of its own bytes. One query."""
    some = EventLog.objects.filter(position__in=[one.position for one in touches])
    raws = dict(some.values_list("position", "raw"))
    for one in touches:
        found = Found(one.position, bytes(raws.get(one.position, b"")))
        yield msgspec.structs.replace(one, said=row(found, known).said)


def _sums(touches: Sequence[Touch]) -> Iterator[OfType]:
    found: dict[tuple[str, str], list[int]] = {}
    for one in touches:
        found.setdefault((one.type, one.currency), []).append(one.amount_minor or 0)
    for (type_, currency), amounts in sorted(found.items()):
        yield OfType(type_, currency, len(amounts), sum(amounts))
