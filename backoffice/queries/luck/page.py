"""The luck of a gaming day: by table, game, dealer, kind of bet and player, and the course of each table's win.

It is worked out beside the pages (`back_room`), from the streams of the day's tables alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from backoffice.queries.back_room import BackRoom, Piece, Progress
from backoffice.queries.luck.chart import Chart, Moment, by_the_clock, chart
from events import catalogue
from events.envelope import EventData
from events.errors import Unknown
from events.luck.course import Step, course
from events.luck.rounds import Played, corrected, played
from events.luck.theory import Luck, luck
from events.progressives.history import recorded
from events.rulesets import keep
from events.store import EventStore
from events.tables.types.rounds import SettlementCorrected
from projections.tables.models import TableDay

BY: dict[str, "str | Promise"] = {
    "table": _("table"),
    "game": _("game"),
    "dealer": _("dealer"),
    "bet": _("kind of bet"),
    "player": _("player"),
}
FILE_S = 20.0  # that a file waits for what is worked out: less than the door waits for the pages


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was worked out, as of a position: lines by what they are of, the rarest first, tables' courses, and that of
    the house, round by round."""

    position: int
    lines: Mapping[str, tuple[Luck, ...]]
    courses: Mapping[str, tuple[Step, ...]]
    house: tuple[Moment, ...] = ()


class LuckShown(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of a gaming day by something, and the course of one of its tables; or how far it is."""

    day: str
    by: str
    table: str
    currency: str
    piece: Piece | None
    found: Found | None

    @property
    def lines(self) -> tuple[Luck, ...]:
        """By what is asked for."""
        return self.found.lines[self.by] if self.found else ()

    @property
    def kinds(self) -> list[tuple[str, "str | Promise"]]:
        """By what there are lines, with the words for it."""
        return list(BY.items())

    @property
    def tables(self) -> list[str]:
        """Those with a course."""
        return list(self.found.courses) if self.found else []

    @property
    def chart(self) -> Chart | None:
        """The course of the table."""
        return chart(self.found.courses.get(self.table, ())) if self.found else None

    @property
    def house(self) -> Chart | None:
        """The course of all tables together, by the clock."""
        return by_the_clock(self.found.house, self.currency) if self.found else None

    @property
    def command(self) -> str:
        """Where it takes too long for a page."""
        return f"./manage.py hold --by {self.by} --from {self.day} --to {self.day}"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Of which day, by what, the course of which table. `will_do`: what was begun earlier, whatever happened since."""

    day: str
    by: str
    table: str
    property_: str
    will_do: bool = False
    wait_s: float = 0.05


def shown(store: EventStore, room: BackRoom, asked: Question) -> LuckShown:
    """Raises Unknown for a day on which no table was opened, and for what there are no lines of."""
    if asked.by not in BY:
        raise Unknown(f"luck is told by {', '.join(BY)}, and not by {asked.by!r:.20}")
    rows = list(TableDay.objects.filter(gaming_day=asked.day).order_by("table").only("id", "table", "currency"))
    if not rows:
        raise Unknown(f"no table was opened on the gaming day {asked.day!r:.20}")
    last, streams = store.position(), {row.id: row.table for row in rows}

    def work(progress: Progress) -> Found:
        return _found(store, asked.property_, streams, last, progress)

    def is_fresh(found: Found) -> bool:
        return asked.will_do or found.position == last

    piece = room.ask(("luck", asked.day), work, last, is_fresh, asked.wait_s)
    found = piece.answer if piece is not None else None
    tables = list(found.courses) if found else []
    table = asked.table if asked.table in tables or not tables else tables[0]
    return LuckShown(day=asked.day, by=asked.by, table=table, currency=rows[0].currency, piece=piece, found=found)


def _found(store: EventStore, property_: str, streams: Mapping[str, str], last: int, progress: Progress) -> Found:
    for one in recorded(store, property_).values():
        keep(one.data)
    ended = {table: list(_played(store, property_, stream, last, progress)) for stream, table in streams.items()}
    decided = {table: [one.what for one in these] for table, these in ended.items()}
    whole = [one for these in decided.values() for one in these]
    return Found(
        position=last,
        lines={by: tuple(sorted(luck(progress.each(whole), by), key=_rarest)) for by in BY},
        courses={table: tuple(course(progress.each(these))) for table, these in decided.items() if these},
        house=tuple(_house([one for these in ended.values() for one in these], progress)),
    )


class _Ended(NamedTuple):
    """A decision, with the event by which its round has ended."""

    position: int
    time: str
    what: Played


def _house(ended: Iterable[_Ended], progress: Progress) -> Iterator[Moment]:
    """All tables in the order of the store; the last decision of each round says where it has led to."""
    listed = sorted(ended, key=itemgetter(0))
    steps = zip(listed, course(progress.each([one.what for one in listed])), strict=True)
    for position, round_ in groupby(steps, key=lambda one: one[0].position):
        *_, (last, step) = round_
        yield Moment(datetime.fromisoformat(last.time).timestamp(), position, last.what.table, step)


def _played(store: EventStore, property_: str, stream: str, last: int, progress: Progress) -> Iterator[_Ended]:
    at = [(0, "")]  # what was read last: a decision is said as soon as its round's end is

    def events() -> Iterable[tuple[str, EventData]]:
        for one in progress.each(store.stream(stream)):
            if one.position <= last:
                progress.at = max(progress.at, one.position)
                event = catalogue.decode(one.type, one.raw)
                at[0] = (one.position, event.time)
                yield stream, event.data

    for what in played(property_, events(), corrected(_put_right(store, stream, last))):
        yield _Ended(*at[0], what)


def _put_right(store: EventStore, stream: str, last: int) -> Iterator[tuple[str, EventData]]:
    for one in store.stream(stream):
        if one.position <= last and one.type == SettlementCorrected.TYPE:
            yield stream, catalogue.decode(one.type, one.raw).data


def _rarest(one: Luck) -> tuple[float, str]:
    return one.tail.chance, one.name
