"""What is not shown before a count is in: whoever may count must not know what should be found (WA 620, docs/adr/0066).

A box that nobody has counted yet is sealed to those who may count it; while one counter's figures are in and the
other's are not, it is so to everybody.
"""

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from backoffice.queries.accounts.wins import Sealed
from events import authority
from events.days.decider import APART
from events.days.roles import COUNTERS
from events.roles import DEPARTMENT, WATCH
from events.settings import settings
from events.tables.types.money import BuyinMade
from projections.accounts.models import BoxAccount, TableAccount

AUDITOR = "auditor"


def may_count(roles: Collection[str]) -> bool:
    """Whether somebody in these roles counts boxes: nobody of the pit or of surveillance does."""
    return bool(set(COUNTERS) & set(roles)) and not APART & {DEPARTMENT.get(role, "") for role in roles}


def may_count_trays(roles: Collection[str]) -> bool:
    """Whether somebody in these roles counts trays. Who only watches, or audits, does not."""
    return bool(set(authority.may("tables", "table.count")) & set(roles))


def of_table(table: str, gaming_day: str, roles: Collection[str], *, is_open: bool) -> bool:
    """Whether the page of a table keeps its buy-ins, and all that tells them, from somebody in these roles: while its
    tray is to be counted from who counts trays, while its boxes are from who counts boxes. One query at most."""
    if is_open and may_count_trays(roles):
        return True
    return _sealed_boxes(roles).filter(table=table, gaming_day=gaming_day).exists()


def streams(roles: Collection[str]) -> frozenset[str]:
    """What is kept from somebody in these roles: the tables' gaming days, by stream, whose buy-ins are, and the
    beginning of the streams of which everything is, with a slash at its end. One query."""
    found = _sealed_boxes(roles).values_list("stream", flat=True)
    if may_count_trays(roles):
        found = found.union(TableAccount.objects.filter(is_open=True).values_list("id", flat=True))
    return frozenset([*found, *([] if sees_alerts(roles) else _of_alerts())])


def _of_alerts() -> list[str]:
    """Where alerts stand, and what the system says for them."""
    return [f"{settings().property_}/{kind}/" for kind in ("alerts", "surveillance")]


def tells_alerts(kept_back: Collection[str]) -> bool:
    """Whether it is not alerts that are kept back."""
    return not set(_of_alerts()) & set(kept_back)


def is_kept_back(stream: str, kept_back: Collection[str]) -> bool:
    """Whether everything in this stream is."""
    return any(f"{stream}/".startswith(one) for one in kept_back if one.endswith("/"))


def sees_alerts(roles: Collection[str]) -> bool:
    """Whether somebody in these roles may know what surveillance looks into: it may be about whoever works there."""
    return bool({*WATCH, AUDITOR} & set(roles))


def not_told(kept_back: Collection[str], *, is_of_buyins: bool) -> Q:
    """The events of the log that are kept back: of a sum that buy-ins are part of all of a table's day, for what is
    left is one as well; otherwise the buy-ins alone."""
    theirs = Q(stream__in=[one for one in kept_back if not one.endswith("/")])
    whole = [Q(stream__startswith=one) | Q(stream=one[:-1]) for one in kept_back if one.endswith("/")]
    return reduce(or_, whole, theirs if is_of_buyins else theirs & Q(type=BuyinMade.TYPE))


def of_day(gaming_day: str, roles: Collection[str]) -> bool:
    """Whether what was bought in on a day is kept from somebody in these roles: from who counts boxes until all are
    counted and no table runs, from everybody while a count is open."""
    if may_count(roles) and TableAccount.objects.filter(gaming_day=gaming_day, is_open=True).exists():
        return True
    return _sealed_boxes(roles).filter(gaming_day=gaming_day).exists()


def until(gaming_day: str, roles: Collection[str]) -> bool:
    """The same of a day and all before it."""
    if may_count(roles) and TableAccount.objects.filter(gaming_day__lte=gaming_day, is_open=True).exists():
        return True
    return _sealed_boxes(roles).filter(gaming_day__lte=gaming_day).exists()


def anywhere(roles: Collection[str]) -> bool:
    """Whether what is in any box of the house is kept from somebody in these roles. One query."""
    return _sealed_boxes(roles).exists()


def _sealed_boxes(roles: Collection[str]) -> "QuerySet[BoxAccount]":
    """Those of which `is_sealed` is said."""
    boxes = BoxAccount.objects.filter(counted_at=None)
    return boxes if may_count(roles) else boxes.exclude(entered_at=None)


def sealed(boxes: Iterable[BoxAccount], roles: Collection[str]) -> Sealed:
    """Of a table and its shift: whether what its boxes hold is not shown to somebody in these roles."""
    counts = may_count(roles)
    shut = {(box.table, box.shift) for box in boxes if is_sealed(box, counts=counts)}
    return lambda table, shift: (table, shift) in shut


def is_sealed(box: BoxAccount, *, counts: bool) -> bool:
    """Whether what should be in a box is not shown: to everybody while its count is open, before that to counters."""
    return box.counted_at is None and (box.entered_at is not None or counts)
