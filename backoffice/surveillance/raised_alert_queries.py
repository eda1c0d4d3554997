"""Alerts as they are read: by gaming day, name and status, newest first, a page at a time."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet

from backoffice.surveillance.people_barred_from_alert_decision import any_of_events
from backoffice.wording import stream_currencies
from backoffice.wording.copy_row_into_page_struct import struct_from
from backoffice.wording.error_code_sentences import stored_sentence
from events.error_codes import coded
from events.errors import Invalid, Unknown
from events.house.alert_rules import RULES
from events.settings.settings_from_environment import settings
from projections.alerts import models
from projections.eventlog.models import EventLog

PAGE, PAGE_MAX = 100, 1_000
STATUSES = ("open", "assigned", "cleared")
ORDERS = ("newest", "oldest")


class Alert(msgspec.Struct, frozen=True):
    """An alert: `events` are the ids of its evidence, the raising one last; `data` are its details, amounts in minor
    units.

    `rule_version` is the version of its rule that was in force, `person` the person concerned ("": no person named).
    """

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

    @property
    def at(self) -> datetime:
        """Return the time of its raising event."""
        return datetime.fromisoformat(self.raised)

    @property
    def state(self) -> str:
        """The colour of it: how severe it is, while it is not cleared."""
        if self.status == "cleared":
            return "green"
        return "red" if self.severity == "high" else "amber"

    @property
    def sum(self) -> int | None:
        """Return the amount that it is about; None without one."""
        return self.data.get("sum")

    @property
    def words(self) -> str:
        """Return a short description from its data."""
        facts = dict(self.facts)
        fields = (facts.get(name) for name in ("reason", "kind", "level", "card", "detail"))
        return next((str(field) for field in fields if field), "")

    @property
    def facts(self) -> tuple[tuple[str, Any], ...]:
        """Return its data for people: the sentence of an irregularity in their language, without its code."""
        code, params = self.data.get("code"), self.data.get("params")
        shown_data = {name: value for name, value in self.data.items() if name not in ("code", "params")}
        if code and "detail" in shown_data:
            shown_data["detail"] = stored_sentence(shown_data["detail"], code, params, "")
        return tuple(shown_data.items())


class AlertsPage(msgspec.Struct, frozen=True):
    """A page of alerts. `after=next` continues, null at the end."""

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
    """Return a page of the matching alerts. Raises Invalid for an unknown name, status or order.

    Alerts of one position stay together: a page may be longer than `size` by as many.
    """
    if order not in ORDERS:
        raise Invalid("order", coded("one-of-these", known=list(ORDERS)))
    newest = order == ORDERS[0]
    rows = _matching(day, name, status)
    if after is not None:
        rows = rows.filter(raised_at_position__lt=after) if newest else rows.filter(raised_at_position__gt=after)
    rows = rows.order_by("-raised_at_position" if newest else "raised_at_position", "id")
    alert_rows = [*rows[: size + 1]]
    if len(alert_rows) <= size:
        return AlertsPage(tuple(map(alert_of, alert_rows)), None)
    last = alert_rows[size - 1].raised_at_position
    rows_at_last = rows.filter(raised_at_position=last)
    page_rows = [*(row for row in alert_rows[:size] if row.raised_at_position != last), *rows_at_last]
    return AlertsPage(tuple(map(alert_of, page_rows)), str(last))


def every_alert(day: str = "", name: str = "", status: str = "") -> Iterator[Alert]:
    """All that fit, oldest first. Raises as `alerts`."""
    rows = _matching(day, name, status).order_by("raised_at_position", "id")
    return map(alert_of, rows.iterator())


class Proof(msgspec.Struct, frozen=True):
    """An event that proves an alert, or an action on it.

    `sentence` describes an event of a table, with its amounts.
    """

    position: int
    type: str
    time: datetime
    actor: str
    sentence: str = ""
    amount_minor: int | None = None
    player: str = ""
    says: tuple[tuple[str, str], ...] = ()  # of an action: field and value


class Looked(msgspec.Struct, frozen=True):
    """An alert under investigation: its evidence in the order of the store, and its history.

    `next` and `previous` are the ids of the alerts before and after it in time that are not cleared.
    """

    alert: Alert
    currency: str
    facts: tuple[tuple[str, Any], ...]
    proofs: tuple[Proof, ...]
    done: tuple[Proof, ...]
    next: str | None = None
    previous: str | None = None


class AlertWall(msgspec.Struct, frozen=True):
    """The alerts that a person chose, and how many of them are there by status and name."""

    page: AlertsPage
    statuses: tuple[tuple[str, int], ...]
    names: tuple[tuple[str, int], ...]
    status: str
    name: str
    day: str


OF_MONEY = ("sum", "due", "paid", "given", "got", "expected", "found")
_STATED_FIELDS = ("person", "note", "disposition", "reason")


def alert(key: str) -> Looked:
    """Return the alert of this id. Raises Unknown."""
    row = models.Alert.objects.filter(id=key).first()
    if row is None:
        raise Unknown(coded("alert-not-found", alert=key))
    alert = alert_of(row)
    places = stream_currencies.by_place()
    currency = stream_currencies.of_stream(places, row.stream)
    answer_rows = EventLog.objects.filter(stream=f"{settings().property_}/alerts/{key}").order_by("position")
    return Looked(
        alert=alert,
        currency=currency,
        facts=alert.facts,
        proofs=tuple(
            _proof(proof, currency)
            for proof in EventLog.objects.filter(any_of_events(alert.events)).order_by("position")
        ),
        done=tuple(_proof(proof, currency) for proof in answer_rows[:PAGE_MAX]),
        next=_neighbour(row, newest=True),
        previous=_neighbour(row, newest=False),
    )


def _neighbour(row: models.Alert, *, newest: bool) -> str | None:
    """The next one in a list that is ordered by time, that waits: older, or newer."""
    waiting = models.Alert.objects.exclude(status="cleared").exclude(id=row.id)
    neighbours = _rows_after(waiting, (row.raised, row.raised_at_position, row.id), newest=newest)
    return neighbours.order_by(*_by_time(newest=newest)).values_list("id", flat=True).first()


def wall(status: str = "", name: str = "", day: str = "", after: str = "") -> AlertWall:
    """Return a page of alerts, newest by time first, with counts for the filters. Raises as `alerts`."""
    matching_rows = _by_their_time(_matching(day, name, status), after)
    of_status = _matching(day, name, "").values("status").annotate(n=Count("id")).values_list("status", "n")
    of_name = _matching(day, "", status).values("name").annotate(n=Count("id")).values_list("name", "n")
    counted = dict(of_name)
    names = tuple((rule, counted[rule]) for rule in RULES if rule in counted)
    return AlertWall(
        matching_rows, tuple((state, dict(of_status).get(state, 0)) for state in STATUSES), names, status, name, day
    )


def _by_their_time(rows: "QuerySet[models.Alert]", after: str) -> AlertsPage:
    """A page beyond a cursor, in the order of the times that it shows. Raises Unknown for no cursor."""
    if after:
        raised, _, rest = after.partition("~")
        position, _, key = rest.partition("~")
        if not (position.isascii() and position.isdecimal() and len(position) < 17 and key):
            raise Unknown(coded("alert-page-unknown", after=after))
        rows = _rows_after(rows, (raised, int(position), key), newest=True)
    listed = [*rows.order_by(*_by_time(newest=True))[: PAGE + 1]]
    last = listed[PAGE - 1] if len(listed) > PAGE else None
    cursor = None if last is None else f"{last.raised}~{last.raised_at_position}~{last.id}"
    return AlertsPage(tuple(map(alert_of, listed[:PAGE])), cursor)


def _by_time(*, newest: bool) -> tuple[str, ...]:
    sign = "-" if newest else ""
    return f"{sign}raised", f"{sign}raised_at_position", "id" if newest else "-id"


def _rows_after(
    rows: "QuerySet[models.Alert]", place: tuple[str, int, str], *, newest: bool
) -> "QuerySet[models.Alert]":
    """Return the rows behind a place in the order of time."""
    raised, position, key = place
    beyond, behind = ("lt", "gt") if newest else ("gt", "lt")
    return rows.filter(
        Q(**{f"raised__{beyond}": raised})
        | Q(raised=raised, **{f"raised_at_position__{beyond}": position})
        | Q(raised=raised, raised_at_position=position, **{f"id__{behind}": key})
    )


def count_open() -> tuple[int, bool]:
    """Return the number of open unassigned alerts, and whether one of them is severe."""
    counted = dict(_matching("", "", "open").values("severity").annotate(n=Count("id")).values_list("severity", "n"))
    return sum(counted.values()), "high" in counted


def _proof(row: EventLog, currency: str) -> Proof:
    from backoffice.surveillance.replay.event_details_and_sentence import (
        sentence_of,  # here: a list of alerts needs none of it
    )

    envelope = msgspec.json.decode(row.raw)
    is_done = row.type.startswith("alert.")
    says = tuple(
        (field, envelope["data"][field]) for field in _STATED_FIELDS if is_done and envelope["data"].get(field)
    )
    return Proof(
        row.position,
        row.type,
        row.time,
        envelope["actor"],
        "" if is_done else sentence_of(row, currency),
        row.amount_minor,
        row.player or "",
        says,
    )


def _matching(day: str, name: str, status: str) -> "QuerySet[models.Alert]":
    if name and name not in RULES:
        raise Invalid("name", coded("one-of-these", known=list(RULES)))
    if status and status not in STATUSES:
        raise Invalid("status", coded("one-of-these", known=list(STATUSES)))
    parameters = {"gaming_day": day, "name": name, "status": status}
    return models.Alert.objects.filter(**{field: value for field, value in parameters.items() if value})


def alert_of(row: models.Alert) -> Alert:
    """Return an alert as it is read."""
    return struct_from(
        row,
        Alert,
        events=tuple(msgspec.json.decode(row.events)),
        table=row.table or None,
        round=row.round or None,  # older versions wrote 0 where a bet is of no round
        data=msgspec.json.decode(row.data),
    )
