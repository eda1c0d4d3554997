"""Page of a table's gaming day: money, wagers, the last rounds, irregularities, the course of its win."""

from collections.abc import Collection
from datetime import datetime

import msgspec
from django.utils.translation import gettext as _

from backoffice.event_log import figures_hidden_before_counts
from backoffice.tables.floor_page_content import OnDuty, TableOnFloor, explained_by_accounting, on_duty, table_on_floor
from backoffice.tables.open_and_cleared_irregularities import cleared
from backoffice.wording.copy_row_into_page_struct import struct_from
from backoffice.wording.error_code_sentences import irregularity_sentence
from backoffice.wording.svg_chart_geometry import Chart, Point, round_url, step_chart
from events import catalogue
from events.tables.event_types.counts import HeadsCounted
from events.tables.event_types.rounds import BetCorrected
from events.tables.moved_amount_declarations import EVENT_WIN, MISPAY, kind_changes, row_figure
from projections.accounts.models import LateEvent
from projections.eventlog.models import EventLog
from projections.floor import models
from projections.floor.models import PlayedRound
from projections.tables.models import TableDay, WagerDay

ROUNDS_SHOWN = 24  # at once
HEADS_SHOWN = 200
# Values that reveal the expected amount to a counter.
_SEALED = (
    "closer_minor",
    "expected_minor",
    "buyins_cash_minor",
    "buyins_marker_minor",
    "buyins_promotional_minor",
    "drop_counted_minor",
    "drop_promotional_minor",
)
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
    """A round so far. `result` is the result of wheel or cards, in short."""

    round: int
    began: datetime
    state: str  # in play, ended, voided
    result: str
    colour: str
    bets: int
    stakes_minor: int
    win_minor: int
    due_minor: int
    paid_minor: int
    returned_minor: int
    players: int
    hits: int


class Irregularity(msgspec.Struct, frozen=True):
    """An irregularity that `clearer` must clear; by `action`, where one exists. `is_cleared`: its alert is."""

    position: int
    time: datetime
    round: int | None
    kind: str
    clause: str
    detail: str
    clearer: str
    action: str
    is_cleared: bool


class HeadCount(msgspec.Struct, frozen=True):
    """The number of people who played at a time, by the event at this position."""

    position: int
    time: datetime
    heads: int


class Table(msgspec.Struct, frozen=True):
    """A table's gaming day. `kept_minor` is commission that is off the winnings due already.

    `rounds` are the last ones, or those before one that is asked for; `rounds_older` is the round to go on before.
    Buy-ins, drop, closer and what the tray should hold are null while it is hidden from who asks (`head.is_sealed`).
    """

    head: TableOnFloor
    stream: str
    opener_minor: int
    opener_chips: dict[int, int]
    closer_minor: int | None
    closer_chips: dict[int, int]
    expected_minor: int | None
    buyins_cash_minor: int | None
    buyins_marker_minor: int | None
    buyins_promotional_minor: int | None
    drop_counted_minor: int | None
    drop_promotional_minor: int | None
    lost_minor: int
    due_minor: int
    commission_minor: int
    kept_minor: int
    paid_minor: int
    progressive_stakes_minor: int
    rounds_voided: int
    bets: int
    rolled_from: str
    rolled_into: str
    carried_in_minor: int
    carried_out_minor: int
    wagers: tuple[Wager, ...]
    rounds: tuple[Round, ...]
    irregularities: tuple[Irregularity, ...]
    heads: tuple[HeadCount, ...] = ()
    uncounted: int = 0
    rounds_older: int | None = None
    win: Chart | None = None


def table(
    name: str, gaming_day: str, roles: Collection[str] = (), *, before: int | None = None, drawn: bool = True
) -> Table | None:
    """A table's gaming day as a person in these roles may see it, or None where it was never opened. Ten queries;
    without the drawing nine. `uncounted` of its events came to a closed day, and are in none of its reports."""
    row = TableDay.objects.filter(table=name, gaming_day=gaming_day).first()
    if row is None:
        return None
    is_sealed = figures_hidden_before_counts.of_table(name, gaming_day, roles, is_open=row.status == "open")
    table_day = _table(row, before, drawn=drawn, is_sealed=is_sealed)
    return msgspec.structs.replace(table_day, closer_chips={}, **dict.fromkeys(_SEALED)) if is_sealed else table_day


