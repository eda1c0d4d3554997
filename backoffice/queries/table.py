"""One table's gaming day: money, wagers, the last rounds, irregularities, the course of its win."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from django.db.models import F, Sum

from backoffice.queries.charts import Chart, Point, step_chart
from backoffice.queries.floor import OnDuty, TableOnFloor, on_duty, table_on_floor
from backoffice.queries.sums import sum_of
from events.envelope import Envelope, EventData
from events.game import staking
from events.games.roulette.types import BallLanded
from events.tables.types.cards import CardDealt
from events.tables.types.common import IrregularityRecorded
from events.tables.types.progressive import HitDeclared
from events.tables.types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementVoided,
)
from projections.eventlog.models import EventLog
from projections.tables.models import TableDay, WagerDay

ROUNDS_SHOWN = 12
EVENTS_READ = 1_000
IRREGULARITIES_SHOWN = 50


class Wager(msgspec.Struct, frozen=True):
    """A kind of bet. `hold_permille` is win over handle in tenths of a percent; None without handle."""

    wager: str
    bets: int
    handle_minor: int
    win_minor: int
    mispaid_minor: int
    hold_permille: int | None


class Round(msgspec.Struct, frozen=True):
    """A round as far as it went. `result` is what the wheel or the cards said, in short."""

    round: int
    began: datetime
    state: str  # in play, ended, voided
    result: str
    colour: str
    bets: int
    stakes_minor: int
    win_minor: int
    paid_minor: int
    players: int
    hits: int


class Irregularity(msgspec.Struct, frozen=True):
    """Something that somebody must clear."""

    position: int
    time: datetime
    round: int | None
    kind: str
    clause: str
    detail: str


class Table(msgspec.Struct, frozen=True):
    """A table's gaming day."""

    head: TableOnFloor
    stream: str
    opener_minor: int
    opener_chips: dict[int, int]
    closer_minor: int | None
    closer_chips: dict[int, int]
    expected_minor: int | None
    buyins_cash_minor: int
    buyins_marker_minor: int
    buyins_promotional_minor: int
    drop_counted_minor: int | None
    drop_promotional_minor: int | None
    lost_minor: int
    due_minor: int
    commission_minor: int
    paid_minor: int
    progressive_stakes_minor: int
    rounds_voided: int
    bets: int
    wagers: tuple[Wager, ...]
    rounds: tuple[Round, ...]
    irregularities: tuple[Irregularity, ...]
    win: Chart | None = None


def table(name: str, gaming_day: str, *, drawn: bool = True) -> Table | None:
    """A table's gaming day, or None where it was never opened. Seven queries; without the drawing six."""
    row = TableDay.objects.filter(table=name, gaming_day=gaming_day).first()
    if row is None:
        return None
    chips = msgspec.json.Decoder(dict[int, int])
    return Table(
        head=table_on_floor(row, on_duty([row]).get(row.id, OnDuty())),
        stream=row.id,
        opener_minor=row.opener_minor,
        opener_chips=chips.decode(row.opener_chips),
        closer_minor=row.closer_minor,
        closer_chips=chips.decode(row.closer_chips),
        expected_minor=row.expected_minor,
        buyins_cash_minor=row.buyins_cash_minor,
        buyins_marker_minor=row.buyins_marker_minor,
        buyins_promotional_minor=row.buyins_promotional_minor,
        drop_counted_minor=row.drop_minor,
        drop_promotional_minor=row.drop_promotional_minor,
        lost_minor=row.lost_minor,
        due_minor=row.due_minor,
        commission_minor=row.commission_minor,
        paid_minor=row.paid_minor,
        progressive_stakes_minor=row.progressive_stakes_minor,
        rounds_voided=row.rounds_voided,
        bets=row.bets,
        wagers=_wagers(row),
        rounds=_rounds(row.id),
        irregularities=_irregularities(row),
        win=_course(row.id) if drawn else None,
    )


def latest_day(name: str) -> str | None:
    """The last gaming day of a table."""
    return TableDay.objects.filter(table=name).order_by("-gaming_day").values_list("gaming_day", flat=True).first()


def _wagers(row: TableDay) -> tuple[Wager, ...]:
    found = WagerDay.objects.filter(gaming_day=row.gaming_day, stream=row.id).order_by("-handle_minor", "wager")
    return tuple(_wager(wager) for wager in found)


def _wager(row: WagerDay) -> Wager:
    win = row.lost_minor - row.due_minor + row.commission_minor
    hold = round(1000 * win / row.handle_minor) if row.handle_minor else None
    return Wager(row.wager, row.bets, row.handle_minor, win, row.paid_minor - row.due_minor, hold)


