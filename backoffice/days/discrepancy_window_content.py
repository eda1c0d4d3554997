"""One discrepancy on one screen: the window between the two counts, all that moved chips in it, and who was on duty."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import F, Max, Min, QuerySet, Sum

from backoffice.days.discrepancies_in_words import DiscrepancyShown, differences
from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.sum_declarations_of_figures import sum_of
from backoffice.event_log.times_by_position import times_of
from backoffice.wording import stream_currencies
from backoffice.wording.error_code_sentences import irregularity_sentence
from events.error_codes import coded
from events.errors import Unknown
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.counts import ChipsExchanged
from events.tables.moved_amount_declarations import TRAY, stake_types, type_names
from projections.accounts.models import FoundAccount
from projections.eventlog.models import EventLog
from projections.floor.models import Irregularity
from projections.tables.models import TableDay

ROUNDS_SHOWN, EVENTS_SHOWN = 60, 60


@cached_until_forgotten
def payment_types() -> frozenset[str]:
    """Return the types of payments to players."""
    return type_names(("paid",))


@cached_until_forgotten
def chip_movement_types() -> frozenset[str]:
    """Return the types of movements between tray and cage, and of exchanges: those may be unequal."""
    return type_names(("fills", "credits")) | {ChipsExchanged.TYPE}


@cached_until_forgotten
def candidate_types() -> frozenset[str]:
    """Return the types whose amount, recorded twice or not at all, leaves the tray over or short by that amount.

    The amount of a settlement is the stake, which the events of the bet have.
    """
    stakes = {kind.TYPE for kind in stake_types()}
    return chip_movement_types() | stakes | (type_names(TRAY) - type_names(("decided",)))


class RoundInWindow(msgspec.Struct, frozen=True, kw_only=True):
    """A round between the two counts: its stakes, its payments, and the dealer."""

    round: int
    began: datetime
    first: int
    last: int
    staked_minor: int
    paid_minor: int
    dealer: str


class Movement(msgspec.Struct, frozen=True, kw_only=True):
    """An event that moved chips. `due_minor`: the correct payment; None where no amount was due."""

    position: int
    time: datetime
    type: str
    amount_minor: int | None
    due_minor: int | None
    tender: str
    round: int | None
    actor: str

    @property
    def is_amiss(self) -> bool:
        """Return whether a payment differs from the due amount."""
        return self.due_minor is not None and self.due_minor != self.amount_minor


class PersonOnDuty(msgspec.Struct, frozen=True):
    """A person who dealt or inspected in the window, with the first and the last time."""

    person: str
    post: str
    first: datetime
    last: datetime


class WindowIrregularity(msgspec.Struct, frozen=True):
    """A recorded irregularity in the window."""

    position: int
    time: datetime
    words: str
    detail: str
    round: int | None


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Events between the two counts. `is_sealed`: buy-ins are hidden until every box of the table is counted."""

    first: int
    last: int
    began: datetime | None
    rounds: tuple[RoundInWindow, ...]
    rounds_all: int
    payments: tuple[Movement, ...]
    moves: tuple[Movement, ...]
    buyins: tuple[Movement, ...]
    candidates: tuple[Movement, ...]
    people: tuple[PersonOnDuty, ...]
    irregularities: tuple[WindowIrregularity, ...]
    is_sealed: bool


class DiscrepancyPage(msgspec.Struct, frozen=True, kw_only=True):
    """A discrepancy and its window; None where it is measured from no count of a tray (a box, a slip, the cage)."""

    day: str
    currency: str
    discrepancy: DiscrepancyShown
    window: Window | None


def discrepancy(day: str, position: int, roles: Collection[str]) -> DiscrepancyPage:
    """Return the discrepancy that the event at a position found. Raises Unknown."""
    row = FoundAccount.objects.filter(gaming_day=day, position=position).first()
    if row is None:
        raise Unknown(coded("discrepancy-not-found", day=day, position=position))
    [difference] = differences([row], times_of({row.since} if row.since else set()))
    return DiscrepancyPage(
        day=day, currency=_currency(row), discrepancy=difference, window=_window(row, difference, roles)
    )