def _table(row: TableDay, before: int | None, *, drawn: bool, is_sealed: bool) -> Table:
    chips = msgspec.json.Decoder(dict[int, int])
    rounds = _rounds(row.id, before)
    is_explained = row.table in explained_by_accounting(row.gaming_day, row.table)
    on_post = on_duty([row]).get(row.id, OnDuty())
    return struct_from(
        row,
        Table,
        head=table_on_floor(row, on_post, is_sealed=is_sealed, is_explained=is_explained),
        stream=row.id,
        opener_chips=chips.decode(row.opener_chips),
        closer_chips=chips.decode(row.closer_chips),
        drop_counted_minor=row.drop_minor,
        kept_minor=row.kept_millionths // 1_000_000,
        wagers=_wagers(row),
        rounds=rounds[:ROUNDS_SHOWN],
        rounds_older=rounds[ROUNDS_SHOWN - 1].round if len(rounds) > ROUNDS_SHOWN else None,
        irregularities=_irregularities(row),
        heads=_heads(row.id),
        uncounted=LateEvent.objects.filter(gaming_day=row.gaming_day, stream=row.id, named=0).count(),
        win=_win_chart(row) if drawn else None,
    )


def _heads(stream: str) -> tuple[HeadCount, ...]:
    """Return the counts of heads of a day in their order, at most one for each quarter of an hour of two days."""
    rows = EventLog.objects.filter(stream=stream, type=HeadsCounted.TYPE).order_by("position")
    counted = rows.values_list("position", "time", "raw")[:HEADS_SHOWN]
    return tuple(HeadCount(position, time, _heads_of.decode(bytes(raw)).data.heads) for position, time, raw in counted)


class _HeadsEvent(msgspec.Struct):
    data: HeadsCounted


_heads_of = msgspec.json.Decoder(_HeadsEvent)


def latest_day(name: str) -> str | None:
    """The last gaming day of a table."""
    return TableDay.objects.filter(table=name).order_by("-gaming_day").values_list("gaming_day", flat=True).first()


def _wagers(row: TableDay) -> tuple[Wager, ...]:
    wager_days = WagerDay.objects.filter(gaming_day=row.gaming_day, stream=row.id).order_by("-handle_minor", "wager")
    return tuple(_wager(wager) for wager in wager_days)


def _wager(row: WagerDay) -> Wager:
    win = row_figure(row, EVENT_WIN)
    hold = round(1000 * win / row.handle_minor) if row.handle_minor else None
    return Wager(row.wager, row.bets, row.handle_minor, win, -row_figure(row, MISPAY), hold)


def kinds_of_corrected_bets(table: Table) -> frozenset[str]:
    """Return the kinds whose number of bets and win are no sums over the events of that kind.

    Bets came or went with their commission, by corrections of the recorded kind. One query of the log, where links
    lead.
    """
    rows = EventLog.objects.filter(stream=table.stream, type=BetCorrected.TYPE).values_list("raw", flat=True)
    corrected = [catalogue.decode(BetCorrected.TYPE, bytes(raw)).data for raw in rows]
    return frozenset(moved.wager for data in corrected for moved in kind_changes(data))


def _rounds(stream: str, before: int | None) -> tuple[Round, ...]:
    """The last rounds, newest first, or those before one; and one more where there are more."""
    rounds = PlayedRound.objects.filter(stream=stream).order_by("-position")
    rounds = rounds.filter(round__lt=before) if before is not None else rounds
    return tuple(_round(row) for row in rounds[: ROUNDS_SHOWN + 1])


def _round(row: PlayedRound) -> Round:
    return struct_from(
        row,
        Round,
        began=datetime.fromisoformat(row.began),
        players=len(msgspec.json.decode(row.players)),
    )


def _irregularities(row: TableDay) -> tuple[Irregularity, ...]:
    rows = list(models.Irregularity.objects.filter(stream=row.id).order_by("-position")[:IRREGULARITIES_SHOWN])
    over = cleared(rows) if rows else ()
    return tuple(
        struct_from(
            row_,
            Irregularity,
            time=datetime.fromisoformat(row_.time),
            detail=irregularity_sentence(row_, row.currency),
            is_cleared=row_.position in over,
        )
        for row_ in rows
    )


def _win_chart(row: TableDay) -> Chart | None:
    """Return the recorded win after each round, through the day. A clock that goes back does not move the line back."""
    points, win = list[Point](), 0
    rounds = PlayedRound.objects.filter(stream=row.id).order_by("round")
    for number, added, began, ended in rounds.values_list("round", "win_minor", "began", "ended"):
        if not points:
            points.append(Point(_seconds(began), 0))
        win += added
        url = round_url(row.table, row.gaming_day, number)
        points.append(Point(max(points[-1].x, _seconds(ended or began)), win, _("round %d") % number, url))
    return step_chart(points, with_zero=True)


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()
