"""Calculation of a hit's amount, for its page and PDF: amounts with a running sum, and people's actions."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from backoffice.installation.dependency_injection import installation
from events import catalogue
from events.progressives.award_report import Award, Deed, award
from events.progressives.decider_base_functions import table_and_day
from events.progressives.hit_amount_explanation import Adjustment, RoundContribution, ShareLine
from events.rules.cards import card_text
from events.settings.settings_from_environment import settings
from events.store import EventReader
from events.tables.armed_round_rebuilt_from_events import CARDS as INITIAL
from events.tables.event_types.shoe_and_dealt_cards import CardDealt
from events.tables.table_session_state_structs import stream_of
from projections.eventlog.models import EventLog

MICRO = 1_000_000


class MeterLine(msgspec.Struct, frozen=True):
    """Movement of the meter at a position, and its value then: exact, in millionths of a minor unit ("micro")."""

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
    """Contribution of one table's gaming day since the opening of the cycle."""

    table: str
    gaming_day: str
    rounds: int
    stakes_minor: int
    amount_micro: int


class TableDayLines(msgspec.Struct, frozen=True):
    """The lines of one table's gaming day; "": the corrections."""

    table: str
    gaming_day: str
    lines: tuple[MeterLine, ...]

    @property
    def stakes_minor(self) -> int:
        """The stakes of these rounds."""
        return sum(line.stakes_minor for line in self.lines)

    @property
    def amount_micro(self) -> int:
        """Return the amount contributed."""
        return sum(line.amount_micro for line in self.lines)


class HitShare(msgspec.Struct, frozen=True):
    """One winner of the lock."""

    hit: str
    table: str
    gaming_day: str
    round: int
    player: str
    share_minor: int
    status: str


class HitCards(msgspec.Struct, frozen=True):
    """The cards that made the hit: the box's first two and the dealer's, with the event of the first of them."""

    box: tuple[str, ...] = ()
    dealer: str = ""
    position: int = 0


class HitSum(msgspec.Struct, frozen=True):
    """An award, set out to be added up. `opened` and `ended` are when the cycle began and when the hit was."""

    award: Award
    position: int
    cards: HitCards
    opened: datetime | None
    ended: datetime | None
    lines: tuple[MeterLine, ...]
    tables: tuple[FromTable, ...]
    shares: tuple[HitShare, ...]
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
        """Return whether the parts add up: opening and lines to the meter, and the shares to the amount paid."""
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
        """Return the whole calculation as JSON: the same bytes for the same award."""
        return msgspec.json.encode(self.award)

    @property
    def digest(self) -> str:
        """The SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """Return people's actions about the hit, in order."""
        return self.award.deeds


def hit_sum(hit: str) -> HitSum:
    """Return the calculation by the events in the store.

    Raises Unknown for an unknown hit, Refused for a pending or void one.
    """
    store = installation().store
    position = store.position()
    hit_award = award(store, settings().property_, hit)
    position = max(
        position, *(deed.position for deed in hit_award.deeds)
    )  # as of there it is the same whenever it is made
    why, unit = hit_award.explanation, MICRO // hit_award.explanation.scale
    lines = _meter_lines(hit_award, unit)
    return HitSum(
        award=hit_award,
        position=position,
        cards=_cards(hit_award),
        opened=_time(store, why.opening_at),
        ended=_time(store, why.lock.at),
        lines=lines,
        tables=_by_table(lines),
        shares=_shares(why.shares),
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


def _shares(shares: Iterable[ShareLine]) -> tuple[HitShare, ...]:
    """Return the shares of the group as the page shows them."""
    return tuple(
        HitShare(
            share.hit,
            *table_and_day(share.table),
            int(share.round),
            share.player,
            share.share_minor,
            share.status,
        )
        for share in shares
    )


def _cards(hit_award: Award) -> HitCards:
    """Return the cards from the round's own events in the read models; none where they are behind. One query."""
    stream = stream_of(hit_award.property_, hit_award.table, hit_award.gaming_day)
    dealt = EventLog.objects.filter(stream=stream, round=hit_award.round, type=CardDealt.TYPE).order_by("position")
    rows = dealt.values_list("position", "raw")
    laid = [(position, catalogue.decode(CardDealt.TYPE, bytes(raw)).data) for position, raw in rows]
    own = [card_text(card.card) for _at, card in laid if card.to == "box" and card.box == hit_award.box]
    up = [card_text(card.card) for _at, card in laid if card.to == "dealer"]
    return HitCards(tuple(own[:INITIAL]), up[0] if up else "", laid[0][0] if laid else 0)


def _meter_lines(hit_award: Award, unit: int) -> tuple[MeterLine, ...]:
    why = hit_award.explanation
    running, lines = why.opening * unit, []
    moves: list[RoundContribution | Adjustment] = [*why.contributions, *why.adjustments]
    for move in sorted(moves, key=lambda line: line.at):
        running += move.amount * unit
        lines.append(_meter_line(move, unit, running))
    return tuple(lines)


def _meter_line(move: RoundContribution | Adjustment, unit: int, running: int) -> MeterLine:
    if isinstance(move, Adjustment):
        return MeterLine(move.at, "corrected", "", "", 0, 0, 0, move.reason, move.amount * unit, running)
    table, day = table_and_day(move.table)
    return MeterLine(
        at=move.at,
        kind="fed",
        table=table,
        gaming_day=day,
        round=int(move.round),
        stakes_minor=move.stakes_minor,
        rate_millionths=move.feed * unit,
        reason="",
        amount_micro=move.amount * unit,
        running_micro=running,
    )


def _by_table(lines: tuple[MeterLine, ...]) -> tuple[FromTable, ...]:
    fed = [table for table in folds(lines) if table.table]
    return tuple(
        FromTable(table.table, table.gaming_day, len(table.lines), table.stakes_minor, table.amount_micro)
        for table in fed
    )


def folds(lines: Sequence[MeterLine]) -> list[TableDayLines]:
    """Lines by the table that fed, each in their order."""
    by_table: dict[tuple[str, str], list[MeterLine]] = defaultdict(list)
    for line in lines:
        by_table[line.gaming_day, line.table].append(line)
    return [TableDayLines(table, day, tuple(table_lines)) for (day, table), table_lines in sorted(by_table.items())]


def _time(history: EventReader, position: int) -> datetime | None:
    """Return the time that the event at a position gives."""
    stored = history.after(position - 1, 1, until=position)
    return msgspec.json.decode(stored[0].raw, type=_EventTime).time if stored else None


class _EventTime(msgspec.Struct):
    time: datetime
