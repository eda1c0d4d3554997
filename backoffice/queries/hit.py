"""How a hit's amount arose, for the page and its PDF: a column of amounts with a running sum, and who did what."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from backoffice.installation import installation
from events import catalogue
from events.cards import shown
from events.progressives.ahead import table_and_day
from events.progressives.award import Award, Deed, award
from events.progressives.explain import Adjustment, Contribution
from events.settings import settings
from events.store import Past
from events.tables.armed import CARDS as INITIAL
from events.tables.state import stream_of
from events.tables.types.cards import CardDealt
from projections.eventlog.models import EventLog

MICRO = 1_000_000


class Line(msgspec.Struct, frozen=True):
    """What moved the meter at a position, and what it held then: exact, in millionths of a minor unit ("micro")."""

    at: int
    kind: Literal["fed", "corrected"]
    table: str
    gaming_day: str
    round: int
    stakes_minor: int
    rate_millionths: int
    reason: str
    amount_micro: int
    running_micro: int


class FromTable(msgspec.Struct, frozen=True):
    """What one table's gaming day fed since the opening of the cycle."""

    table: str
    gaming_day: str
    rounds: int
    stakes_minor: int
    amount_micro: int


class Fold(msgspec.Struct, frozen=True):
    """The lines of one table's gaming day; "": the corrections."""

    table: str
    gaming_day: str
    lines: tuple[Line, ...]

    @property
    def stakes_minor(self) -> int:
        """The stakes of these rounds."""
        return sum(line.stakes_minor for line in self.lines)

    @property
    def amount_micro(self) -> int:
        """What they fed."""
        return sum(line.amount_micro for line in self.lines)


class Share(msgspec.Struct, frozen=True):
    """One winner of the lock."""

    hit: str
    table: str
    gaming_day: str
    round: int
    player: str
    share_minor: int
    status: str


class Cards(msgspec.Struct, frozen=True):
    """The cards that made the hit: the box's first two and the dealer's, with the event of the first of them."""

    box: tuple[str, ...] = ()
    dealer: str = ""
    position: int = 0


