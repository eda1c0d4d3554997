"""Alerts as they are read: by gaming day, name and status, newest first, a page at a time."""

from collections.abc import Iterator
from typing import Any

import msgspec
from django.db.models import QuerySet

from events.alerts.rules import RULES
from events.errors import Invalid
from projections.alerts import models

PAGE, PAGE_MAX = 100, 1_000
STATUSES = ("open", "assigned", "cleared")
ORDERS = ("newest", "oldest")


class Alert(msgspec.Struct, frozen=True):
    """An alert: `events` are the ids of its proofs, the raising one last; `data` what is said of it, amounts in minor
    units. `rule_version` is the version of its rule that was in force, `person` whom it is about ("": nobody named)."""

    id: str
    name: str
    severity: str
    raised_at_position: int
    raised: str
    gaming_day: str
    events: tuple[str, ...]
    table: str | None
    round: int | None
    person: str
    data: dict[str, Any]
    status: str
    assigned: str
    disposition: str
    rule_version: int


class AlertsPage(msgspec.Struct, frozen=True):
    """A page of them. `after=next` goes on, null where there is no more."""

    alerts: tuple[Alert, ...]
    next: str | None


def alerts(
    *,
    day: str = "",
    name: str = "",
    status: str = "",
    order: str = ORDERS[0],
    after: int | None = None,
    size: int = PAGE,
) -> AlertsPage:
    """A page of the alerts that fit. Raises Invalid for a name, a status or an order that there is not.

    Alerts of one position stay together: a page may be longer than `size` by as many.
    """
    if order not in ORDERS:
        raise Invalid("order", f"one of {', '.join(ORDERS)}")
    newest = order == ORDERS[0]
    rows = _matching(day, name, status)
    if after is not None:
        rows = rows.filter(raised_at_position__lt=after) if newest else rows.filter(raised_at_position__gt=after)
    rows = rows.order_by("-raised_at_position" if newest else "raised_at_position", "id")
    found = [*rows[: size + 1]]
    if len(found) <= size:
        return AlertsPage(tuple(map(_alert, found)), None)
    last = found[size - 1].raised_at_position
    together = rows.filter(raised_at_position=last)
    shown = [*(one for one in found if one.raised_at_position != last), *together]
    return AlertsPage(tuple(map(_alert, shown)), str(last))


def every_alert(day: str = "", name: str = "", status: str = "") -> Iterator[Alert]:
    """All that fit, oldest first. Raises as `alerts`."""
    rows = _matching(day, name, status).order_by("raised_at_position", "id")
    return map(_alert, rows.iterator())


def _matching(day: str, name: str, status: str) -> "QuerySet[models.Alert]":
    if name and name not in RULES:
        raise Invalid("name", f"one of {', '.join(RULES)}")
    if status and status not in STATUSES:
        raise Invalid("status", f"one of {', '.join(STATUSES)}")
    said = {"gaming_day": day, "name": name, "status": status}
    return models.Alert.objects.filter(**{field: value for field, value in said.items() if value})


def _alert(row: models.Alert) -> Alert:
    return Alert(
        id=row.id,
        name=row.name,
        severity=row.severity,
        raised_at_position=row.raised_at_position,
        raised=row.raised,
        gaming_day=row.gaming_day,
        events=tuple(msgspec.json.decode(row.events)),
        table=row.table or None,
        round=row.round,
        person=row.person,
        data=msgspec.json.decode(row.data),
        status=row.status,
        assigned=row.assigned,
        disposition=row.disposition,
        rule_version=row.rule_version,
    )
