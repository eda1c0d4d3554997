"""Slip accountability: every number from the first to the last that was issued on the day, and those still open from
before; nothing is missing, and nothing stands twice."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from django.db.models import Q

from backoffice.queries.reports.of_day import Of, Row
from events import catalogue
from events.accounting.report.papers import Paper
from events.accounting.slips import Slip
from events.chips import worth
from events.slips import SlipIssued
from projections.accounts.models import PaperAccount, SlipAccount
from projections.eventlog.models import EventLog

_slip: msgspec.json.Decoder[Slip] = msgspec.json.Decoder(Slip)
_paper: msgspec.json.Decoder[Paper] = msgspec.json.Decoder(Paper)


def slips(of: Of) -> Iterator[Row]:
    """Fills and credits by series and number, with a line for each number that nobody has issued; then what was paid of
    progressives. Three queries and one a series."""
    mine = _of_the_cage(of)
    today = [one for one in mine if one.gaming_day == of.day]
    gaps = [gap for series in {(one.kind, one.year) for one in today} for gap in _gaps(*series, today)]
    carried = _carried({one.gaming_day for one in mine})
    yield from sorted([*(_line(one, carried) for one in mine), *gaps], key=lambda line: line[:3])
    papers = PaperAccount.objects.filter(gaming_day=of.day).order_by("id")
    yield from (_paid(_paper.decode(one.state)) for one in papers)


def _of_the_cage(of: Of) -> list[Slip]:
    was_open = Q(gaming_day__lt=of.day) & (Q(settled_at=None) | Q(settled_at__gte=of.first))
    rows = SlipAccount.objects.filter(Q(gaming_day=of.day) | was_open, number__gt=0)
    return [_slip.decode(one.state) for one in rows]


def _gaps(kind: str, year: str, today: list[Slip]) -> Iterator[Row]:
    numbers = [one.number for one in today if (one.kind, one.year) == (kind, year)]
    between = range(min(numbers), max(numbers) + 1)
    issued = SlipAccount.objects.filter(kind=kind, year=year, number__gte=between[0], number__lte=between[-1])
    missing = {*between} - {*issued.values_list("number", flat=True)}
    yield from ((kind, year, number, "", "", "missing", None, None, None, "") for number in missing)


def _carried(days: set[str]) -> dict[tuple[str, str, int], str]:
    """By whom, where somebody was named at the issue."""
    rows = EventLog.objects.filter(gaming_day__in=days, type=SlipIssued.TYPE).values_list("raw", flat=True)
    issued: list[Any] = [catalogue.decode(SlipIssued.TYPE, bytes(raw)).data for raw in rows]
    return {(one.kind, one.year, one.slip): one.runner or "" for one in issued}


def _line(one: Slip, carried: Mapping[tuple[str, str, int], str]) -> Row:
    received = None if one.received is None or one.void else worth(one.received)
    about = (one.kind, one.year, one.number, one.gaming_day, one.table, one.status)
    return (*about, worth(one.chips), received, one.transit, carried.get((one.kind, one.year, one.number), ""))


def _paid(one: Paper) -> Row:
    about = (one.kind, f"{one.progressive} {one.year}", one.number, one.gaming_day, one.table or "")
    return (*about, "void" if one.is_void else "received", one.amount, None if one.is_void else one.amount, 0, "")