class HitSum(msgspec.Struct, frozen=True):
    """An award, set out to be added up. `opened` and `ended` are when the cycle began and when the hit was."""

    award: Award
    position: int
    cards: Cards
    opened: datetime | None
    ended: datetime | None
    lines: tuple[Line, ...]
    tables: tuple[FromTable, ...]
    shares: tuple[Share, ...]
    opening_micro: int
    fed_micro: int
    corrected_micro: int
    meter_micro: int
    cap_micro: int | None
    amount_minor: int
    house_minor: int
    remainder_micro: int
    seed_micro: int
    from_reserve_micro: int
    after_micro: int
    share_minor: int

    @property
    def adds_up(self) -> bool:
        """Whether opening and lines make the meter, the meter is given or stays, and the shares are what was given."""
        return (
            self.opening_micro + sum(line.amount_micro for line in self.lines) == self.meter_micro
            and self.amount_minor * MICRO + self.remainder_micro == self.meter_micro
            and self.remainder_micro + self.seed_micro == self.after_micro
            and sum(share.share_minor for share in self.shares) == self.amount_minor + self.house_minor
        )

    @property
    def meter(self) -> str:
        """The meter's name in the log's filter."""
        return f"{self.award.progressive}/{self.award.explanation.level}"

    @property
    def first(self) -> int:
        """The first position of the cycle, behind the opening or the previous lock's hit."""
        return self.award.explanation.opening_at + 1

    @property
    def last(self) -> int:
        """The last position before the hit."""
        return self.award.explanation.lock.at - 1

    @property
    def stakes_minor(self) -> int:
        """The stakes of all rounds that fed the meter in this cycle."""
        return sum(line.stakes_minor for line in self.lines)

    @property
    def content(self) -> bytes:
        """Everything that was found, as JSON: the same bytes for the same award."""
        return msgspec.json.encode(self.award)

    @property
    def digest(self) -> str:
        """The SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """Who did what about it, in order."""
        return self.award.deeds


def hit_sum(hit: str) -> HitSum:
    """By the events in the store. Raises Unknown for no such hit, Refused for one that is pending or void."""
    store = installation().store
    position = store.position()
    found = award(store, settings().property_, hit)
    position = max(position, *(deed.position for deed in found.deeds))  # as of there it is the same whenever it is made
    why, unit = found.explanation, MICRO // found.explanation.scale
    lines = _lines(found, unit)
    return HitSum(
        award=found,
        position=position,
        cards=_cards(found),
        opened=_time(store, why.opening_at),
        ended=_time(store, why.lock.at),
        lines=lines,
        tables=_by_table(lines),
        shares=tuple(
            Share(one.hit, *table_and_day(one.table), _number(one.round), one.player, one.share_minor, one.status)
            for one in why.shares
        ),
        opening_micro=why.opening * unit,
        fed_micro=sum(line.amount_micro for line in lines if line.kind == "fed"),
        corrected_micro=sum(line.amount_micro for line in lines if line.kind == "corrected"),
        meter_micro=why.lock.meter * unit,
        cap_micro=None if why.lock.cap is None else why.lock.cap * unit,
        amount_minor=why.lock.amount,
        house_minor=why.lock.house,
        remainder_micro=why.remainder * unit,
        seed_micro=why.lock.seed * unit,
        from_reserve_micro=why.lock.from_reserve * unit,
        after_micro=why.after * unit,
        share_minor=why.lock.share,
    )


def _cards(found: Award) -> Cards:
    """Out of the round's own events, in the read models: none where they have not got that far. One query."""
    stream = stream_of(found.property_, found.table, found.gaming_day)
    dealt = EventLog.objects.filter(stream=stream, round=found.round, type=CardDealt.TYPE).order_by("position")
    rows = dealt.values_list("position", "raw")
    laid = [(position, catalogue.decode(CardDealt.TYPE, bytes(raw)).data) for position, raw in rows]
    own = [shown(card.card) for _at, card in laid if card.to == "box" and card.box == found.box]
    up = [shown(card.card) for _at, card in laid if card.to == "dealer"]
    return Cards(tuple(own[:INITIAL]), up[0] if up else "", laid[0][0] if laid else 0)


def _lines(found: Award, unit: int) -> tuple[Line, ...]:
    why = found.explanation
    running, lines = why.opening * unit, []
    moves: list[Contribution | Adjustment] = [*why.contributions, *why.adjustments]
    for one in sorted(moves, key=lambda line: line.at):
        running += one.amount * unit
        lines.append(_line(one, unit, running))
    return tuple(lines)


def _line(one: Contribution | Adjustment, unit: int, running: int) -> Line:
    if isinstance(one, Adjustment):
        return Line(one.at, "corrected", "", "", 0, 0, 0, one.reason, one.amount * unit, running)
    table, day = table_and_day(one.table)
    return Line(
        at=one.at,
        kind="fed",
        table=table,
        gaming_day=day,
        round=_number(one.round),
        stakes_minor=one.stakes_minor,
        rate_millionths=one.feed * unit,
        reason="",
        amount_micro=one.amount * unit,
        running_micro=running,
    )


def _by_table(lines: tuple[Line, ...]) -> tuple[FromTable, ...]:
    fed = [one for one in folds(lines) if one.table]
    return tuple(
        FromTable(one.table, one.gaming_day, len(one.lines), one.stakes_minor, one.amount_micro) for one in fed
    )


def folds(lines: Sequence[Line]) -> list[Fold]:
    """Lines by the table that fed, each in their order."""
    by_table: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:
        by_table[line.gaming_day, line.table].append(line)
    return [Fold(table, day, tuple(mine)) for (day, table), mine in sorted(by_table.items())]


def _number(round_: int | str) -> int:
    return int(round_)


def _time(past: Past, position: int) -> datetime | None:
    """When the event at a position happened, as it says."""
    stored = past.after(position - 1, 1, until=position)
    return msgspec.json.decode(stored[0].raw, type=_Moment).time if stored else None


class _Moment(msgspec.Struct):
    time: datetime