def _currency(row: FoundAccount) -> str:
    tables = TableDay.objects.filter(gaming_day=row.gaming_day)
    return tables.order_by("id").values_list("currency", flat=True).first() or stream_currencies.of_house()


def _window(row: FoundAccount, discrepancy: DiscrepancyShown, roles: Collection[str]) -> Window | None:
    if not row.table or not row.since:
        return None
    rows = EventLog.objects.filter(
        table=row.table, gaming_day=row.gaming_day, position__gt=row.since, position__lte=row.position
    )
    is_open = TableDay.objects.filter(table=row.table, gaming_day=row.gaming_day, status="open").exists()
    sealed = figures_hidden_before_counts.of_table(row.table, row.gaming_day, roles, is_open=is_open)
    rounds = _rounds(rows)
    return Window(
        first=row.since + 1,
        last=row.position,
        began=discrepancy.since_time or rows.aggregate(at=Min("time"))["at"],
        rounds=tuple(rounds[:ROUNDS_SHOWN]),
        rounds_all=len(rounds),
        payments=tuple(_movements(rows.filter(type__in=payment_types()).exclude(amount_minor=F("due_minor")))),
        moves=tuple(_movements(rows.filter(type__in=chip_movement_types()))),
        buyins=() if sealed else tuple(_movements(rows.filter(type__in=figures_hidden_before_counts.buyin_types()))),
        candidates=tuple(_movements(_exactly(rows, discrepancy, is_sealed=sealed))),
        people=tuple(_people(rows)),
        irregularities=tuple(_window_irregularities(row)),
        is_sealed=sealed,
    )


def _rounds(rows: QuerySet[EventLog]) -> list[RoundInWindow]:
    """The last round first. Its amounts are those of its events between the counts, as their links open them."""
    summed = (
        rows.filter(round__isnull=False)
        .values("round")
        .annotate(
            began=Min("time"),
            first=Min("position"),
            last=Max("position"),
            dealt_by=Max("dealer"),
            staked=Sum(sum_of("stakes").counts),
            paid=Sum(sum_of("paid").counts),
        )
        .order_by("-round")
    )
    return [
        RoundInWindow(
            round=totals["round"] or 0,
            began=totals["began"],
            first=totals["first"],
            last=totals["last"],
            staked_minor=totals["staked"] or 0,
            paid_minor=totals["paid"] or 0,
            dealer=totals["dealt_by"] or "",
        )
        for totals in summed
    ]


def _exactly(rows: QuerySet[EventLog], discrepancy: DiscrepancyShown, *, is_sealed: bool) -> QuerySet[EventLog]:
    """Return the events with exactly the amount that is missing or too much, also as a lowered stake."""
    types = candidate_types() - figures_hidden_before_counts.buyin_types() if is_sealed else candidate_types()
    if not discrepancy.difference_minor:
        return rows.none()
    amount = discrepancy.amount_minor
    return rows.filter(type__in=types, amount_minor__in=(amount, -amount))


def _movements(rows: QuerySet[EventLog]) -> Iterable[Movement]:
    names = Movement.__struct_fields__
    for row in rows.order_by("position").values_list(*names)[:EVENTS_SHOWN]:
        yield Movement(**dict(zip(names, row, strict=True)) | {"tender": row[names.index("tender")] or ""})


def _people(rows: QuerySet[EventLog]) -> Iterable[PersonOnDuty]:
    for post in ("dealer", "inspector"):
        on_duty = rows.exclude(**{post: None}).values(post).annotate(first=Min("time"), last=Max("time"))
        for row in on_duty.order_by("first"):
            yield PersonOnDuty(row[post], post, row["first"], row["last"])


def _window_irregularities(row: FoundAccount) -> Iterable[WindowIrregularity]:
    stream: Any = Irregularity.objects.filter(
        table=row.table, gaming_day=row.gaming_day, position__gt=row.since, position__lte=row.position
    )
    for irregularity in stream.order_by("position")[:EVENTS_SHOWN]:
        yield WindowIrregularity(
            irregularity.position,
            datetime.fromisoformat(irregularity.time),
            irregularity.kind.replace("_", " "),
            irregularity_sentence(irregularity, _currency(row)),
            irregularity.round,
        )
