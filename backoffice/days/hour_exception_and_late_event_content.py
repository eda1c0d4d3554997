"""Hours of a gaming day, its exceptions, and events after its close."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

import msgspec
from django.db.models import Count, Min, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.wording.code_to_word_translation import word
from backoffice.wording.copy_row_into_page_struct import struct_from
from backoffice.wording.error_code_sentences import irregularity_sentence
from events.accounting.event_types.day_close import DayOverridden
from events.tables.moved_amount_declarations import EVENT_WIN, total
from projections.accounts.models import DayReport, LateEvent, TableHour
from projections.accounts.table_days import HourAmounts
from projections.eventlog.models import EventLog
from projections.floor.models import Irregularity

_hour: msgspec.json.Decoder[HourAmounts] = msgspec.json.Decoder(HourAmounts)
SHOWN = 200
ROUTINE = frozenset({"roll.called_off.v1", "spin.called_off.v1"})
# Events that void or correct an earlier one.
TAKEN_BACK: dict[str, "str | Promise"] = {
    "round.voided.v1": gettext_lazy("round voided"),
    "settlement.voided.v1": gettext_lazy("settlement voided"),
    "settlement.corrected.v1": gettext_lazy("settlement corrected"),
    "bet.corrected.v1": gettext_lazy("bet corrected"),
    "session.voided.v1": gettext_lazy("gaming day of a table voided"),
    "slip.voided.v1": gettext_lazy("slip voided"),
    "hit.voided.v1": gettext_lazy("hit voided"),
    "house.voided.v1": gettext_lazy("house payment voided"),
    "roll.called_off.v1": gettext_lazy("rolls called off"),
    "spin.called_off.v1": gettext_lazy("spins called off"),
}


class HourShown(msgspec.Struct, frozen=True, kw_only=True):
    """An hour of all tables. `sum_minor` is the recorded win up to its end, `mispay_minor` that of the rounds that
    ended in it. The first and last event of it. Buy-ins are null while they are sealed."""

    began: datetime
    bought_minor: int | None
    fills_minor: int
    credits_minor: int
    event_win_minor: int
    mispay_minor: int
    sum_minor: int
    first: int
    last: int


class DayException(msgspec.Struct, frozen=True):
    """An exceptional event: an irregularity, an override, a void or a correction."""

    position: int
    time: datetime | None
    words: "str | Promise"
    detail: str
    table: str = ""
    clause: str = ""
    type: str = ""
    number: int = 0  # of events of one type that are shown as one line
    is_person: bool = False  # `detail` is the person


class LateEventShown(msgspec.Struct, frozen=True):
    """An event that came after the close; `named`: the restatement that it counts for, 0 for none yet."""

    id: str
    position: int
    time: datetime
    type: str
    actor: str
    named: int


class NamedEventEffect(msgspec.Struct, frozen=True):
    """Effect of a named event: each figure before and after."""

    event: str
    type: str
    position: int
    changed: tuple["FigureChange", ...]


class FigureChange(msgspec.Struct, frozen=True):
    """A figure by its place, before and after; amounts where `is_money`."""

    place: str
    before: Any
    after: Any

    @property
    def is_money(self) -> bool:
        """Return whether it is an amount in minor units."""
        return self.place.endswith("_minor")


class ReportShown(msgspec.Struct, frozen=True, kw_only=True):
    """A report that the day was closed with, or restated to."""

    number: int
    position: int
    time: datetime
    actor: str
    reason: str
    digest: str
    steps: tuple[NamedEventEffect, ...]


_steps: msgspec.json.Decoder[tuple[NamedEventEffect, ...]] = msgspec.json.Decoder(tuple[NamedEventEffect, ...])


def hours(rows: Iterable[TableHour]) -> tuple[HourShown, ...]:
    """Return every hour with a movement, all tables together."""
    rows_by_hour: dict[str, list[TableHour]] = {}
    for row in rows:
        rows_by_hour.setdefault(row.hour, []).append(row)
    shown_hours, sum_ = [], 0
    for hour in sorted(rows_by_hour):
        hour_row = _of_hour(hour, rows_by_hour[hour], sum_)
        sum_ = hour_row.sum_minor
        shown_hours.append(hour_row)
    return tuple(shown_hours)


def _of_hour(hour: str, rows: Sequence[TableHour], before: int) -> HourShown:
    hour_moves = [_hour.decode(row.state) for row in rows]
    win = total(EVENT_WIN, lambda name: sum(getattr(hour_moved, name) for hour_moved in hour_moves))
    return HourShown(
        began=datetime.fromisoformat(hour if ":" in hour else f"{hour}:00").replace(tzinfo=UTC),
        bought_minor=sum(hour_moved.bought for hour_moved in hour_moves),
        fills_minor=sum(hour_moved.fills for hour_moved in hour_moves),
        credits_minor=sum(hour_moved.credits for hour_moved in hour_moves),
        event_win_minor=win,
        mispay_minor=sum(hour_moved.mispay for hour_moved in hour_moves),
        sum_minor=before + win,
        first=min(row.first for row in rows),
        last=max(row.last for row in rows),
    )


def exceptions(
    irregularities: Iterable[Irregularity], overridden: Iterable[DayOverridden], gaming_day: str, currency: str
) -> tuple[DayException, ...]:
    """Return the exceptions in the order of the store, routine cancellations last. Two queries."""
    irregular = [
        DayException(
            row.position,
            datetime.fromisoformat(row.time),
            word(row.kind, "kind"),
            irregularity_sentence(row, currency),
            row.table,
            row.clause,
        )
        for row in irregularities
    ]
    overrides = [
        DayException(0, None, _("checklist item overridden: %s") % word(override.item, "item"), override.reason)
        for override in overridden
    ]
    listed = [*irregular, *_taken_back(gaming_day)]
    listed.sort(key=lambda exceptional: (exceptional.number > 0, exceptional.position))
    return (*overrides, *listed)


def _taken_back(gaming_day: str) -> list[DayException]:
    of_day = EventLog.objects.filter(gaming_day=gaming_day)
    rows = of_day.filter(type__in=TAKEN_BACK.keys() - ROUTINE).order_by("position")
    listed = rows.values_list("position", "time", "type", "table", "actor")[:SHOWN]
    single = [
        DayException(position, time, TAKEN_BACK[type_], actor, table or "", type=type_, is_person=True)
        for position, time, type_, table, actor in listed
    ]
    return [*single, *_routine(of_day.filter(type__in=ROUTINE))]


def _routine(rows: QuerySet[EventLog]) -> list[DayException]:
    """Return the routine cancellations of tables, one line for each type."""
    by_type: dict[str, list[Any]] = {}
    for row in rows.values("type", "table").annotate(n=Count("position"), at=Min("position"), since=Min("time")):
        by_type.setdefault(row["type"], []).append(row)
    return [_one_line(type_, sorted(tables, key=itemgetter("table"))) for type_, tables in by_type.items()]


def _one_line(type_: str, tables: list[Any]) -> DayException:
    first = min(tables, key=itemgetter("at"))
    return DayException(
        position=first["at"],
        time=first["since"],
        words=TAKEN_BACK[type_],
        detail=", ".join(f"{table['table']} {table['n']}" for table in tables),
        type=type_,
        number=sum(table["n"] for table in tables),
    )


def late_events_shown(rows: Iterable[LateEvent]) -> tuple[LateEventShown, ...]:
    """Return the events after the close."""
    return tuple(
        LateEventShown(row.event, row.position, datetime.fromisoformat(row.time), row.type, row.actor, row.named)
        for row in rows
    )


def shown_reports(rows: Iterable[DayReport]) -> tuple[ReportShown, ...]:
    """Return the closing report and every restatement."""
    return tuple(
        struct_from(
            row,
            ReportShown,
            time=datetime.fromisoformat(row.time),
            steps=_steps.decode(row.changed),
        )
        for row in rows
    )
