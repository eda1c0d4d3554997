"""What waits of gaming days: boxes, counts that differ, discrepancies, slips, the close; and what came after it."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from django.db.models import Count, Exists, Min, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from backoffice.queries.accounts.checks import Way
from backoffice.queries.together import read_together
from backoffice.queries.words import word
from events import authority
from events.discrepancies import DiscrepancyFound
from projections.accounts.models import (
    BoxAccount,
    CageAccount,
    DayAccount,
    FoundAccount,
    LateEvent,
    SlipAccount,
    TableAccount,
)

SHOWN = 100  # of a kind
_said: msgspec.json.Decoder[DiscrepancyFound] = msgspec.json.Decoder(DiscrepancyFound)


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """Something of a gaming day that waits. `ways` lead to where it is done; `explains`: the discrepancy."""

    kind: str
    state: Literal["amber", "red"]
    title: str
    day: str
    position: int
    roles: frozenset[str]
    but: frozenset[str] = frozenset()
    stake_minor: int | None = None
    ways: tuple[Way, ...] = ()
    explains: str = ""


def waits() -> list[Waits]:
    """Of all days. Two queries."""
    open_days = DayAccount.objects.filter(id=OuterRef("gaming_day"), is_closed=False)
    later = DayAccount.objects.filter(id__gt=OuterRef("gaming_day"))
    to_count = BoxAccount.objects.filter(Exists(open_days), counted_at=None).exclude(removed_at=None)
    to_explain = FoundAccount.objects.filter(Exists(open_days), explained_at=None).exclude(band="recorded")
    boxes, found, slips, days = read_together(
        to_count.order_by("removed_at")[:SHOWN],
        to_explain.order_by("position")[:SHOWN],
        SlipAccount.objects.filter(Exists(later), settled_at=None, number__gt=0).order_by("issued_at")[:SHOWN],
        _to_close(),
    )
    return [*_of_boxes(boxes), *_of_found(found), *_of_slips(slips), *_of_days(days), *_of_late()]


def _to_close() -> "QuerySet[DayAccount]":
    """Every table of the day and its cage are closed, where it had one."""
    tables = TableAccount.objects.filter(gaming_day=OuterRef("id"))
    cage = CageAccount.objects.filter(id=OuterRef("id"), closed_at=None)
    over = DayAccount.objects.filter(Exists(tables), ~Exists(tables.filter(is_open=True)), ~Exists(cage))
    return over.filter(is_closed=False).order_by("id")[:SHOWN]


def _of_boxes(rows: Iterable[BoxAccount]) -> Iterator[Waits]:
    for row in rows:
        name = f"{row.table} {row.drop_box}"
        title = _("count the box %s") if row.entered_at is None else _("verify the count of the box %s")
        differs = row.differed_at is not None
        yield Waits(
            kind="differing" if differs else "boxes",
            state="red" if differs else "amber",
            title=(_("the counters of the box %s differ") if differs else title) % name,
            day=row.gaming_day,
            position=row.differed_at or row.entered_at or row.removed_at or 0,
            roles=frozenset(authority.may("days", "count.enter")),
            but=frozenset() if differs or row.entered_at is None else frozenset(msgspec.json.decode(row.counters)),
            ways=(Way(_("Open"), "boxes", {"gaming_day": row.gaming_day}),),
        )


def _of_found(rows: Iterable[FoundAccount]) -> Iterator[Waits]:
    for row in rows:
        said = _said.decode(row.said)
        yield Waits(
            kind="discrepancies",
            state="red",
            title=_("discrepancy: %s") % f"{word(row.kind, 'kind')} {row.table}".strip(),
            day=row.gaming_day,
            position=row.position,
            roles=frozenset(authority.may("days", "discrepancy.explain")),
            stake_minor=abs(said.found_minor - said.expected_minor),
            ways=(Way(_("Open"), "discrepancy", {"gaming_day": row.gaming_day, "position": row.position}),),
            explains=row.id,
        )


def _of_slips(rows: Iterable[SlipAccount]) -> Iterator[Waits]:
    """Those of a day before the last one: what is on its way today is on its way."""
    for row in rows:
        words = {"kind": word(row.kind, "kind"), "number": row.number, "table": row.table}
        yield Waits(
            kind="slips",
            state="amber",
            title=_("open slip: %(kind)s %(number)d, %(table)s") % words,
            day=row.gaming_day,
            position=row.issued_at or 0,
            roles=frozenset(authority.may("cage", "slip.void")),
            ways=(Way(_("Open"), "slip", {"kind": row.kind, "year": row.year, "number": row.number}),),
        )


def _of_days(rows: Iterable[DayAccount]) -> Iterator[Waits]:
    for row in rows:
        yield Waits(
            kind="closing",
            state="amber",
            title=_("close the gaming day %s") % row.id,
            day=row.id,
            position=row.last,
            roles=frozenset(authority.may("days", "day.close")),
            ways=(_way(row.id, "#checklist"),),
        )


def _of_late() -> Iterator[Waits]:
    """Days that were closed without something that belongs to them."""
    late = LateEvent.objects.filter(named=0).values("gaming_day").annotate(count=Count("id"), first=Min("position"))
    for row in late.order_by("gaming_day")[:SHOWN]:
        title = ngettext(
            "%(n)d event came to %(day)s after its close",
            "%(n)d events came to %(day)s after its close",
            row["count"],
        )
        yield Waits(
            kind="late",
            state="amber",
            title=title % {"n": row["count"], "day": row["gaming_day"]},
            day=row["gaming_day"],
            position=row["first"],
            roles=frozenset(authority.may("days", "day.amend")),
            ways=(_way(row["gaming_day"], "#closed"),),
        )


def _way(day: str, beyond: str) -> Way:
    return Way(_("Open"), "day", {"gaming_day": day}, beyond)
