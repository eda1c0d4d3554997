"""Open items of gaming days: boxes, differing counts, discrepancies, slips, the close, and events after it."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec
from django.db.models import Count, Exists, Min, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from backoffice.kit.due_action_and_link_structs import PageLink
from backoffice.wording.code_to_word_translation import word
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.people import authority
from projections.accounts.day_accounts_from_rows import day_state
from projections.accounts.models import (
    BoxAccount,
    CageAccount,
    DayAccount,
    FoundAccount,
    LateEvent,
    SlipAccount,
)
from projections.combined_query import read_together
from projections.matters.models import Variance
from projections.progressives.models import Hit
from projections.tables.models import TableDay

SHOWN = 100  # of a kind
# By item of the checklist: the obstacle to the close of a day.
NOT_YET: dict[str, "str | Promise"] = {
    "sessions_closed": gettext_lazy("open tables"),
    "boxes_counted": gettext_lazy("uncounted boxes"),
    "slips_settled": gettext_lazy("open slips"),
    "discrepancies_explained": gettext_lazy("unexplained discrepancies"),
    "hits_locked": gettext_lazy("pending hits"),
    "variances_closed": gettext_lazy("open reading variances"),
    "cage_closed": pgettext_lazy("not settled", "open cage"),
}
_decoder: msgspec.json.Decoder[DiscrepancyFound] = msgspec.json.Decoder(DiscrepancyFound)


class DayWait(msgspec.Struct, frozen=True, kw_only=True):
    """An open item of a gaming day. `links` lead to its work; `explains`: the discrepancy."""

    kind: str
    state: Literal["amber", "red"]
    title: str
    day: str
    position: int
    roles: frozenset[str]
    barred_people: frozenset[str] = frozenset()
    stake_minor: int | None = None
    links: tuple[PageLink, ...] = ()
    explains: str = ""


def open_items_of_days() -> list[DayWait]:
    """Return the open items of all days. Three queries."""
    open_days = DayAccount.objects.filter(id=OuterRef("gaming_day"), is_closed=False)
    later = DayAccount.objects.filter(id__gt=OuterRef("gaming_day"))
    to_count = BoxAccount.objects.filter(Exists(open_days), counted_at=None).exclude(removed_at=None)
    to_explain = FoundAccount.objects.filter(Exists(open_days), explained_at=None)
    boxes, discrepancies, slips = read_together(
        to_count.order_by("removed_at")[:SHOWN],
        to_explain.order_by("position")[:SHOWN],
        SlipAccount.objects.filter(Exists(later), settled_at=None, number__gt=0).order_by("issued_at")[:SHOWN],
    )
    return [*_of_boxes(boxes), *_of_found(discrepancies), *_of_slips(slips), *_of_days(_open()), *_of_late()]


def _open() -> "QuerySet[DayAccount]":
    """The days that are not closed, each with the items of the checklist that its rows fail, and whether a later day
    has begun."""
    same_day, until = {"gaming_day": OuterRef("id")}, {"gaming_day__lte": OuterRef("id")}
    rows: dict[str, QuerySet[Any]] = {
        "sessions_closed": TableDay.objects.filter(**same_day, status="open"),
        "boxes_counted": BoxAccount.objects.filter(**same_day, counted_at=None),
        "slips_settled": SlipAccount.objects.filter(**until, settled_at=None, number__gt=0),
        "discrepancies_explained": FoundAccount.objects.filter(**same_day, explained_at=None).exclude(band="recorded"),
        "hits_locked": Hit.objects.filter(**until, status="pending"),
        "variances_closed": Variance.objects.filter(closed_at=None),
        "cage_closed": CageAccount.objects.filter(id=OuterRef("id"), opened_at__isnull=False, closed_at=None),
    }
    days = DayAccount.objects.filter(is_closed=False).annotate(**{name: Exists(of) for name, of in rows.items()})
    tables = Exists(TableDay.objects.filter(**same_day).exclude(status="new"))
    later = Exists(DayAccount.objects.filter(id__gt=OuterRef("id")))
    return days.annotate(has_tables=tables, is_past=later).order_by("id")[:SHOWN]


def _of_boxes(rows: Iterable[BoxAccount]) -> Iterator[DayWait]:
    for row in rows:
        name = f"{row.table} {row.drop_box}"
        title = _("Count box %s") if row.entered_at is None else _("Enter verification count of box %s")
        differs = row.differed_at is not None
        yield DayWait(
            kind="differing" if differs else "boxes",
            state="red" if differs else "amber",
            title=(_("Counters disagree on box %s") if differs else title) % name,
            day=row.gaming_day,
            position=row.differed_at or row.entered_at or row.removed_at or 0,
            roles=frozenset(authority.may("days", "count.enter")),
            barred_people=frozenset()
            if differs or row.entered_at is None
            else frozenset(msgspec.json.decode(row.counters)),
            links=(PageLink(_("Open boxes"), "boxes", {"gaming_day": row.gaming_day}),),
        )


def _of_found(rows: Iterable[FoundAccount]) -> Iterator[DayWait]:
    for row in rows:
        discrepancy = _decoder.decode(row.content)
        yield DayWait(
            kind="discrepancies",
            state="amber" if row.band == "recorded" else "red",
            title=_("Discrepancy: %s") % f"{word(row.kind, 'kind')} {row.table}".strip(),
            day=row.gaming_day,
            position=row.position,
            roles=frozenset(authority.may("days", "discrepancy.explain")),
            stake_minor=abs(discrepancy.found_minor - discrepancy.expected_minor),
            links=(
                PageLink(
                    _("Open discrepancy"), "discrepancy", {"gaming_day": row.gaming_day, "position": row.position}
                ),
            ),
            explains=row.id,
        )


def _of_slips(rows: Iterable[SlipAccount]) -> Iterator[DayWait]:
    """Yield the open slips of earlier days; those of the last day may be in transit."""
    for row in rows:
        words = {"kind": word(row.kind, "kind"), "number": row.number, "table": row.table}
        yield DayWait(
            kind="slips",
            state="amber",
            title=_("Open slip: %(kind)s %(number)d, %(table)s") % words,
            day=row.gaming_day,
            position=row.issued_at or 0,
            roles=frozenset(authority.may("cage", "slip.void")),
            links=(PageLink(_("Open slip"), "slip", {"kind": row.kind, "year": row.year, "number": row.number}),),
        )


def _of_days(rows: Iterable[Any]) -> Iterator[DayWait]:
    """Days to be closed, and those that something blocks."""
    for row in rows:
        overridden = day_state(row).overridden
        blocking = [item for item in NOT_YET if getattr(row, item) and item not in overridden]
        if not blocking and not row.has_tables:
            continue
        title, state = _("Close gaming day %s") % row.id, "amber"
        if blocking:
            words = {"day": row.id, "items": ", ".join(str(NOT_YET[item]) for item in blocking)}
            is_over = not (row.sessions_closed or row.cage_closed) and row.has_tables
            over, runs = (
                _("Close gaming day %(day)s – blocked by: %(items)s"),
                _("Gaming day %(day)s – blocked by: %(items)s"),
            )
            title = (over if is_over else runs) % words
            state = "red" if row.is_past else "amber"
        yield DayWait(
            kind="blocked" if blocking else "closing",
            state="red" if state == "red" else "amber",
            title=title,
            day=row.id,
            position=row.last,
            roles=frozenset(authority.may("days", "day.close")),
            links=(_page_link(row.id, "#checklist"),),
        )


def _of_late() -> Iterator[DayWait]:
    """Days that were closed without something that belongs to them."""
    late = LateEvent.objects.filter(named=0).values("gaming_day").annotate(count=Count("id"), first=Min("position"))
    for row in late.order_by("gaming_day")[:SHOWN]:
        title = ngettext(
            "%(n)d event of %(day)s was recorded after its close",
            "%(n)d events of %(day)s were recorded after its close",
            row["count"],
        )
        yield DayWait(
            kind="late",
            state="amber",
            title=title % {"n": row["count"], "day": row["gaming_day"]},
            day=row["gaming_day"],
            position=row["first"],
            roles=frozenset(authority.may("days", "day.amend")),
            links=(_page_link(row["gaming_day"], "#closed"),),
        )


def _page_link(day: str, beyond: str) -> PageLink:
    return PageLink(_("Open gaming day"), "day", {"gaming_day": day}, beyond)
