"""Figures hidden before a count: people who may count must not know the expected amount (WA 620, docs/adr/0066).

An uncounted box is hidden from those who may count it. With one counter's figures only, it is hidden from all.
"""

from collections.abc import Callable, Collection, Iterable
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from events.days.box_count_decider import APART
from events.days.roles import COUNTERS
from events.people import authority
from events.roles import DEPARTMENT, WATCH
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.settings.settings_from_environment import settings
from events.tables.moved_amount_declarations import CHIPS_BOUGHT, type_names
from projections.accounts.models import BoxAccount
from projections.tables.models import TableDay

AUDITOR = "auditor"

Sealed = Callable[[str, str], bool]  # of a table and its shift: whether the content of its box is hidden


def may_count(roles: Collection[str]) -> bool:
    """Return whether a person in these roles counts boxes: no one of the pit or of surveillance does."""
    return bool(set(COUNTERS) & set(roles)) and not APART & {DEPARTMENT.get(role, "") for role in roles}


def may_count_trays(roles: Collection[str]) -> bool:
    """Return whether a person in these roles counts trays. Observers and auditors do not."""
    return bool(set(authority.may("tables", "table.count")) & set(roles))


def of_table(table: str, gaming_day: str, roles: Collection[str], *, is_open: bool) -> bool:
    """Return whether a table's page hides its buy-ins, and figures that reveal them, from a person in these roles.

    They are hidden from tray counters while the tray is to be counted, and from box counters while its boxes are. One
    query at most.
    """
    if is_open and may_count_trays(roles):
        return True
    return _sealed_boxes(roles).filter(table=table, gaming_day=gaming_day).exists()


def streams(roles: Collection[str]) -> frozenset[str]:
    """Return the streams hidden from a person in these roles. One query.

    For a table's gaming day only buy-ins are hidden. A name that ends with a slash is a prefix of hidden streams.
    """
    sealed_streams = _sealed_boxes(roles).values_list("stream", flat=True)
    if may_count_trays(roles):
        sealed_streams = sealed_streams.union(TableDay.objects.filter(status="open").values_list("id", flat=True))
    return frozenset([*sealed_streams, *([] if sees_alerts(roles) else _of_alerts())])


def sorted_streams(roles: Collection[str]) -> tuple[str, ...]:
    """Return the streams hidden from a person in these roles, in order."""
    return tuple(sorted(streams(roles)))


def _of_alerts() -> list[str]:
    """Return the prefixes of streams about alerts."""
    return [f"{settings().property_}/{kind}/" for kind in ("alerts", "surveillance")]


def shows_alerts(hidden_streams: Collection[str]) -> bool:
    """Return whether alerts are visible, given the hidden streams."""
    return not set(_of_alerts()) & set(hidden_streams)


def is_hidden_stream(stream: str, hidden_streams: Collection[str]) -> bool:
    """Return whether every event of this stream is hidden."""
    return any(f"{stream}/".startswith(prefix) for prefix in hidden_streams if prefix.endswith("/"))


def sees_alerts(roles: Collection[str]) -> bool:
    """Return whether a person in these roles may see alerts, which may be about people of any other role."""
    return bool({*WATCH, AUDITOR} & set(roles))


def hidden_events(hidden_streams: Collection[str], *, is_of_buyins: bool) -> Q:
    """Return the condition for hidden events of the log.

    For a total that includes buy-ins, all events of a table's day are hidden, because the remainder reveals the
    buy-ins. Otherwise only the buy-ins are.
    """
    of_days = Q(stream__in=[stream for stream in hidden_streams if not stream.endswith("/")])
    whole = [Q(stream__startswith=prefix) | Q(stream=prefix[:-1]) for prefix in hidden_streams if prefix.endswith("/")]
    return reduce(or_, whole, of_days if is_of_buyins else of_days & Q(type__in=buyin_types()))


@cached_until_forgotten
def buyin_types() -> frozenset[str]:
    """Return the types of buy-ins."""
    return type_names(CHIPS_BOUGHT)


def has_buyins(types: Iterable[str]) -> bool:
    """Return whether buy-ins are among these types."""
    return not buyin_types().isdisjoint(types)


def hides_day(gaming_day: str, roles: Collection[str]) -> bool:
    """Return whether a day's buy-ins are hidden from a person in these roles.

    They are hidden from box counters until all boxes are counted and no table is open, and from all people while a
    count is open.
    """
    return _hides(roles, gaming_day=gaming_day)


def hides_days_until(gaming_day: str, roles: Collection[str]) -> bool:
    """Return whether buy-ins of a day or any day before it are hidden from these roles."""
    return _hides(roles, gaming_day__lte=gaming_day)


def _hides(roles: Collection[str], **days: str) -> bool:
    if may_count(roles) and TableDay.objects.filter(**days, status="open").exists():
        return True
    return _sealed_boxes(roles).filter(**days).exists()


def hides_any_box(roles: Collection[str]) -> bool:
    """Return whether the contents of any box of the house are hidden from a person in these roles. One query."""
    return _sealed_boxes(roles).exists()


def _sealed_boxes(roles: Collection[str]) -> "QuerySet[BoxAccount]":
    """Return the boxes for which `is_sealed` holds."""
    boxes = BoxAccount.objects.filter(counted_at=None)
    return boxes if may_count(roles) else boxes.exclude(entered_at=None)


def sealed(boxes: Iterable[BoxAccount], roles: Collection[str]) -> Sealed:
    """Return a predicate of table and shift: whether the contents of its boxes are hidden from these roles."""
    counts = may_count(roles)
    shut = {(box.table, box.shift) for box in boxes if is_sealed(box, counts=counts)}
    return lambda table, shift: (table, shift) in shut


def is_sealed(box: BoxAccount, *, counts: bool) -> bool:
    """Return whether a box's expected contents are hidden: during its count from all people, before that from
    counters.
    """
    return box.counted_at is None and (box.entered_at is not None or counts)
