"""The wall display of alerts: open alerts for a large screen, those that no one has acknowledged first."""

import msgspec
from django.db.models import Count, Max, QuerySet

from backoffice.surveillance import acknowledgement_lookup, people_barred_from_alert_decision
from backoffice.surveillance.acknowledgement_lookup import Acknowledgement
from backoffice.surveillance.raised_alert_queries import Alert, alert_of
from events.house.alert_rules import RULES
from projections.alerts import models

NOT_CLEARED = ("open", "assigned")
READ_MAX = 300  # newest alerts that are looked through for new ones
SHOWN = 24
SEVERITIES = ("high", "medium", "low")


class WallEntry(msgspec.Struct, frozen=True):
    """An alert on the wall. `is_new`: no person has acknowledged it or was assigned to it."""

    alert: Alert
    seen: Acknowledgement | None
    is_new: bool
    subjects: frozenset[str] = frozenset()


class WallDisplay(msgspec.Struct, frozen=True):
    """The alerts of the wall. `total` counts all that are not cleared, `new` those that are new, `omitted` those left
    out."""

    entries: tuple[WallEntry, ...]
    total: int
    new: int
    omitted: int
    severity: str
    name: str
    names: tuple[str, ...]


def wall_display(severity: str = "", name: str = "") -> WallDisplay:
    """Return the alerts that are not cleared, of a severity and a rule. An unknown one of either counts as none."""
    severity, name = severity if severity in SEVERITIES else "", name if name in RULES else ""
    rows = _open()
    names = set(rows.values_list("name", flat=True).distinct())
    filters = {"severity": severity, "name": name}
    rows = rows.filter(**{field: value for field, value in filters.items() if value})
    read = [alert_of(row) for row in rows.order_by("-raised", "-raised_at_position", "id")[:READ_MAX]]
    seen = acknowledgement_lookup.of_alerts([alert.id for alert in read])
    entries = [_entry(alert, seen.get(alert.id)) for alert in read]
    wall_entries = sorted(entries, key=lambda entry: not entry.is_new)[:SHOWN]
    subjects = people_barred_from_alert_decision.of_alerts([entry.alert.id for entry in wall_entries])
    return WallDisplay(
        entries=tuple(msgspec.structs.replace(entry, subjects=subjects[entry.alert.id]) for entry in wall_entries),
        total=(total := rows.count()),
        new=sum(entry.is_new for entry in entries),
        omitted=total - len(wall_entries),
        severity=severity,
        name=name,
        names=tuple(rule for rule in RULES if rule in names),
    )


def wall_mark() -> str:
    """Return a text that changes with the open alerts and with every action on them."""
    last = _open().aggregate(last=Max("last_position"), count=Count("id"))
    return f"{last['last'] or 0}.{last['count']}"


def _open() -> "QuerySet[models.Alert]":
    return models.Alert.objects.filter(status__in=NOT_CLEARED)


def _entry(alert: Alert, seen: Acknowledgement | None) -> WallEntry:
    return WallEntry(alert, seen, is_new=seen is None and alert.status == "open")