class _Data(msgspec.Struct):
    """What the list of rounds needs of any event."""

    round: int | None = None
    amount_minor: int = 0
    profit_minor: int = 0
    commission_minor: int = 0
    number: int | None = None
    colour: str = ""
    card: str = ""
    to: str = ""
    player: str | None = None


_event = msgspec.json.Decoder(Envelope[_Data])
_MORE: tuple[type[EventData], ...] = (BetPlaced, *staking(), BetRestaked, BetCorrected)
_STAKES = {**{kind.TYPE: 1 for kind in _MORE}, BetWithdrawn.TYPE: -1}
# What an event adds to the event win: its commission, its profit.
_WINS = {
    **{kind.TYPE: (1, 0) for kind in (BetPlaced, BetRestaked, BetCorrected)},
    BetWithdrawn.TYPE: (-1, 0),
    BetSettled.TYPE: (1, -1),
    SettlementVoided.TYPE: (-1, 1),
}


def _rounds(stream: str) -> tuple[Round, ...]:
    """The last rounds, newest first, read from the end of the stream."""
    found = EventLog.objects.filter(stream=stream).order_by("-version").values_list("type", "time", "round", "raw")
    by_round: dict[int, list[tuple[str, datetime, _Data]]] = {}
    for kind, time, number, raw in found[:EVENTS_READ]:
        if number is None:
            continue
        if number not in by_round and len(by_round) > ROUNDS_SHOWN:
            break
        by_round.setdefault(number, []).append((kind, time, _event.decode(bytes(raw)).data))
    whole = [number for number, events in by_round.items() if events[-1][0] == RoundOpened.TYPE]
    return tuple(_round(number, by_round[number][::-1]) for number in whole[:ROUNDS_SHOWN])


def _round(number: int, events: list[tuple[str, datetime, _Data]]) -> Round:
    kinds = [kind for kind, _, _ in events]
    result, colour = _result(events)
    return Round(
        round=number,
        began=events[0][1],
        state="voided" if RoundVoided.TYPE in kinds else "ended" if RoundEnded.TYPE in kinds else "in play",
        result=result,
        colour=colour,
        bets=kinds.count(BetPlaced.TYPE),
        stakes_minor=sum(_STAKES[kind] * data.amount_minor for kind, _, data in events if kind in _STAKES),
        win_minor=sum(_win(kind, data) for kind, _, data in events),
        paid_minor=sum(data.amount_minor for kind, _, data in events if kind == PaymentMade.TYPE),
        players=len({data.player for kind, _, data in events if kind == BetPlaced.TYPE}),
        hits=kinds.count(HitDeclared.TYPE),
    )


def _win(kind: str, data: _Data) -> int:
    commission, profit = _WINS.get(kind, (0, 0))
    return commission * data.commission_minor + profit * data.profit_minor


_SUITS = str.maketrans({"C": "♣", "D": "♦", "H": "♥", "S": "♠"})


def _result(events: Iterable[tuple[str, datetime, _Data]]) -> tuple[str, str]:
    """The number with its colour, or the dealer's cards."""
    cards: list[str] = []
    number, colour = "", ""
    for kind, _, data in events:
        if kind == BallLanded.TYPE:
            number, colour = "00" if data.number == 37 else str(data.number), data.colour
        elif kind == CardDealt.TYPE and data.to == "dealer":
            cards.append(data.card[0].replace("T", "10") + data.card[1].translate(_SUITS))
    return (number, colour) if number else (" ".join(cards), "")


class _Irregular(msgspec.Struct):
    data: IrregularityRecorded


_irregular = msgspec.json.Decoder(_Irregular)


def _irregularities(row: TableDay) -> tuple[Irregularity, ...]:
    if not row.irregularities:
        return ()
    found = EventLog.objects.filter(stream=row.id, type=IrregularityRecorded.TYPE).order_by("-position")
    rows = found.values_list("position", "time", "raw")[:IRREGULARITIES_SHOWN]
    decoded = [(position, time, _irregular.decode(bytes(raw)).data) for position, time, raw in rows]
    return tuple(
        Irregularity(position, time, data.round, data.kind, data.clause, data.detail)
        for position, time, data in decoded
    )


def _course(stream: str) -> Chart | None:
    """Event win after each round, through the day."""
    counted = sum_of("event-win")
    rounds = EventLog.objects.filter(stream=stream, type__in=counted.types, round__isnull=False).values("round")
    points, win = [Point(0, 0)], 0
    for number, added in rounds.annotate(win=Sum(counted.counts)).order_by(F("round")).values_list("round", "win"):
        win += added
        points.append(Point(number or 0, win))
    return step_chart(points, with_zero=True)
